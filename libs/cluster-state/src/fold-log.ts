import type { EventLog, RecordedEvent } from '#libs/event-log';
import { clusterPrefix } from '#libs/events';
import { AppendGrouper, framesOf } from './append-grouper';
import { ClusterState, type FoldedAppend } from './cluster-state';

export interface FoldLogOptions {
  /** Stop at the last frame that ends at or before this position. */
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
  const takes = (append: readonly RecordedEvent[]): boolean => {
    for (const frame of framesOf(append)) {
      const folded = (frame[frame.length - 1] as RecordedEvent).position <= until && state.apply(frame);
      if (folded && options.onAppend?.(folded, state) === false) return false;
    }
    return true;
  };
  for await (const page of log.readAll({ from: state.position === 0 ? 'start' : state.position + 1, filter })) {
    for (const event of page) {
      const append = grouper.add(event);
      if (append && !takes(append)) return state;
      // The rest of an append that begins before the end is read, since only then its frames are whole.
      if (event.position > until && grouper.begun.length === 0) return state;
    }
  }
  return state;
}
