import { noMarks, sandboxKeptMs, type ClusterState, type LostMirror, type PodMarks } from '#libs/cluster-state';
import { objectKey, parseTime, type KubeObject } from '#libs/kernel';
import { allRuns, type PodRuntime } from '../pod-lifecycle/runtime/container-run';
import type { StopOrder } from '../pod-lifecycle/runtime/phases/order';
import { specOf } from '../pod-lifecycle/pod-types';
import { standingOf, type StaticStanding } from './static-pod-of';

/** From a pod's end to the round of the kubelet's housekeeping that takes its mirror away, ms. */
const housekeepingMs = 800;
/** A pod that has to wait for an earlier one of its name is tried again after 10 s and up to half of it more: in the middle of that, ms. */
const retryMs = 12_500;
/** Statuses that were not written at once are written every 10 s, ms. */
const statusSyncMs = 9_000;

/** A mirror, and the pod behind it as its kubelet has it: it knows no generation, and nobody's wish in the API that it be deleted. */
export interface MirroredPod {
  pod: KubeObject;
  marks: PodMarks;
  standing: StaticStanding;
  /** It has not been begun with. */
  isNew: boolean;
  /** When its status is written again after the mirror was missing, ms. */
  shownFrom?: number;
}

/** Undefined: the pod is one like others. */
export function mirroredPod(cluster: ClusterState, mirror: KubeObject): MirroredPod | undefined {
  const statics = cluster.decisions.staticPods.of(mirror.spec?.nodeName as string);
  const standing = standingOf(mirror, statics);
  if (!standing) return undefined;
  const { generation: _generation, deletionTimestamp: _at, deletionGracePeriodSeconds: _grace, ...metadata } = mirror.metadata;
  const pod = { ...mirror, metadata };
  const marks = cluster.decisions.podMarks.get(mirror.metadata.uid) ?? noMarks;
  if (mirror.status?.startTime !== undefined) return { pod, marks, standing, isNew: false };
  const key = objectKey(metadata.namespace, metadata.name);
  const lost = statics?.lost.get(key);
  if (lost)
    return { pod: { ...pod, status: lost.status }, marks: lost.marks ?? noMarks, standing, isNew: false, ...shownAgain(mirror, lost) };
  const begun = statics?.over.get(key)?.begun;
  return { pod: begun ? { ...pod, status: { ...pod.status, ...begun } } : pod, marks, standing, isNew: true };
}

function shownAgain({ metadata }: KubeObject, { forced }: LostMirror): { shownFrom?: number } {
  const created = parseTime(metadata.creationTimestamp);
  return forced && created !== undefined ? { shownFrom: created + statusSyncMs } : {};
}

/** The manifest is gone, or is another one: the pod ends, whoever shows it. */
export const manifestGone: StopOrder = (_runtime, { cluster, pod }) => {
  const { namespace, name } = pod.metadata;
  const at = cluster.decisions.staticPods.of(pod.spec?.nodeName as string)?.ended.get(objectKey(namespace, name));
  if (at === undefined) return undefined;
  return { cause: 'order', at, graceSeconds: specOf(pod).terminationGracePeriodSeconds ?? 30 };
};

/** When the mirror of a pod that is over is taken away, ms. */
export function takenAwayAt({ endedAt = 0, isReplaced }: StaticStanding, runtime: PodRuntime): number {
  let over = endedAt;
  for (const run of allRuns(runtime)) over = Math.max(over, run.exit?.finishedAt ?? 0);
  return Math.max(over + housekeepingMs, isReplaced ? endedAt + retryMs : 0);
}

/** The same pod ran a moment ago, and what is left of it is still there. */
export function findsOldSandbox(cluster: ClusterState, mirror: KubeObject, now: number): boolean {
  const { namespace, name, annotations } = mirror.metadata;
  const over = cluster.decisions.staticPods.of(mirror.spec?.nodeName as string)?.over.get(objectKey(namespace, name));
  return over !== undefined && over.hash === annotations?.['kubernetes.io/config.hash'] && now - over.at < sandboxKeptMs;
}
