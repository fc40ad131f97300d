import {
  containersRunning,
  isReady,
  isStaticPod,
  isTerminal,
  nodeRecordTypes,
  type ClusterState,
  type FoldedAppend,
  type ObjectChange,
  type QueuedPull,
} from '#libs/cluster-state';
import { WorkQueue, isEmpty, ofNoObject, type Decision, type DecisionContext, type Controller, type StepOutcome } from '#libs/control-loop';
import { objectKey, type KubeObject, type ObjectKey } from '#libs/kernel';
import { usageOfMany, usageOfOne } from '../kwok/resource-usage';
import { stageResource } from '../kwok/staged-pod';
import { isRegistered, operatedNode } from '../node-registration/node-of-kubelet';
import { PodAddresses } from './addresses';
import type { KubeletDefaults } from '../behaviour';
import { isAccepted, statusOf } from './pod-types';
import { housekeepingMs, killedBehind, reconcilePod, type PodReconciliation } from './reconcile-pod';
import { pullsOf } from './runtime/before-start/pull-queue';
import { awaitsResources, inTurn, mayFree } from './runtime/resize';

/** What is remembered of a pod between two looks. */
interface PodMemory {
  /** The kubelet has begun to stop its containers. */
  isStopping: boolean;
  /** The event that led to the pod's present state: what the next decision follows from. */
  cause?: { correlationId: string; causationId: string };
}

export interface KubeletState {
  readonly queue: WorkQueue;
  readonly pods: Map<ObjectKey, PodMemory>;
  readonly addresses: PodAddresses;
  /** By node: pods being taken, or given other resources, in the order of the decisions. */
  readonly accepting: Map<string, Set<ObjectKey>>;
  /** By node: for whom a pod is being ended, until the log shows it. */
  readonly makingRoom: Map<string, string>;
  /** By pod: the pulls that it has put into the queue of its node, until the log shows it. */
  readonly pulling: Map<ObjectKey, ReturnType<typeof pullsOf>>;
  /** Pods whose resize waits for what others on their node have. */
  readonly deferred: Set<ObjectKey>;
  /** Pods taken away while their containers ran, by a key of their own. */
  readonly orphans: Map<string, KubeObject>;
  /** Pods with a program that waits for something outside its pod. */
  readonly waiting: Set<ObjectKey>;
}

export const kubeletName = 'kubelet';

/** The kubelets of all simulated nodes: pods from bound to gone. Subjects are pods. */
export function podController(defaults: KubeletDefaults): Controller<KubeletState> {
  return {
    name: kubeletName,
    behaviour: '4',
    stream: 'kubelet-decisions',
    config: { ...defaults },
    follows: ['pods', 'nodes', stageResource, usageOfOne, usageOfMany, ...waitedFor, ofNoObject],
    initial: initialState,
    apply,
    next: ({ queue }, _cluster, now) => queue.next(now),
    decide: (state, cluster, subject, context) => decide(state, cluster, subject, context, defaults),
    decided,
    settled,
    nextWake: (state) => state.queue.nextWake(),
  };
}

function initialState(cluster: ClusterState): KubeletState {
  const state: KubeletState = {
    queue: new WorkQueue(),
    pods: new Map(),
    addresses: new PodAddresses(),
    accepting: new Map(),
    makingRoom: new Map(),
    pulling: new Map(),
    deferred: new Set(),
    waiting: new Set(),
    orphans: new Map(),
  };
  for (const [key, pod] of cluster.table('pods').objects) {
    const nodeName = pod.spec?.nodeName as string | undefined;
    if (!nodeName) continue;
    state.queue.add(key);
    if (awaitsResources(pod)) state.deferred.add(key);
    const node = cluster.get('nodes', undefined, nodeName);
    if (node && holdsAddress(pod)) state.addresses.note(node, pod.metadata.uid, statusOf(pod).podIP as string);
  }
  lookAtOrphans(state, cluster);
  return state;
}

