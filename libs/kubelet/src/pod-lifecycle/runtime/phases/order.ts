import { conditionOf } from '#libs/cluster-state';
import { durationMs, type KubeObject } from '#libs/kernel';
import { orderedStop } from '../../../eviction/ordered-stop';
import { specOf, statusOf } from '../../pod-types';
import type { PodRuntime } from '../container-run';
import { wakeBy, type Passage, type Progress } from '../passage';
import { knownSince } from '../../../node-life/known-since';
import { shutdownOrder } from '../../../node-life/shutdown-order';
import { manifestGone } from '../../../static-pods/reconcile-mirror';
import { restarts } from '../starts';
import type { Stop } from '../stop-plan';

/**
 * Somebody who may order that a whole pod stops; undefined: he does not, or not yet. What he will order later he tells with `wakeBy`.
 * An order stands: it is found again at every later look, with the same moment.
 */
export type StopOrder = (runtime: PodRuntime, passage: Passage, progress: Progress) => Stop | undefined;

/** The order that came first counts; of two in the same instant the one that stands before the other here. */
const stopOrders: readonly StopOrder[] = [deletion, manifestGone, orderedStop, shutdownOrder, deadline];

export function orderToStop(runtime: PodRuntime, passage: Passage, progress: Progress): Stop | undefined {
  let first: Stop | undefined;
  for (const ask of stopOrders) {
    const order = ask(runtime, passage, progress);
    if (order && (!first || order.at < first.at)) first = order;
  }
  runtime.verdict = first?.verdict;
  return first;
}

/**
 * A container under TERM keeps the grace it was given: a later request with a shorter one does not reach it (recorded from
 * v1.34.4). A kubelet that starts afterwards knows the shorter one only, and goes by it.
 */
function deletion(_runtime: PodRuntime, { cluster, node, pod, marks }: Passage): Stop | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
  if (!deletionTimestamp) return undefined;
  const at = marks.deletion?.at ?? Date.parse(deletionTimestamp) - durationMs(deletionGracePeriodSeconds);
  const knownAt = knownSince(cluster.decisions.nodes.of(node.metadata.name), at);
  if (knownAt > at) return { cause: 'deletion', at: knownAt, graceSeconds: deletionGracePeriodSeconds };
  return { cause: 'deletion', graceSeconds: deletionGracePeriodSeconds, ...marks.deletion, at };
}

const deadlineExceeded = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};

/** `activeDeadlineSeconds` counts from the moment the kubelet took the pod. */
function deadline(runtime: PodRuntime, { pod, now }: Passage, progress: Progress): Stop | undefined {
  const { activeDeadlineSeconds, terminationGracePeriodSeconds } = specOf(pod);
  if (activeDeadlineSeconds === undefined) return undefined;
  const at = runtime.acceptedAt + durationMs(activeDeadlineSeconds);
  wakeBy(progress, at, now);
  if (now < at) return undefined;
  return {
    cause: 'deadline',
    at,
    graceSeconds: terminationGracePeriodSeconds ?? 30,
    verdict: deadlineExceeded,
    note: { type: 'Normal', ...deadlineExceeded },
    // Upstream tells of it whenever it looks, twice at either end.
    noteTimes: { begun: 2, over: 4 },
  };
}

/** The status says already that the kubelet has begun to stop the containers. */
export function isAnnounced(stop: Stop, pod: KubeObject): boolean {
  if (stop.cause === 'deletion') return statusOf(pod).observedGeneration === pod.metadata.generation;
  return conditionOf(pod, 'Ready')?.reason === 'PodFailed';
}

/** The pod's work is done, or cannot be: whatever still runs (sidecars) is to stop. */
export function completion(runtime: PodRuntime, { pod }: Passage): Stop | undefined {
  const spec = specOf(pod);
  const policy = spec.restartPolicy ?? 'Always';
  const graceSeconds = spec.terminationGracePeriodSeconds ?? 30;
  const failedInit =
    policy === 'Never' && runtime.init.find((run) => run.role === 'init' && run.state === 'exited' && run.exit?.exitCode !== 0);
  if (failedInit) return { cause: 'completion', at: failedInit.exit?.finishedAt ?? 0, graceSeconds };
  if (policy === 'Always') return undefined;
  let at = 0;
  for (const run of runtime.main) {
    if (run.state !== 'exited' || restarts(run, policy)) return undefined;
    at = Math.max(at, run.exit?.finishedAt ?? 0);
  }
  return { cause: 'completion', at, graceSeconds };
}
