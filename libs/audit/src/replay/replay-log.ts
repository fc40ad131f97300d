import { ClusterState, LogFold, type Append, type FoldedAppend, type TornAppendError } from '#libs/cluster-state';
import type { EventLog, RecordedEvent } from '#libs/event-log';
import { categoryOf, clusterPrefix } from '#libs/events';

export interface ReplayOptions {
  log: EventLog;
  cluster: string;
  /** Position of the last event to be read, where an append ends; that of the log when absent. */
  until?: number;
  /** Who owns which fields of objects is not kept: nothing is written again. */
  leavesOutOwners?: boolean;
  /** Called before each append is folded. */
  beforeAppend?(append: Append, cluster: ClusterState): void;
  /** Called after each frame of it has been folded. */
  onFolded?(frame: FoldedAppend, cluster: ClusterState): void;
  /** Told of a part of an append, which is left out. */
  onTorn?(error: TornAppendError): void;
  /** Told of an event that the fold can make nothing of; without it such a log is not replayed. */
  onBroken?(event: RecordedEvent, error: Error): void;
  onProgress?(events: number, position: number): void;
}

/** Folds the log from its beginning, append by append and frame by frame. Gives the cluster at its end. */
export async function replayLog(options: ReplayOptions): Promise<ClusterState> {
  const { log, cluster, until = Infinity, beforeAppend, onFolded, onTorn, onBroken, onProgress } = options;
  const state = new ClusterState(cluster);
  state.leavesOutOwners = options.leavesOutOwners ?? false;
  // Nothing is appended to it. Whether there has ever been a node is asked by the controller that makes nodes.
  const nodes = `${categoryOf(cluster, 'nodes')}-`;
  state.heads.keepGone((stream) => stream.startsWith(nodes));
  const fold = new LogFold(state, {
    beforeAppend: (append) => beforeAppend?.(append, state),
    onFolded: (frame) => onFolded?.(frame, state),
    onTorn: onTorn && ((error) => onTorn(error)),
  });
  let [events, position] = [0, 0];
  for await (const page of log.readAll({ filter: { streamPrefixes: [clusterPrefix(cluster)] } })) {
    for (const event of page) {
      if (event.position > until) break;
      events++;
      position = event.position;
      try {
        fold.add(event);
      } catch (error) {
        if (!onBroken) throw error;
        onBroken(event, error as Error);
      }
    }
    onProgress?.(events, position);
    if (position >= until) break;
  }
  fold.end();
  return state;
}