function holdsAddress(pod: KubeObject): boolean {
  return Boolean(statusOf(pod).podIP) && !pod.spec?.hostNetwork && !isTerminal(pod);
}

function apply(state: KubeletState, append: FoldedAppend, cluster: ClusterState): void {
  const { change } = append;
  if (change && state.waiting.size > 0 && isWaitedFor(change)) for (const key of state.waiting) state.queue.add(key);
  if (change?.resource === 'pods') applyPod(state, append, change, cluster);
  else if (change?.resource === 'nodes') applyNode(state, change, cluster);
  else if (change?.resource === stageResource || change?.resource === usageOfMany) lookAtBoundPods(state, cluster);
  else if (change?.resource === usageOfOne) state.queue.add(change.key);
  else if (!change) {
    for (const event of append.events) {
      if (nodeRecordTypes.has(event.type)) {
        lookAtPodsOn(state, cluster, event.data.node as string);
        lookAtOrphans(state, cluster);
      } else if (event.type === 'StaticPodFileChanged') lookAtEnded(state, cluster, event.data.node as string);
      else if (looksAtPod.has(event.type)) lookAtPod(state, cluster, event, event.data as { namespace: string; pod: string; uid: string });
    }
  }
}

/** Other Stages, or other use of memory: every pod may be meant. */
function lookAtBoundPods(state: KubeletState, cluster: ClusterState): void {
  for (const [key, pod] of cluster.table('pods').objects) if (pod.spec?.nodeName) state.queue.add(key);
}

const waitedFor: ReadonlySet<string> = new Set(['services', 'configmaps', 'secrets', 'endpoints', 'endpointslices.discovery.k8s.io']);

/** Programs wait for answers of Services, and for files: of other pods it counts whether they are ready. */
function isWaitedFor({ resource, before, object, type }: ObjectChange): boolean {
  if (resource !== 'pods') return waitedFor.has(resource);
  return type === 'DELETED' || (before && isReady(before)) !== isReady(object);
}

/** Manifests of static pods are gone. */
function lookAtEnded(state: KubeletState, cluster: ClusterState, node: string): void {
  for (const key of cluster.decisions.staticPods.of(node)?.ended.keys() ?? []) state.queue.add(key);
}

/** Events that are about one pod: who typed to a program has ended it; it is evicted, or makes room. */
const looksAtPod: ReadonlySet<string> = new Set(['ProgramSettled', 'PodEvictedByKubelet', 'PodPreemptedByKubelet']);

function lookAtPod(
  state: KubeletState,
  cluster: ClusterState,
  event: FoldedAppend['events'][number],
  { namespace, pod, uid }: { namespace: string; pod: string; uid: string },
): void {
  const key = objectKey(namespace, pod);
  if (cluster.byKey('pods', key)?.metadata.uid !== uid) return;
  // The kubelet's order is what the pod's end follows from.
  if (event.type !== 'ProgramSettled')
    state.pods.set(key, { isStopping: true, cause: { correlationId: event.metadata.$correlationId as string, causationId: event.id } });
  state.queue.add(key);
}

function applyPod(state: KubeletState, append: FoldedAppend, change: ObjectChange, cluster: ClusterState): void {
  const { key, object, before } = change;
  const nodeName = object.spec?.nodeName as string | undefined;
  if (!nodeName) return;
  const { uid } = object.metadata;
  const gone = change.type === 'DELETED';
  if (before && holdsAddress(before) && !holdsAddress(object)) state.addresses.release(nodeName, before.metadata.uid);
  if (gone || isTerminal(object)) {
    state.addresses.release(nodeName, uid);
    lookAtUntaken(state, cluster, nodeName);
  }
  if (before && before.metadata.uid !== uid) state.addresses.release(nodeName, before.metadata.uid);
  if (!gone && awaitsResources(object)) state.deferred.add(key);
  else if (state.deferred.size > 0) {
    state.deferred.delete(key);
    if (mayFree(change)) for (const waiting of inTurn(state.deferred, nodeName, cluster)) state.queue.add(waiting);
  }
  if (gone) {
    // Behind a mirror the pod goes on.
    if (before && !isStaticPod(before) && runsOn(before, state.pods.get(key))) {
      state.orphans.set(orphanKey(object), before);
      state.queue.add(orphanKey(object));
    }
    state.pods.delete(key);
    state.waiting.delete(key);
    return;
  }
  const last = append.events[append.events.length - 1];
  const isSame = before?.metadata.uid === uid;
  state.pods.set(key, {
    isStopping: (isSame && state.pods.get(key)?.isStopping) || append.events.some(({ type }) => type === 'ContainersStopping'),
    cause: { correlationId: last?.metadata.$correlationId as string, causationId: last?.id as string },
  });
  state.queue.add(key);
}

