import type { EventLog } from '#libs/event-log';
import { ClusterState, type FoldedAppend } from './cluster-state';
import { LogFold } from './log-fold';
import { readAppends } from './read-appends';

export interface FoldLogOptions {
  /** Stop at the last frame that ends at or before this position. */
  until?: number;
  /** Start from this state, which ends with a whole append, instead of from nothing. */
  from?: ClusterState;
  /** Of the cluster's streams, those whose names begin so; all when absent. */
  streamPrefixes?: readonly string[];
  /** Called after each append folded; return false to stop there. */
  onAppend?: (append: FoldedAppend, state: ClusterState) => boolean | void;
}

/**
 * Folds a cluster's log up to a position. Pages come from the port; nothing else is asked of it.
 * @throws TornAppendError when the log has a part of an append
 */
export async function foldLog(log: EventLog, cluster: string, options: FoldLogOptions = {}): Promise<ClusterState> {
  const { until, from: state = new ClusterState(cluster), onAppend, streamPrefixes } = options;
  const fold = new LogFold(state, { until });
  for await (const appends of readAppends(log, cluster, { after: state.position, until, streamPrefixes }))
    for (const append of appends) for (const folded of fold.fold(append)) if (onAppend?.(folded, state) === false) return state;
  return state;
}
