import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import { WorkQueue, isEmpty, ofNoObject, reviewTimeoutMs, type Decision, type Controller } from '#libs/control-loop';
import type { RecordedEvent } from '#libs/event-log';
import { fact, type Fact } from '#libs/events';
import { keyOf, parseTime, type JsonObject, type KubeObject } from '#libs/kernel';
import { answeredQuestion, timeout, type Status } from '#libs/kube-api';
import { budgets } from '../budget/budget';
import { statusOf } from '../budget/budget-status';
import { budgetsOfPod, evictionVerdict, type EvictionRequest, type Verdict } from './verdict';

const name = 'eviction';

export interface EvictionState {
  queue: WorkQueue;
  /** Reviews whose budget has been charged and whose answer is still to come. */
  charged: Set<string>;
  /** Budgets with a charge under way, and the reviews that wait for its outcome. */
  charging: Map<string, string[]>;
}

/** What the state is told of a look: the budget that is charged, or whose charge under way is waited for. */
interface ChargeLook {
  charges?: string;
  waitsFor?: string;
}

/**
 * Answers eviction reviews; the subject is the id of the request. An eviction that costs a budget takes two decisions: the first
 * writes the charge on the budget (against the version that was judged, so a budget is never overspent), the second, when the charge
 * is folded, grants. Whoever dies in between leaves a charge: in the same run its event names the review, after a restart it
 * is known by `disruptedPods` holding the pod since the request, so it is not made again. A charge that leads to nothing lapses
 * after two minutes, as upstream's does.
 */
export const evictionController: Controller<EvictionState> = {
  name,
  behaviour: '1',
  stream: 'eviction-reviews',
  config: {},
  follows: [budgets, ofNoObject],

  initial(cluster) {
    const state: EvictionState = { queue: new WorkQueue(), charged: new Set(), charging: new Map() };
    for (const [id, event] of cluster.decisions.pendingReviews) {
      if (event.type !== 'EvictionRequested') continue;
      state.queue.add(id);
      if (chargedBefore(cluster, event)) state.charged.add(id);
    }
    return state;
  },

  apply(state, append) {
    for (const event of append.events) {
      if (event.type === 'EvictionRequested') state.queue.add(event.id);
      else if (event.type === 'EvictionGranted' || event.type === 'EvictionRefused') state.charged.delete(event.data.review as string);
    }
    const review = chargeOf(append);
    if (review) state.charged.add(review);
  },

  next: ({ queue }, _cluster, now) => queue.next(now),

  decide({ charged, charging }, cluster, subject, { now }) {
    const event = cluster.decisions.pendingReviews.get(subject);
    if (!event) return undefined;
    const verdict = judge(cluster, event, charged.has(subject), now);
    if (verdict.kind !== 'charge') return decisionOf(event, verdict);
    const charges = keyOf(verdict.budget);
    // What another review's charge leaves of the budget is seen when that is over.
    if (charging.has(charges)) return { subject, steps: [], result: { waitsFor: charges } satisfies ChargeLook };
    return { ...decisionOf(event, verdict), result: { charges } satisfies ChargeLook };
  },

  decided({ queue, charging }, _cluster, subject, decision, { now }) {
    const { charges, waitsFor } = (decision?.result ?? {}) as ChargeLook;
    if (charges !== undefined) charging.set(charges, []);
    if (waitsFor !== undefined) charging.get(waitsFor)?.push(subject);
    queue.looked(subject, now, { isUnderWay: decision !== undefined && !isEmpty(decision) });
  },

  settled(state, decision, _ordinal, outcomes, now) {
    const { subject, steps } = decision;
    const failed = outcomes.some((outcome) => outcome.kind === 'refused');
    state.queue.end(subject, failed, now);
    const target = steps[0]?.request.verb === 'record' ? steps[0].request.target : undefined;
    if (!target) return;
    if (!failed) state.queue.add(subject);
    const key = `${target.namespace}/${target.name}`;
    for (const waiting of state.charging.get(key) ?? []) state.queue.add(waiting);
    state.charging.delete(key);
  },

  nextWake: (state) => state.queue.nextWake(),
};

/** The verdict, unless the asker has stopped waiting: then nothing is charged for it any more. */
function judge(cluster: ClusterState, event: RecordedEvent, charged: boolean, now: number): Verdict {
  const request = event.data as unknown as EvictionRequest;
  if (now <= (event.metadata.time as number) + (request.waitMs ?? reviewTimeoutMs)) return evictionVerdict(cluster, request, charged, now);
  return { kind: 'refuse', status: chargeTimeout(cluster, request) };
}

function chargeTimeout(cluster: ClusterState, request: EvictionRequest): Status {
  const pod = cluster.get('pods', request.namespace, request.pod);
  const budget = pod && budgetsOfPod(cluster, pod)[0];
  return timeout(`couldn't update PodDisruptionBudget "${budget?.metadata.name ?? ''}" due to conflicts`, 10);
}

function decisionOf(event: RecordedEvent, verdict: Verdict): Decision {
  const cause = { correlationId: (event.metadata.$correlationId as string | undefined) ?? event.id, causationId: event.id };
  if (verdict.kind !== 'charge') return { subject: event.id, records: [answerOf(event, verdict)], steps: [], cause };
  const { budget, status } = verdict;
  const { namespace, name: budgetName, uid, resourceVersion } = budget.metadata;
  return {
    subject: event.id,
    steps: [
      {
        step: 'charge',
        request: {
          verb: 'record',
          target: { resource: budgets, namespace, name: budgetName },
          uid,
          ifVersion: resourceVersion,
          facts: [],
          after: { ...budget, status } as KubeObject,
        },
      },
    ],
    cause,
  };
}

function answerOf(event: RecordedEvent, verdict: Exclude<Verdict, { kind: 'charge' }>): Fact {
  const { namespace, pod } = event.data as unknown as EvictionRequest;
  const review = event.id;
  const question = answeredQuestion(event.data);
  if (verdict.kind === 'refuse')
    return fact('EvictionRefused', { review, ...question, namespace, pod, status: verdict.status as unknown as JsonObject });
  const { budget, resourceVersion } = verdict;
  return fact('EvictionGranted', {
    review,
    ...question,
    namespace,
    pod,
    uid: verdict.pod.metadata.uid,
    ...(budget === undefined ? {} : { budget }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  });
}

/** The review that an append on a budget is the charge of. */
function chargeOf(append: FoldedAppend): string | undefined {
  const first = append.events[0];
  if (append.change?.resource !== budgets || first?.metadata.actor !== name) return undefined;
  return (first.metadata.basis as { subject?: string } | undefined)?.subject;
}

/** Whether a charge for this request was made by an earlier run: the budget holds the pod since the request. Whole seconds, as budgets count. */
function chargedBefore(cluster: ClusterState, event: RecordedEvent): boolean {
  const request = event.data as unknown as EvictionRequest;
  const pod = cluster.get('pods', request.namespace, request.pod);
  const [budget, ...others] = pod ? budgetsOfPod(cluster, pod) : [];
  if (!budget || others.length > 0 || request.dryRun) return false;
  const disrupted = statusOf(budget).disruptedPods ?? {};
  const since = Object.hasOwn(disrupted, request.pod) ? parseTime(disrupted[request.pod]) : undefined;
  return since !== undefined && since >= Math.floor((event.metadata.time as number) / 1000) * 1000;
}