/** Pods that are to be taken: one that made room for them may be over. */
function lookAtUntaken(state: KubeletState, cluster: ClusterState, node: string): void {
  for (const [key, pod] of cluster.indices.podsOnNode(node)) if (!isAccepted(pod) && !isTerminal(pod)) state.queue.add(key);
}

/** A pod that is taken away while its containers run, before the kubelet has begun to stop them: it does so all the same. */
function runsOn(pod: KubeObject, memory: PodMemory | undefined): boolean {
  return isAccepted(pod) && !memory?.isStopping && containersRunning(pod).length > 0;
}

function orphanKey({ metadata }: KubeObject): string {
  return `${objectKey(metadata.namespace, metadata.name)} (${metadata.uid})`;
}

/** Pods wait for their node's kubelet; what else changes about a node does not touch pods that were taken. */
function applyNode(state: KubeletState, change: ObjectChange, cluster: ClusterState): void {
  if (change.type === 'DELETED') state.addresses.forget(change.name);
  else if (isRegistered(change.object) && !(change.before && isRegistered(change.before))) lookAtPodsOn(state, cluster, change.name);
}

function lookAtPodsOn(state: KubeletState, cluster: ClusterState, node: string): void {
  for (const key of cluster.indices.podsOnNode(node).keys()) state.queue.add(key);
}

/** What was taken away while a kubelet was not heard. */
function lookAtOrphans(state: KubeletState, cluster: ClusterState): void {
  for (const pod of cluster.decisions.nodes.orphans.values()) {
    state.orphans.set(orphanKey(pod), pod);
    state.queue.add(orphanKey(pod));
  }
}

/** What the state is told of a look. */
interface PodLook {
  wakeAt?: number;
  /** The node that took the pod, or gave it other resources. */
  acceptedBy?: string;
  /** The node on which another pod is to make room for it. */
  makesRoomOn?: string;
  /** The node on which the pod was given an address. */
  addressOn?: KubeObject;
  /** One of its programs waits for something outside the pod. */
  waits?: boolean;
}

function decide(
  state: KubeletState,
  cluster: ClusterState,
  subject: string,
  { now }: DecisionContext,
  defaults: KubeletDefaults,
): Decision | undefined {
  const orphan = state.orphans.get(subject);
  if (orphan) return stopOrphan(cluster, orphan, subject, now);
  const node = cluster.byKey('pods', subject)?.spec?.nodeName as string | undefined;
  const accepting = node === undefined ? undefined : state.accepting.get(node);
  const memory = state.pods.get(subject);
  let addressOn: KubeObject | undefined;
  const found = reconcilePod(cluster, subject, {
    now,
    defaults,
    assumed: accepting?.keys() ?? [],
    makesRoom: node !== undefined && state.makingRoom.has(node),
    pulls: node === undefined ? [] : pullsOn(state, node),
    addressFor: (on, pod) => {
      addressOn = on;
      return state.addresses.choose(on, pod.metadata.uid);
    },
  });
  if (!found) return undefined;
  const acceptedBy = found.verdict === 'accepted' || found.resized ? node : undefined;
  const makesRoomOn = found.verdict === 'makes room' ? node : undefined;
  const result: PodLook = { wakeAt: found.wakeAt, acceptedBy, makesRoomOn, addressOn, waits: found.waits };
  return { ...decisionOf(found, subject, memory), result };
}

