import type { EventLog } from '#libs/event-log';
import { clusterPrefix } from '#libs/events';
import { AppendGrouper } from './append-grouper';
import { ClusterState, type FoldedAppend } from './cluster-state';

export interface FoldLogOptions {
  /** Stop at the last whole append that ends at or before this position. */
  until?: number;
  /** Start from this state instead of from nothing. */
  from?: ClusterState;
  /** Called after each append folded; return false to stop there. */
  onAppend?: (append: FoldedAppend, state: ClusterState) => boolean | void;
}

/** Folds a cluster's log up to a position. Pages come from the port; nothing else is asked of it. */
export async function foldLog(log: EventLog, cluster: string, options: FoldLogOptions = {}): Promise<ClusterState> {
  const state = options.from ?? new ClusterState(cluster);
  const grouper = new AppendGrouper();
  const until = options.until ?? Number.POSITIVE_INFINITY;
  const filter = { streamPrefixes: [clusterPrefix(cluster)] };
  for await (const page of log.readAll({ from: state.position + 1, filter })) {
    for (const event of page) {
      if (event.position > until) return state;
      const append = grouper.add(event);
      const folded = append && state.apply(append);
      if (folded && options.onAppend?.(folded, state) === false) return state;
    }
  }
  return state;
}
