import type { RecordedEvent } from '#libs/event-log';
import type { KubeObject } from '#libs/kernel';
import { ClusterState, type StreamHead } from './cluster-state';
import type { LeftOut } from './left-out';
import type { AttemptRecord } from './decision-records';

/** Raise whenever a fold changes what it makes of the same events: older snapshots are then ignored. */
export const FOLD_VERSION = 2;

/** A fold, written down: a cache that may always be deleted. Plain JSON. */
export interface Snapshot {
  foldVersion: number;
  cluster: string;
  /** What the fold leaves out; absent: nothing. */
  leftOut?: LeftOut;
  position: number;
  /** Id of the event at the position. */
  lastEventId: string;
  time: number;
  objects: [resource: string, key: string, object: KubeObject][];
  heads: [stream: string, head: StreamHead][];
  attempts: [uid: string, record: AttemptRecord][];
  acts: [uid: string, event: RecordedEvent, begun: string[]][];
  pendingReviews: RecordedEvent[];
  silentNodes: [node: string, since: number][];
  resumed?: { from: number; to: number };
}

export function takeSnapshot(state: ClusterState): Snapshot {
  const objects: Snapshot['objects'] = [];
  for (const table of state.resources()) {
    for (const [key, object] of table.objects) objects.push([table.resource, key, object]);
  }
  const { attempts, acts, pendingReviews, silentNodes, resumed } = state.decisions;
  return {
    foldVersion: FOLD_VERSION,
    cluster: state.cluster,
    leftOut: state.leftOut,
    position: state.position,
    lastEventId: state.lastEventId ?? '',
    time: state.time,
    objects,
    heads: [...state.streamHeads()],
    attempts: [...attempts],
    acts: [...acts].map(([uid, act]) => [uid, act.event, [...act.begun]]),
    pendingReviews: [...pendingReviews.values()],
    silentNodes: [...silentNodes],
    resumed,
  };
}

/** The state of a snapshot; undefined when it is of another cluster, another version of the folds, or leaves out something else. */
export function restoreSnapshot(cluster: string, snapshot: Snapshot, leftOut?: LeftOut): ClusterState | undefined {
  if (snapshot.foldVersion !== FOLD_VERSION || snapshot.cluster !== cluster) return undefined;
  if (JSON.stringify(snapshot.leftOut) !== JSON.stringify(leftOut)) return undefined;
  const state = new ClusterState(cluster, leftOut);
  state.position = snapshot.position;
  state.lastEventId = snapshot.lastEventId;
  state.time = snapshot.time;
  for (const [resource, key, object] of snapshot.objects) state.restore(resource, key, object);
  for (const [stream, head] of snapshot.heads) state.restoreHead(stream, head);
  for (const [uid, record] of snapshot.attempts) state.decisions.attempts.set(uid, record);
  for (const [uid, event, begun] of snapshot.acts) state.decisions.acts.set(uid, { event, begun: new Set(begun) });
  for (const event of snapshot.pendingReviews) state.decisions.pendingReviews.set(event.id, event);
  for (const [node, since] of snapshot.silentNodes) state.decisions.silentNodes.set(node, since);
  state.decisions.resumed = snapshot.resumed;
  return state;
}