function decided(
  state: KubeletState,
  cluster: ClusterState,
  subject: string,
  decision: Decision | undefined,
  { now }: DecisionContext,
): void {
  const { wakeAt, acceptedBy, makesRoomOn, addressOn, waits } = (decision?.result ?? {}) as PodLook;
  if (wakeAt === undefined) state.orphans.delete(subject);
  if (waits) state.waiting.add(subject);
  else state.waiting.delete(subject);
  const isUnderWay = decision !== undefined && !isEmpty(decision);
  state.queue.looked(subject, now, { wakeAt, isUnderWay });
  const pod = cluster.byKey('pods', subject);
  if (!isUnderWay || !pod) return;
  const pulls = pullsOf(decision.records);
  if (pulls.length > 0) state.pulling.set(subject, pulls);
  if (addressOn) state.addresses.assign(addressOn, pod.metadata.uid);
  if (acceptedBy !== undefined) takeNote(state, acceptedBy, subject);
  if (makesRoomOn !== undefined) state.makingRoom.set(makesRoomOn, subject);
}

function pullsOn({ pulling }: KubeletState, node: string): QueuedPull[] {
  if (pulling.size === 0) return [];
  return [...pulling.values()].flatMap((pulls) => pulls.filter((each) => each.node === node).map(({ pull }) => pull));
}

function stopOrphan(cluster: ClusterState, pod: KubeObject, subject: string, now: number): Decision | undefined {
  const node = pod.spec?.nodeName as string;
  if (!operatedNode(cluster, node)) return undefined;
  const { orphans } = cluster.decisions.nodes;
  const { kubeletStartedAt = 0, lastSilence } = cluster.decisions.nodes.of(node);
  const isFound = orphans.has(pod.metadata.uid) && kubeletStartedAt > (lastSilence?.to ?? 0);
  const wakeAt = isFound ? kubeletStartedAt + housekeepingMs : 0;
  if (now < wakeAt) return { subject, steps: [], result: { wakeAt } };
  return { subject, steps: [], records: killedBehind(pod) };
}

function decisionOf(found: PodReconciliation, subject: string, memory: PodMemory | undefined): Decision {
  const { wakeAt: _wake, verdict: _verdict, resized: _resized, waits: _waits, ...decision } = found;
  return { ...decision, subject, ...(memory?.cause ? { cause: memory.cause } : {}) };
}

function takeNote(state: KubeletState, node: string, key: ObjectKey): void {
  let accepting = state.accepting.get(node);
  if (!accepting) state.accepting.set(node, (accepting = new Set()));
  accepting.add(key);
}

function settled(state: KubeletState, decision: Decision, _ordinal: number, outcomes: readonly StepOutcome[], now: number): void {
  for (const [node, accepting] of nodesAccepting(state, decision)) {
    accepting.delete(decision.subject);
    if (accepting.size === 0) state.accepting.delete(node);
  }
  for (const [node, subject] of state.makingRoom) if (subject === decision.subject) state.makingRoom.delete(node);
  state.pulling.delete(decision.subject);
  state.queue.end(
    decision.subject,
    outcomes.some((outcome) => outcome.kind === 'refused'),
    now,
  );
}

const takingTypes: ReadonlySet<string> = new Set(['PodAcceptedByKubelet', 'PodResizeAllocated']);

function* nodesAccepting(state: KubeletState, decision: Decision): Iterable<[string, Set<ObjectKey>]> {
  for (const step of decision.steps) {
    if (step.request.verb !== 'record') continue;
    for (const { type, data } of step.request.facts) {
      const accepting = takingTypes.has(type) ? state.accepting.get(data.node as string) : undefined;
      if (accepting) yield [data.node as string, accepting];
    }
  }
}
