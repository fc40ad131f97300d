import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import { WorkQueue, type Controller, type Decision, type DecisionContext, type StepOutcome } from '#libs/control-loop';
import { leaseNamespace, leaseResource } from './lease';
import { NodeNumbers, nodeNumberOf } from './node-addresses';
import { internalIP } from './node-of-kubelet';
import { reconcileNode } from './reconcile-node';

export interface RegistrationState {
  readonly queue: WorkQueue;
  readonly numbers: NodeNumbers;
}

/** Keeps simulated nodes registered: status, labels and Lease as a kubelet has them. Subjects are node names. */
export function registrationController(): Controller<RegistrationState> {
  return {
    name: 'kubelet-registration',
    behaviour: '1',
    stream: 'kubelet-decisions',
    config: {},
    initial: initialState,
    apply,
    decide,
    settled: (state, decision, _ordinal, outcomes: readonly StepOutcome[], now) =>
      state.queue.end(
        decision.subject,
        outcomes.some((outcome) => outcome.kind === 'refused'),
        now,
      ),
    nextWake: (state) => state.queue.nextWake(),
    rederive: (_state, cluster, basis, { now }) => {
      const found = reconcileNode(cluster, basis.subject, { now, numberFor: () => basis.inputs?.number as number });
      return found && { ...found, subject: basis.subject };
    },
  };
}

function initialState(cluster: ClusterState): RegistrationState {
  const state = { queue: new WorkQueue(), numbers: new NodeNumbers() };
  for (const node of cluster.table('nodes').objects.values()) {
    noteNumber(state, internalIP(node));
    state.queue.add(node.metadata.name);
  }
  return state;
}

function noteNumber(state: RegistrationState, address: string | undefined): void {
  const number = nodeNumberOf(address);
  if (number !== undefined) state.numbers.note(number);
}

function apply(state: RegistrationState, append: FoldedAppend, cluster: ClusterState): void {
  const { change } = append;
  if (!change) {
    for (const event of append.events) if (event.type === 'NodeHeartbeatResumed') state.queue.add(event.data.node as string);
  } else if (change.resource === 'nodes') {
    noteNumber(state, internalIP(change.object));
    if (change.type === 'DELETED') state.numbers.forget(change.object.metadata.uid);
    else state.queue.add(change.name);
  } else if (change.resource === leaseResource && change.namespace === leaseNamespace && change.type === 'DELETED') {
    state.queue.add(change.name);
  } else if (change.resource === 'namespaces' && change.name === leaseNamespace && change.type === 'ADDED') {
    for (const node of cluster.table('nodes').objects.values()) state.queue.add(node.metadata.name);
  }
}

function decide(state: RegistrationState, cluster: ClusterState, context: DecisionContext): Decision | undefined {
  const { queue, numbers } = state;
  for (let name = queue.take(context.now); name !== undefined; name = queue.take(context.now)) {
    const found = reconcileNode(cluster, name, { now: context.now, numberFor: (node) => numbers.assign(node.metadata.uid) });
    if (!found) continue;
    queue.begin(name);
    return { ...found, subject: name };
  }
  return undefined;
}
