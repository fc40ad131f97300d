import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import { ofNoObject, reviewTimeoutMs, type Reconciler, type Reconciliation, type Step } from '#libs/control-loop';
import type { RecordedEvent } from '#libs/event-log';
import { fact, type EventData, type Fact } from '#libs/events';
import type { JsonObject, KubeObject } from '#libs/kernel';
import {
  addTo,
  checkQuotas,
  forbiddenRequest,
  internalError,
  plainError,
  quotaRequestOf,
  readList,
  writeList,
  type QuotaVerdict,
  type ResourceList,
  type RunningQuota,
  type Status,
} from '#libs/kube-api';

const name = 'resource-quota-admission';
const quotas = 'resourcequotas';

type Question = EventData<'QuotaRequested'>;

/** A quota in the course of one look. */
interface Running extends RunningQuota {
  used: ResourceList;
  charges: EventData<'QuotaCharged'>['charges'];
}

/**
 * Answers the questions that writes put to the quotas of a namespace, all that wait at once; subjects are namespaces. What fits is charged
 * first, in one write on each quota and against the version that was judged: so two clients cannot both be given the last of it. When the
 * charge is folded the next look grants what it finds charged. A charge that was refused, since the quota was written to in between, is judged
 * again.
 */
export const quotaAdmission: Reconciler = {
  name,
  behaviour: '1',
  stream: 'admission-reviews',
  config: {},
  follows: [quotas, ofNoObject],
  backOff: { firstMs: 1, maxMs: 100 },

  *follow(_index, append: FoldedAppend): Iterable<string> {
    for (const { type, data } of append.events) if (type === 'QuotaRequested') yield data.namespace as string;
    if (append.change?.resource === quotas && append.events.some(({ type }) => type === 'QuotaCharged')) yield append.change.namespace;
  },

  *allSubjects(_index, cluster): Iterable<string> {
    const namespaces = [...cluster.decisions.pendingReviews.values()].filter(({ type }) => type === 'QuotaRequested');
    yield* new Set(namespaces.map(({ data }) => data.namespace as string));
  },

  reconcile: (cluster, _index, namespace, { now }) => answerAll(cluster, namespace, now),
};

function answerAll(cluster: ClusterState, namespace: string, now: number): Reconciliation | undefined {
  const asked = [...cluster.decisions.pendingReviews.values()].filter(
    ({ type, data }) => type === 'QuotaRequested' && data.namespace === namespace,
  );
  const [first] = asked;
  if (!first) return undefined;
  const running = quotasOf(cluster, namespace);
  const records: Fact[] = [];
  for (const question of asked) {
    const answer = answered(cluster, question, running, now);
    if (answer) records.push(answer);
  }
  const steps = running.filter(({ charges }) => charges.length > 0).map(chargeStep);
  const correlationId = (first.metadata.$correlationId as string | undefined) ?? first.id;
  return { records, steps, cause: { correlationId, causationId: first.id } };
}

/** In the order of their names, so that of several that refuse a write the same one is named each time. */
function quotasOf(cluster: ClusterState, namespace: string): Running[] {
  const found = [...cluster.list(quotas, namespace)];
  return found.map((quota) => ({ quota, used: readList(quota.status?.used), charges: [] }));
}

/** The answer to a question, if it can be given by now; what it is to be charged with goes to the quotas. */
function answered(cluster: ClusterState, event: RecordedEvent, running: readonly Running[], now: number): Fact | undefined {
  const question = event.data as unknown as Question;
  // The asker has stopped waiting: nothing is charged for it any more.
  if (now > (event.metadata.time as number) + (question.waitMs ?? reviewTimeoutMs))
    return refused(event, internalError('resource quota evaluation timed out'));
  const { quotaCharges } = cluster.decisions;
  const judged = running.map((each) =>
    quotaCharges.has(event.id, each.quota.metadata.uid as string) ? { ...each, isCharged: true } : each,
  );
  const verdict = checkQuotas(judged, quotaRequestOf(question), cluster.admission?.limitedResources);
  if (verdict.kind !== 'fits') return refused(event, refusalOf(question, verdict));
  if (verdict.charges.size === 0 || question.dryRun) return granted(event);
  for (const [{ quota }, amounts] of verdict.charges) charge(running, quota, event, amounts);
  return undefined;
}

function charge(running: readonly Running[], quota: KubeObject, { id, data }: RecordedEvent, amounts: ResourceList): void {
  const { operation, resource, name: object } = data as unknown as Question;
  const charged = running.find((each) => each.quota === quota) as Running;
  charged.used = new Map(charged.used);
  addTo(charged.used, amounts);
  charged.charges.push({ review: id, operation, resource, name: object, amounts: writeList(amounts) });
}

function chargeStep({ quota, charges }: Running): Step {
  const { namespace, name: quotaName, uid, resourceVersion } = quota.metadata;
  return {
    step: `charge/${quotaName}`,
    request: {
      verb: 'record',
      target: { resource: quotas, namespace, name: quotaName },
      uid: uid as string,
      ifVersion: resourceVersion,
      facts: [fact('QuotaCharged', { charges })],
    },
  };
}

function refusalOf({ resource, name: object }: Question, verdict: Exclude<QuotaVerdict, { kind: 'fits' }>): Status {
  return verdict.kind === 'forbidden' ? forbiddenRequest(resource, object, verdict.reason) : plainError(verdict.text);
}

function granted(event: RecordedEvent): Fact {
  return fact('QuotaGranted', about(event));
}

function refused(event: RecordedEvent, status: Status): Fact {
  return fact('QuotaRefused', { ...about(event), status: status as unknown as JsonObject });
}

function about({ id, data }: RecordedEvent): EventData<'QuotaGranted'> {
  const { question, resource, namespace, name: object } = data as unknown as Question;
  return { review: id, question, resource, namespace, name: object };
}
