import {
  conditionOf,
  containersRunning,
  isMakingRoom,
  isStaticPod,
  isTerminal,
  noMarks,
  type ClusterState,
  type PodMarks,
  type QueuedPull,
} from '#libs/cluster-state';
import type { Reconciliation, Step } from '#libs/control-loop';
import { fact, type Fact } from '#libs/events';
import { formatTime, jsonEqual, parseTime, type JsonObject, type KubeObject, type ObjectKey } from '#libs/kernel';
import { admissionOf, preempted } from '../admission/make-room';
import { statusMessage, type Rejection } from '../admission/rejection';
import { takenPods } from '../admission/taken-pods';
import { pressureRejection } from '../eviction/pressure';
import { looksAfterPodsFrom } from '../node-life/runtime-state';
import { shutdownRejection } from '../node-life/shutdown-order';
import { internalIP, operatedNode } from '../node-registration/node-of-kubelet';
import type { KubeletDefaults } from '../behaviour';
import { withUsageOfObjects } from '../kwok/resource-usage';
import { lookAtStages, type StagedLook } from '../kwok/staged-pod';
import { findsOldSandbox, mirroredPod, takenAwayAt, type MirroredPod } from '../static-pods/reconcile-mirror';
import { fieldPathOf, isAccepted, statusOf } from './pod-types';
import { advance } from './runtime/advance';
import { allRuns, type PodRuntime } from './runtime/container-run';
import { findEnds } from './runtime/own-program';
import { wakeBy, type WrittenNote } from './runtime/passage';
import { programAnswersAt } from './runtime/probes/program-answers';
import { readRuntime } from './runtime/read-runtime';
import { podStatusOf, withoutAddress } from './status/pod-status';

/** What a look at a pod rests on besides the folded cluster. */
export interface PodContext {
  readonly now: number;
  readonly defaults: KubeletDefaults;
  /** Pods of this node that have just been taken, or given other resources, though the log does not show it yet. */
  readonly assumed: Iterable<ObjectKey>;
  /** A pod of this node is being ended to make room, though the log does not show it yet. */
  readonly makesRoom: boolean;
  /** Pulls that have just been put into the queue of this node, though the log does not show it yet. */
  readonly pulls: readonly QueuedPull[];
  readonly addressFor: (node: KubeObject, pod: KubeObject) => string;
}

export interface PodReconciliation extends Reconciliation {
  /** Present when this look decided whether the node takes the pod (assumed pods counted in). `accepted`: the pod counts on the node from now on. `makes room`: another one is ended for it first. */
  verdict?: 'accepted' | 'rejected' | 'makes room';
  /** This look has set aside other resources for the pod. */
  resized?: boolean;
  /** A container's program waits for something outside the pod. */
  waits?: boolean;
}

/** What the kubelet of the pod's node has to say and do about it now. */
export function reconcilePod(cluster: ClusterState, key: ObjectKey, context: PodContext): PodReconciliation | undefined {
  const pod = cluster.byKey('pods', key);
  if (!pod?.spec?.nodeName) return undefined;
  const node = operatedNode(cluster, pod.spec.nodeName as string);
  if (!node) return undefined;
  const staged = lookAtStages(cluster, pod, node, context);
  if (staged && (staged.isOwn || staged.steps.length > 0)) return withoutOwn(staged);
  const found = withoutStages(cluster, pod, node, context);
  if (staged?.wakeAt === undefined) return found;
  return { steps: [], ...found, wakeAt: Math.min(staged.wakeAt, found?.wakeAt ?? staged.wakeAt) };
}

function withoutOwn({ isOwn: _, ...look }: StagedLook): PodReconciliation {
  return look;
}

function withoutStages(cluster: ClusterState, pod: KubeObject, node: KubeObject, context: PodContext): PodReconciliation | undefined {
  const mirrored = isStaticPod(pod) ? mirroredPod(cluster, pod) : undefined;
  if (!mirrored && isTerminal(pod)) return finalDeletion(pod) ?? forgottenAddress(cluster, pod);
  const from = looksAfterPodsFrom(cluster, node);
  if (context.now < from) return from < Number.POSITIVE_INFINITY ? { steps: [], wakeAt: from } : undefined;
  if (mirrored) return reconcileMirror(cluster, pod, node, context, mirrored);
  if (isAccepted(pod)) return carryOn(cluster, pod, node, context);
  return admit(cluster, pod, node, context);
}

