import { conditionOf, nodeRecordTypes, type ClusterState, type FoldedAppend } from '#libs/cluster-state';
import { isEmpty, ofNoObject, WorkQueue, type Decision, type DecisionContext, type Controller, type StepOutcome } from '#libs/control-loop';
import { parseTime, type KubeObject } from '#libs/kernel';
import { leaseNamespace, leaseResource } from './lease';
import { NodeNumbers, nodeNumberOf } from './node-addresses';
import { internalIP, isRegistered } from './node-of-kubelet';
import { reconcileNode } from './reconcile-node';

export interface RegistrationState {
  readonly queue: WorkQueue;
  readonly numbers: NodeNumbers;
  /** When the kubelet of each node began that has said so, ms. */
  readonly toldStarts: Map<string, number>;
}

/** Keeps simulated nodes registered: status, labels and Lease as a kubelet has them. Subjects are node names. */
export function registrationController(): Controller<RegistrationState> {
  return {
    name: 'kubelet-registration',
    behaviour: '3',
    stream: 'kubelet-decisions',
    config: {},
    follows: ['nodes', leaseResource, 'namespaces', ofNoObject],
    initial: initialState,
    apply,
    next: ({ queue }, _cluster, now) => queue.next(now),
    decide,
    decided,
    settled: (state, decision, _ordinal, outcomes: readonly StepOutcome[], now) =>
      state.queue.end(
        decision.subject,
        outcomes.some((outcome) => outcome.kind === 'refused'),
        now,
      ),
    nextWake: (state) => state.queue.nextWake(),
  };
}

function initialState(cluster: ClusterState): RegistrationState {
  const state = { queue: new WorkQueue(), numbers: new NodeNumbers(), toldStarts: new Map<string, number>() };
  for (const node of cluster.table('nodes').objects.values()) {
    const { name } = node.metadata;
    noteNumber(state, internalIP(node));
    state.queue.add(name);
    const { kubeletStartedAt } = cluster.decisions.nodes.of(name);
    if (isRegistered(node) && hasPostedSince(node, kubeletStartedAt ?? 0)) state.toldStarts.set(name, kubeletStartedAt ?? 0);
  }
  return state;
}

/** What it posted says so, to the second. */
function hasPostedSince(node: KubeObject, start: number): boolean {
  const posted = parseTime(conditionOf(node, 'Ready')?.lastHeartbeatTime as string | undefined) ?? 0;
  return posted >= Math.floor(start / 1_000) * 1_000;
}

function noteNumber(state: RegistrationState, address: string | undefined): void {
  const number = nodeNumberOf(address);
  if (number !== undefined) state.numbers.note(number);
}

function apply(state: RegistrationState, append: FoldedAppend, cluster: ClusterState): void {
  const { change } = append;
  if (!change) {
    for (const event of append.events) {
      if (nodeRecordTypes.has(event.type) || event.type === 'NodePressureObserved') state.queue.add(event.data.node as string);
      else if (event.type === 'HeartbeatsWanted') addAllNodes(state, cluster);
    }
  } else if (change.resource === 'nodes') {
    noteNumber(state, internalIP(change.object));
    if (change.type === 'DELETED') {
      state.numbers.forget(change.object.metadata.uid);
      state.toldStarts.delete(change.name);
    } else state.queue.add(change.name);
  } else if (change.resource === leaseResource && change.namespace === leaseNamespace && change.type === 'DELETED') {
    state.queue.add(change.name);
  } else if (change.resource === 'namespaces' && change.name === leaseNamespace && change.type === 'ADDED') {
    addAllNodes(state, cluster);
  }
}

function addAllNodes({ queue }: RegistrationState, cluster: ClusterState): void {
  for (const node of cluster.table('nodes').objects.values()) queue.add(node.metadata.name);
}

/** What the state is told of a decision: the node that is given a number, and when its Lease is to be renewed. */
interface Registered {
  numbered?: string;
  wakeAt?: number;
  tellsStart?: number;
}

function decide(
  { numbers, toldStarts }: RegistrationState,
  cluster: ClusterState,
  subject: string,
  { now }: DecisionContext,
): (Decision & { result: Registered }) | undefined {
  let numbered: string | undefined;
  const numberFor = ({ metadata }: KubeObject): number => {
    numbered = metadata.uid;
    return numbers.choose(metadata.uid);
  };
  const found = reconcileNode(cluster, subject, { now, numberFor, toldStart: toldStarts.get(subject) });
  if (!found) return undefined;
  const { wakeAt, tellsStart, ...decision } = found;
  return { ...decision, subject, result: { numbered, wakeAt, tellsStart } };
}

function decided(
  { queue, numbers, toldStarts }: RegistrationState,
  _cluster: ClusterState,
  subject: string,
  decision: Decision | undefined,
  { now }: DecisionContext,
): void {
  const { numbered, wakeAt, tellsStart } = (decision?.result ?? {}) as Registered;
  if (tellsStart !== undefined) toldStarts.set(subject, tellsStart);
  if (numbered !== undefined) numbers.assign(numbered);
  queue.looked(subject, now, { wakeAt, isUnderWay: decision !== undefined && !isEmpty(decision) });
}
