import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import { WorkQueue, causeOf, lookDecision, noteLook, type DecisionContext, type Controller, type Reconciliation } from '#libs/control-loop';
import { budgets } from '../budget/budget';
import { BudgetMembers } from './budget-members';
import { reportOverlap, syncBudget } from './budget-sync';
import { isMarkedForDisruption, syncStaleTarget } from './stale-target';

export interface DisruptionState {
  queue: WorkQueue;
  members: BudgetMembers;
}

/** Subjects: `budget NAMESPACE/NAME`; for marks that may be stale, `pod NAMESPACE/NAME`; for pods of several budgets, `overlap NAMESPACE/NAME`. */
const budgetSubject = (key: string): string => `budget ${key}`;
const podSubject = (key: string): string => `pod ${key}`;
const overlapSubject = (key: string): string => `overlap ${key}`;

/** Keeps the status of budgets, and takes back disruption marks that led to nothing (upstream disruption controller). */
export const disruptionController: Controller<DisruptionState> = {
  name: 'disruption',
  behaviour: '2',
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
    const counting = members.follow(change, cluster);
    for (const key of counting) queue.add(budgetSubject(key), causeOf(append));
    const isShared = change.resource === 'pods' && change.type !== 'DELETED' && counting.length > 1;
    if (isShared) queue.add(overlapSubject(change.key), causeOf(append));
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
  const about = subject.slice(0, space);
  if (about !== 'budget') {
    const pod = cluster.byKey('pods', key);
    if (!pod) return undefined;
    return about === 'pod' ? syncStaleTarget(pod, context.now) : reportOverlap(pod, members.budgetsOf(pod));
  }
  const budget = cluster.byKey(budgets, key);
  return budget && syncBudget(cluster, budget, members.podsOf(cluster, budget), context.now);
}
