import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import { WorkQueue, causeOf, lookDecision, noteLook, type DecisionContext, type Controller, type Reconciliation } from '#libs/control-loop';
import { budgets } from '../budget/budget';
import { BudgetMembers } from './budget-members';
import { syncBudget } from './budget-sync';
import { isMarkedForDisruption, syncStaleTarget } from './stale-target';

export interface DisruptionState {
  queue: WorkQueue;
  members: BudgetMembers;
}

/** Subjects: `budget NAMESPACE/NAME` and, for marks that may be stale, `pod NAMESPACE/NAME`. */
const budgetSubject = (key: string): string => `budget ${key}`;
const podSubject = (key: string): string => `pod ${key}`;

/** Keeps the status of budgets, and takes back disruption marks that led to nothing (upstream disruption controller). */
export const disruptionController: Controller<DisruptionState> = {
  name: 'disruption',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  follows: [budgets, 'pods'],

  initial(cluster) {
    const queue = new WorkQueue();
    for (const key of cluster.table(budgets).keys()) queue.add(budgetSubject(key));
    for (const [key, pod] of cluster.table('pods').objects) if (isMarkedForDisruption(pod)) queue.add(podSubject(key));
    return { queue, members: new BudgetMembers(cluster) };
  },

  apply({ queue, members }, append: FoldedAppend, cluster) {
    const { change } = append;
    if (!change) return;
    for (const key of members.follow(change, cluster)) queue.add(budgetSubject(key), causeOf(append));
    const marked = change.resource === 'pods' && change.type !== 'DELETED' && isMarkedForDisruption(change.object);
    if (marked) queue.add(podSubject(change.key), causeOf(append));
  },

  next: ({ queue }, _cluster, now) => queue.next(now),
  decide: ({ queue, members }, cluster, subject, context) => lookDecision(queue, subject, reconcile(cluster, members, subject, context)),
  decided: ({ queue }, _cluster, subject, decision, { now }) => noteLook(queue, subject, decision, now),

  settled({ queue }, decision, _ordinal, outcomes, now) {
    const failed = outcomes.some((outcome) => outcome.kind === 'refused');
    queue.end(decision.subject, failed, now);
  },

  nextWake: ({ queue }) => queue.nextWake(),
};

function reconcile(cluster: ClusterState, members: BudgetMembers, subject: string, context: DecisionContext): Reconciliation | undefined {
  const space = subject.indexOf(' ');
  const key = subject.slice(space + 1);
  if (subject.slice(0, space) === 'pod') {
    const pod = cluster.byKey('pods', key);
    return pod && syncStaleTarget(pod, context.now);
  }
  const budget = cluster.byKey(budgets, key);
  return budget && syncBudget(cluster, budget, members.podsOf(cluster, budget), context.now);
}