/** A pod that is over and was asked to go is removed for good (upstream status manager: grace 0, the same uid). */
function finalDeletion(pod: KubeObject): PodReconciliation | undefined {
  const { namespace, name, uid, deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  // Grace 0 has been asked for already; only finalizers hold the pod then.
  if (!deletionTimestamp || deletionGracePeriodSeconds === 0) return undefined;
  const target = { resource: 'pods', namespace, name };
  const options = { gracePeriodSeconds: 0, preconditions: { uid } };
  return { steps: [{ step: 'delete', request: { verb: 'delete', target, options } }] };
}

/** A kubelet that began after a pod was over finds no sandbox of it, and so no address. */
function forgottenAddress({ decisions }: ClusterState, pod: KubeObject): PodReconciliation | undefined {
  const { kubeletStartedAt } = decisions.nodes.of(pod.spec?.nodeName as string);
  if (kubeletStartedAt === undefined || statusOf(pod).podIP === undefined || pod.spec?.hostNetwork) return undefined;
  const endedAt = parseTime(conditionOf(pod, 'PodReadyToStartContainers')?.lastTransitionTime);
  if (endedAt === undefined || endedAt >= Math.floor(kubeletStartedAt / 1_000) * 1_000) return undefined;
  return { steps: statusStep(pod, withoutAddress(pod), []) };
}

function admit(cluster: ClusterState, pod: KubeObject, node: KubeObject, context: PodContext): PodReconciliation | undefined {
  const nodeName = node.metadata.name;
  // It is looked at again when a pod of the node is over.
  if (context.makesRoom || isMakingRoom(cluster, nodeName)) return undefined;
  const refused = pressureRejection(cluster, pod, nodeName);
  const asked = refused ? {} : admissionOf(pod, node, [...takenPods(cluster, pod, node, context.assumed)]);
  if (asked.victim) return { steps: [], records: preempted(asked.victim, pod, nodeName, context.now), verdict: 'makes room' };
  const rejection = refused ?? asked.rejection ?? shutdownRejection(cluster, node);
  if (rejection) {
    const steps = statusStep(pod, rejectedStatus(pod, rejection, context.now), [fact('PodRejectedByKubelet', { ...rejection })]);
    return { steps, verdict: 'rejected' };
  }
  if (pod.metadata.deletionTimestamp) return endUnstarted(pod, node, context);
  const runtime = readRuntime(pod, noMarks, context.defaults, context.now);
  const facts = [fact('PodAcceptedByKubelet', { node: node.metadata.name, hostIP: internalIP(node) ?? '' })];
  return { steps: statusStep(pod, statusOn(node, pod, runtime, context), facts), verdict: 'accepted' };
}

/** A rejected pod fails without having run; the kubelet says nothing about conditions and containers. */
function rejectedStatus(pod: KubeObject, rejection: Rejection, now: number): JsonObject {
  const { conditions, ...kept } = (pod.status ?? {}) as JsonObject & { conditions?: { type: string }[] };
  const others = conditions?.filter((condition) => condition.type !== 'PodScheduled') ?? [];
  return {
    ...kept,
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    phase: 'Failed',
    ...(others.length > 0 ? { conditions: others } : {}),
    message: statusMessage(rejection),
    reason: rejection.reason,
    startTime: formatTime(now),
  };
}

/** Asked to go before the kubelet had taken it: nothing of it ever runs. */
function endUnstarted(pod: KubeObject, node: KubeObject, context: PodContext): PodReconciliation {
  const runtime = readRuntime(pod, noMarks, context.defaults, context.now);
  runtime.finished = true;
  return { steps: statusStep(pod, statusOn(node, pod, runtime, context), [], true) };
}

function carryOn(cluster: ClusterState, pod: KubeObject, node: KubeObject, context: PodContext): PodReconciliation {
  const marks = cluster.decisions.podMarks.get(pod.metadata.uid) ?? noMarks;
  return lookAtRunning(cluster, pod, node, context, marks).found;
}

/**
 * A mirror shows how its pod is, and goes when that is over; that somebody wants it deleted does not touch the pod. A kubelet that began after the
 * manifest had gone knows the containers only.
 */
function reconcileMirror(
  cluster: ClusterState,
  mirror: KubeObject,
  node: KubeObject,
  context: PodContext,
  { pod, marks, standing, isNew, shownFrom = 0 }: MirroredPod,
): PodReconciliation | undefined {
  const { now } = context;
  if (mirror.metadata.deletionTimestamp && standing.endedAt === undefined) return takeAway(mirror);
  const { kubeletStartedAt = 0 } = cluster.decisions.nodes.of(node.metadata.name);
  if (!isNew && standing.endedAt !== undefined && standing.endedAt < kubeletStartedAt) {
    const at = kubeletStartedAt + (standing.isReplaced ? 0 : housekeepingMs);
    return now < at ? { steps: [], wakeAt: at } : { ...takeAway(mirror), records: killedBehind(mirror) };
  }
  if (now < shownFrom) return { steps: [], wakeAt: shownFrom };
  if (isNew) return standing.endedAt === undefined ? acceptMirror(cluster, mirror, node, context, pod) : takeAway(mirror);
  const { found, runtime } = lookAtRunning(cluster, pod, node, context, marks, mirror);
  if (!runtime.finished || standing.endedAt === undefined) return found;
  const at = takenAwayAt(standing, runtime);
  return now < at ? { steps: [], wakeAt: at } : takeAway(mirror);
}

/** A kubelet that began after a pod was taken away finds its containers so long after it began, ms (upstream `housekeepingPeriod`). */
export const housekeepingMs = 2_000;

/** What the kubelet tells of containers that run though their pod is gone. */
export function killedBehind(pod: KubeObject): Fact[] {
  return containersRunning(pod).map((container) =>
    reported(pod, { type: 'Normal', reason: 'Killing', message: `Stopping container ${container}`, container }),
  );
}

function takeAway({ metadata: { namespace, name, uid } }: KubeObject): PodReconciliation {
  const options = { gracePeriodSeconds: 0, preconditions: { uid } };
  return { steps: [{ step: 'delete', request: { verb: 'delete', target: { resource: 'pods', namespace, name }, options } }] };
}

/** Whether its node takes the pod was looked at before it had a mirror. */
function acceptMirror(
  cluster: ClusterState,
  mirror: KubeObject,
  node: KubeObject,
  context: PodContext,
  pod: KubeObject,
): PodReconciliation {
  const runtime = { ...readRuntime(pod, noMarks, context.defaults, context.now), sandbox: false };
  const facts = [fact('PodAcceptedByKubelet', { node: node.metadata.name, hostIP: internalIP(node) ?? '' })];
  const steps = statusStep(mirror, statusOn(node, pod, runtime, context), facts);
  if (!findsOldSandbox(cluster, mirror, context.now)) return { steps, verdict: 'accepted' };
  const message = 'Pod sandbox changed, it will be killed and re-created.';
  return { steps, verdict: 'accepted', records: [reported(mirror, { type: 'Normal', reason: 'SandboxChanged', message })] };
}

function lookAtRunning(
  cluster: ClusterState,
  pod: KubeObject,
  node: KubeObject,
  context: PodContext,
  marks: PodMarks,
  shownBy = pod,
): { found: PodReconciliation; runtime: PodRuntime } {
  const { now } = context;
  const { kubeletStartedAt, rebootedAt = 0 } = cluster.decisions.nodes.of(node.metadata.name);
  const runtime = readRuntime(pod, marks, context.defaults, now, kubeletStartedAt);
  for (const run of allRuns(runtime)) run.behaviour = withUsageOfObjects(cluster, pod, run);
  runtime.ground.programAnswers = programAnswersAt(cluster, pod, now);
  const killedAt = cluster.decisions.nodes.killedSandboxes.get(pod.metadata.uid) ?? 0;
  runtime.sandboxDiedAt = Math.max(killedAt, rebootedAt) || undefined;
  runtime.hasRebooted = rebootedAt > killedAt;
  const programs = findEnds(cluster, pod, allRuns(runtime), now);
  const assignAddress = (): string => context.addressFor(node, pod);
  const neighbours = (): Iterable<KubeObject> => takenPods(cluster, pod, node, context.assumed);
  const { defaults, pulls: assumedPulls } = context;
  const progress = advance(runtime, { cluster, node, pod, now, defaults, marks, neighbours, assumedPulls, assignAddress });
  wakeBy(progress, programs.looksAt, now);
  const steps = statusStep(shownBy, statusOn(node, pod, runtime, context), progress.facts, runtime.finished);
  const reports = progress.notes.map((note) => reported(pod, note));
  const records = [...(programs.settled ?? []), ...(progress.pulls ?? []), ...reports];
  const resized = progress.facts.some(({ type }) => type === 'PodResizeAllocated');
  const found = {
    steps,
    wakeAt: progress.wakeAt,
    ...(resized ? { resized } : {}),
    ...(records.length > 0 ? { records } : {}),
    ...(programs.waits || progress.waits ? { waits: true } : {}),
  };
  return { found, runtime };
}

/** What the kubelet tells of a pod, as a fact. */
export function reported(pod: KubeObject, { container, ...note }: WrittenNote): Fact {
  const { namespace = '', name, uid } = pod.metadata;
  const fieldPath = container === undefined ? {} : { fieldPath: fieldPathOf(pod, container) };
  return fact('Reported', { resource: 'pods', namespace, name, uid, ...note, component: 'kubelet', ...fieldPath });
}

function statusOn(node: KubeObject, pod: KubeObject, runtime: PodRuntime, context: PodContext): JsonObject {
  return podStatusOf(pod, runtime, { hostIP: internalIP(node) ?? '' }, context.now);
}

/** One append: what happened, and the status it led to. No step when the status is as it was. */
function statusStep(pod: KubeObject, status: JsonObject, facts: Fact[], finished = false): Step[] {
  if (jsonEqual(pod.status, status)) return [];
  const next = { ...pod, status };
  const told = [...facts];
  if (conditionOf(next, 'Ready')?.status === 'True' && conditionOf(pod, 'Ready')?.status !== 'True') told.push(fact('PodBecameReady', {}));
  const { phase } = statusOf(next);
  if (finished && phase) told.push(fact('PodTerminated', { phase }));
  const { namespace, name, uid, resourceVersion } = pod.metadata;
  const target = { resource: 'pods', namespace, name };
  return [{ step: 'status', request: { verb: 'record', target, uid, ifVersion: resourceVersion, facts: told, after: next } }];
}
