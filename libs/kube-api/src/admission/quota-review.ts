import { fact, type EventData, type Fact } from '#libs/events';
import { jsonEqual, type JsonObject, type KubeObject } from '#libs/kernel';
import { demandOf, isCounted, isTracked, type Demand, type LimitedResource, type QuotaRequest } from '../quota';
import { readList, sameAmounts, writeList } from '../resources';
import type { Failure } from '../status';
import type { Admission, ReviewStep, Written } from './chain';
import { requestedName } from './namespace-lifecycle';

const name = 'ResourceQuota';

/** Creations of whatever quotas count; of updates those that may change what an object takes. */
function isCharged({ kind, operation, subresource }: Written): boolean {
  if (!kind.namespaced || !isCounted(kind.groupResource)) return false;
  if (operation === 'CREATE') return subresource === undefined;
  switch (kind.groupResource) {
    case 'pods':
      return subresource === undefined || subresource === 'resize';
    case 'services':
    case 'resourceclaims.resource.k8s.io':
      return subresource === undefined;
    case 'persistentvolumeclaims':
      return subresource === undefined || subresource === 'status';
    default:
      return false;
  }
}

/** Asks the quotas of the object's namespace, where there are any that could have something to say. */
export const quotaReview: ReviewStep = {
  name,
  reviewer: 'resource-quota-admission',
  stream: 'admission-reviews',
  handles: isCharged,
  question: (object, admission) => (isConcerned(object, admission) ? questionOf(object, admission) : undefined),
  isAnswer: ({ type }) => type === 'QuotaGranted' || type === 'QuotaRefused',
  answered: (object, { type, data }) => (type === 'QuotaRefused' ? (data.status as unknown as Failure) : object),
};

function isConcerned({ metadata }: KubeObject, { kind: { groupResource }, lookup }: Admission): boolean {
  const quotas = lookup.resourceQuotas?.(metadata.namespace ?? '') ?? [];
  if (lookup.configuration?.limitedResources.some((limited) => isLimiting(limited, groupResource))) return true;
  return quotas.some(({ spec, status }) =>
    [spec?.hard, status?.hard].some((hard) => Object.keys((hard ?? {}) as JsonObject).some((each) => isTracked(groupResource, each))),
  );
}

function isLimiting({ resource, matchScopes }: LimitedResource, groupResource: string): boolean {
  return resource === groupResource || (matchScopes.length > 0 && (groupResource === 'pods' || groupResource === 'persistentvolumeclaims'));
}

/** An update by which nothing changes for a quota asks nothing. Whoever is on its way out counts as if it stayed. */
function questionOf(object: KubeObject, { kind, operation, subresource, old, dryRun }: Admission): Fact | undefined {
  const { groupResource } = kind;
  const demand = demandOf(groupResource, object, 0);
  const before = operation === 'UPDATE' && old ? demandOf(groupResource, old, 0) : undefined;
  if (before && sameAmounts(demand.usage, before.usage) && jsonEqual(demand.traits as JsonObject, before.traits as JsonObject))
    return undefined;
  return fact('QuotaRequested', {
    operation,
    resource: groupResource,
    namespace: object.metadata.namespace ?? '',
    name: requestedName(object),
    usage: writeList(demand.usage),
    ...(Object.keys(demand.traits).length > 0 ? { traits: demand.traits as JsonObject } : {}),
    ...(demand.unset ? { unset: demand.unset as unknown as JsonObject } : {}),
    ...(before ? { before: { usage: writeList(before.usage), traits: before.traits as JsonObject } } : {}),
    ...(subresource === 'status' ? { ofStatus: true } : {}),
    ...(dryRun ? { dryRun } : {}),
  } as unknown as EventData<'QuotaRequested'>);
}

/** What was asked, as quotas judge it. */
export function quotaRequestOf(data: EventData<'QuotaRequested'>): QuotaRequest {
  const { resource, usage, traits, unset, before, ofStatus } = data;
  const demand = { usage: readList(usage), traits: traits ?? {}, unset: unset as Demand['unset'] };
  const was = before && { usage: readList(before.usage), traits: (before.traits ?? {}) as Demand['traits'] };
  return { resource, demand, before: was, isStatus: ofStatus };
}
