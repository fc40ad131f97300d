import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import { WorkQueue, causeOf, type Controller, type DecisionContext, type Reconciliation } from '#libs/control-loop';
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

  decide({ queue, members }, cluster, context) {
    for (let subject = queue.take(context.now); subject !== undefined; subject = queue.take(context.now)) {
      const found = reconcile(cluster, members, subject, context);
      const cause = queue.takeCause(subject);
      if (found?.wakeAt !== undefined) queue.wakeAt(subject, Math.max(found.wakeAt, context.now + 1));
      if (!found || found.steps.length === 0) continue;
      queue.begin(subject);
      const { wakeAt: _, ...decision } = found;
      return { cause, ...decision, subject };
    }
    return undefined;
  },

  settled({ queue }, decision, _ordinal, outcomes, now) {
    const failed = outcomes.some((outcome) => outcome.kind === 'refused');
    queue.end(decision.subject, failed, now);
  },

  nextWake: ({ queue }) => queue.nextWake(),

  rederive({ members }, cluster, basis, context) {
    const found = reconcile(cluster, members, basis.subject, context);
    return found && { ...found, subject: basis.subject };
  },
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
