import type { RecordedEvent } from '#libs/event-log';
import type { KubeObject, ObjectKey } from '#libs/kernel';
import type { AdmissionConfiguration } from '#libs/kube-api';
import { ClusterState } from './cluster-state';
import { restoredObject } from './field-ownership';
import type { AttemptRecord, ExtenderQuestionRecord, SettledProgram } from './decision-records';
import type { IndexEntries } from './indices';
import type { LeftOut } from './left-out';
import type { NodeImage, NodeRecord, QueuedPull } from './node-records';
import type { PodMarks } from './pod-marks';
import type { QuotaCharge } from './quota-charges';
import type { LostMirror, NodeStatics, OverPod, StaticFile } from './static-pods';
import type { StreamHead } from './stream-heads';

/** Raise whenever the same events fold to another state: older snapshots are then ignored. */
export const FOLD_VERSION = 17;

/**
 * A fold, written down: a cache that may always be deleted. Plain JSON. Everything is in the order in which the fold has it, so that a
 * state put back is the one that was taken, to whoever walks it and whatever is folded onto it: controllers begun on it decide the same.
 */
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
  indices: IndexEntries;
  heads: [stream: string, head: StreamHead][];
  /** Heads of streams whose objects are gone, packed. */
  buriedHeads: string[];
  recentIds: [stream: string, ids: string[]][];
  attempts: [uid: string, record: AttemptRecord][];
  acts: [uid: string, event: RecordedEvent, begun: string[]][];
  dialogues: [uid: string, attempt: string, questions: [ask: string, question: ExtenderQuestionRecord][]][];
  pendingReviews: RecordedEvent[];
  nodeRecords: [node: string, record: NodeRecord][];
  killedSandboxes: [uid: string, at: number][];
  nodeImages: [node: string, images: [imageId: string, image: NodeImage][]][];
  /** Absent: there are none. */
  orphans?: KubeObject[];
  /** Absent: there are none. */
  imagePulls?: [node: string, pulls: readonly QueuedPull[]][];
  /** Absent: there are none. */
  staticPods?: StaticPodsOfNode[];
  programs: [uid: string, runs: readonly SettledProgram[]][];
  podMarks: [uid: string, marks: PodMarks][];
  /** Absent: there are none. */
  quotaCharges?: QuotaCharge[];
  admission?: AdmissionConfiguration;
  heartbeatsWanted?: boolean;
  resumed?: { from: number; to: number };
}

interface StaticPodsOfNode {
  node: string;
  files: [file: string, held: StaticFile][];
  ended: [key: ObjectKey, at: number][];
  lost: [key: ObjectKey, lost: LostMirror][];
  over: [key: ObjectKey, over: OverPod][];
}

function writtenStatics([node, { files, ended, lost, over }]: [string, NodeStatics]): StaticPodsOfNode {
  return { node, files: [...files], ended: [...ended], lost: [...lost], over: [...over] };
}

/** Takes what is there now: the state may be folded on while the snapshot is written out, since objects never change. */
export function takeSnapshot(state: ClusterState): Snapshot {
  const objects: Snapshot['objects'] = [];
  for (const table of state.resources()) {
    for (const [key, object] of table.objects) objects.push([table.resource, key, object]);
  }
  const {
    attempts,
    acts,
    dialogues,
    pendingReviews,
    nodes,
    staticPods,
    programs,
    podMarks,
    quotaCharges,
    admission,
    heartbeatsWanted,
    resumed,
  } = state.decisions;
  return {
    foldVersion: FOLD_VERSION,
    cluster: state.cluster,
    leftOut: state.leftOut,
    position: state.position,
    lastEventId: state.lastEventId ?? '',
    time: state.time,
    objects,
    indices: state.indices.entries(),
    heads: state.heads.entries(),
    buriedHeads: state.heads.buried(),
    recentIds: state.recentIds.entries(),
    attempts: [...attempts],
    acts: [...acts].map(([uid, act]) => [uid, act.event, [...act.begun]]),
    dialogues: [...dialogues].map(([uid, { attempt, questions }]) => [
      uid,
      attempt,
      [...questions].map(([ask, question]) => [ask, { ...question }]),
    ]),
    pendingReviews: [...pendingReviews.values()],
    nodeRecords: [...nodes.byNode],
    killedSandboxes: [...nodes.killedSandboxes],
    nodeImages: [...nodes.images].map(([node, images]) => [node, [...images]]),
    ...(nodes.orphans.size > 0 ? { orphans: [...nodes.orphans.values()] } : {}),
    ...(nodes.pulls.size > 0 ? { imagePulls: [...nodes.pulls] } : {}),
    ...(staticPods.byNode.size > 0 ? { staticPods: [...staticPods.byNode].map(writtenStatics) } : {}),
    programs: [...programs],
    podMarks: [...podMarks],
    ...(quotaCharges.size > 0 ? { quotaCharges: [...quotaCharges.all()] } : {}),
    ...(admission ? { admission } : {}),
    ...(heartbeatsWanted ? { heartbeatsWanted } : {}),
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
  for (const [resource, key, object] of snapshot.objects) state.table(resource).set(key, restoredObject(object));
  state.indices.restore(snapshot.indices, (key) => state.table('pods').get(key));
  for (const [stream, head] of snapshot.heads) state.heads.set(stream, head);
  state.heads.restoreBuried(snapshot.buriedHeads);
  state.recentIds.restore(snapshot.recentIds);
  const { decisions } = state;
  for (const [uid, record] of snapshot.attempts) decisions.attempts.set(uid, record);
  for (const [uid, event, begun] of snapshot.acts) decisions.acts.set(uid, { event, begun: new Set(begun) });
  for (const [uid, attempt, questions] of snapshot.dialogues) decisions.dialogues.set(uid, { attempt, questions: new Map(questions) });
  for (const event of snapshot.pendingReviews) decisions.pendingReviews.set(event.id, event);
  for (const [node, record] of snapshot.nodeRecords) decisions.nodes.byNode.set(node, record);
  for (const [uid, at] of snapshot.killedSandboxes) decisions.nodes.killedSandboxes.set(uid, at);
  for (const pod of snapshot.orphans ?? []) decisions.nodes.orphans.set(pod.metadata.uid, pod);
  for (const [node, images] of snapshot.nodeImages) decisions.nodes.images.set(node, new Map(images));
  for (const [node, pulls] of snapshot.imagePulls ?? []) decisions.nodes.pulls.set(node, pulls);
  for (const [uid, runs] of snapshot.programs) decisions.programs.set(uid, runs);
  for (const [uid, marks] of snapshot.podMarks) decisions.podMarks.set(uid, marks);
  for (const charge of snapshot.quotaCharges ?? []) decisions.quotaCharges.add(charge);
  for (const { node, files, ended, lost, over } of snapshot.staticPods ?? []) {
    decisions.staticPods.byNode.set(node, { files: new Map(files), ended: new Map(ended), lost: new Map(lost), over: new Map(over) });
  }
  decisions.admission = snapshot.admission;
  decisions.heartbeatsWanted = snapshot.heartbeatsWanted ?? false;
  decisions.resumed = snapshot.resumed;
  return state;
}
