import type { EventLog } from '#libs/event-log';
import { clusterPrefix } from '#libs/events';
import { ClusterState, type FoldedAppend } from './cluster-state';
import { LogFold } from './log-fold';

export interface FoldLogOptions {
  /** Stop at the last frame that ends at or before this position. */
  until?: number;
  /** Start from this state instead of from nothing. */
  from?: ClusterState;
  /** Called after each append folded; return false to stop there. */
  onAppend?: (append: FoldedAppend, state: ClusterState) => boolean | void;
}

/**
 * Folds a cluster's log up to a position. Pages come from the port; nothing else is asked of it.
 * @throws TornAppendError when the log has a part of an append
 */
export async function foldLog(log: EventLog, cluster: string, options: FoldLogOptions = {}): Promise<ClusterState> {
  const { until = Infinity, from: state = new ClusterState(cluster), onAppend } = options;
  const fold = new LogFold(state, { until });
  const filter = { streamPrefixes: [clusterPrefix(cluster)] };
  for await (const page of log.readAll({ from: state.position === 0 ? 'start' : state.position + 1, filter })) {
    for (const event of page) {
      for (const folded of fold.add(event) ?? []) if (onAppend?.(folded, state) === false) return state;
      // The rest of an append that begins before the end is read, since only then its frames are whole.
      if (event.position > until && fold.isWhole) return state;
    }
  }
  fold.end();
  return state;
}
