import { canonicalQuantity, type JsonObject, type KubeObject } from '#libs/kernel';
import { objectIn } from '../../../defaults/draft';
import { roundResourceList } from '../../../defaults/resources';
import { age, nameOf, rowOf } from '../../../printing/cell';
import { invalidValue, required } from '../../../status/field-error';
import { isDnsSubdomain } from '../../../validation/formats';
import { goShape } from '../../../validation/go-shapes';
import { validateMetadata, validateMetadataUpdate } from '../../../validation/metadata';
import { isQuotaResource, validateResourceName, validateResourceValue } from '../../../validation/resources';
import { entriesOf, immutableText, isSet, listOf, type Errors, type Loose } from '../../../validation/values';
import type { KindDescription } from '../../behaviour';

function setQuotaDefaults(quota: JsonObject): void {
  for (const part of ['spec', 'status']) {
    const holder = objectIn(quota, part);
    roundResourceList(holder?.['hard']);
    roundResourceList(holder?.['used']);
  }
}

const pods = new Set(['pods']);
const podsAndCompute = new Set(['pods', 'cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory']);
const claims = new Set(['persistentvolumeclaims', 'requests.storage']);

/** What a quota of a scope can count. */
const countedIn: Readonly<Record<string, ReadonlySet<string>>> = {
  BestEffort: pods,
  NotBestEffort: podsAndCompute,
  Terminating: podsAndCompute,
  NotTerminating: podsAndCompute,
  PriorityClass: podsAndCompute,
  CrossNamespacePodAffinity: podsAndCompute,
  VolumeAttributesClass: claims,
};
/** Scopes that a pod is in or not, whatever it is compared with. */
const withoutValues = ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'CrossNamespacePodAffinity'];
const contrary = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;

function validateAmounts(amounts: unknown, field: string, errors: Errors): void {
  for (const [name, amount] of entriesOf(amounts)) {
    const at = `${field}[${name}]`;
    validateResourceName(name, at, errors);
    if (!name.includes('/') && !isQuotaResource(name)) errors.push(invalidValue(at, name, 'must be a standard resource for quota'));
    validateResourceValue(name, amount, at, errors);
  }
}

function validateSpec(spec: Loose, errors: Errors): void {
  validateAmounts(spec.hard, 'spec.hard', errors);
  const hard = Object.keys(spec.hard ?? {});
  const scopes = listOf(spec.scopes) as string[];
  for (const scope of scopes) {
    if (!Object.hasOwn(countedIn, scope)) errors.push(invalidValue('spec.scopes', scopes, 'unsupported scope'));
    for (const _ of uncounted(scope, hard)) errors.push(invalidValue('spec.scopes', scopes, 'unsupported scope applied to resource'));
  }
  validateContrary(scopes, 'spec.scopes', scopes, errors);
  if (isSet(spec.scopeSelector)) validateSelector(spec, hard, errors);
}

/** The resources that a quota limits and that the scope says nothing about. */
function uncounted(scope: string, hard: readonly string[]): string[] {
  const counted = Object.hasOwn(countedIn, scope) ? countedIn[scope] : undefined;
  return counted ? hard.filter((name) => isQuotaResource(name) && !counted.has(name)) : [];
}

function validateContrary(scopes: readonly string[], field: string, shown: unknown, errors: Errors): void {
  for (const pair of contrary)
    if (pair.every((scope) => scopes.includes(scope))) errors.push(invalidValue(field, shown, 'conflicting scopes'));
}

function validateSelector(spec: Loose, hard: readonly string[], errors: Errors): void {
  const field = 'spec.scopeSelector.matchExpressions';
  const names: string[] = [];
  for (const { scopeName = '', operator = '', values } of listOf(spec.scopeSelector.matchExpressions)) {
    if (!Object.hasOwn(countedIn, scopeName)) errors.push(invalidValue(`${field}.scopeName`, scopeName, 'unsupported scope'));
    for (const _ of uncounted(scopeName, hard)) {
      errors.push(invalidValue(field, goShape('ScopeSelector', spec.scopeSelector), 'unsupported scope applied to resource'));
    }
    if (withoutValues.includes(scopeName) && operator !== 'Exists') {
      const scopes =
        'ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity';
      errors.push(invalidValue(`${field}.operator`, operator, `must be 'Exists' when scope is any of ${scopes}`));
    }
    validateOperator(operator, listOf(values), field, errors);
    names.push(scopeName);
  }
  validateContrary(names, field, isSet(spec.scopes) ? spec.scopes : null, errors);
}

function validateOperator(operator: string, values: readonly string[], field: string, errors: Errors): void {
  if (operator === 'In' || operator === 'NotIn') {
    const text = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    if (values.length === 0) errors.push(required(`${field}.values`, text));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    const text = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    if (values.length > 0) errors.push(invalidValue(`${field}.values`, values, text));
  } else errors.push(invalidValue(`${field}.operator`, operator, 'not a valid selector operator'));
}

function validateQuota(quota: KubeObject, errors: Errors): void {
  validateMetadata(quota.metadata, { namespaced: true, name: isDnsSubdomain }, errors);
  validateSpec(quota.spec ?? {}, errors);
}

/** What is counted stays; how much of it there may be does not. */
function validateQuotaUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateSpec(updated.spec ?? {}, errors);
  const [now, was] = [updated, old].map(({ spec }) => [...new Set(listOf(spec?.scopes))].sort().join());
  if (now !== was) errors.push(invalidValue('spec.scopes', updated.spec?.scopes ?? null, immutableText));
}

function validateQuotaStatus(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  if (!updated.metadata.resourceVersion) errors.push(required('resourceVersion'));
  validateAmounts(updated.status?.hard, 'status.hard', errors);
  validateAmounts(updated.status?.used, 'status.used', errors);
}

export const resourcequotas: KindDescription = {
  name: 'resourcequotas',
  served: true,
  deletionReturnsObject: true,
  setDefaults: setQuotaDefaults,
  validation: { create: validateQuota, update: validateQuotaUpdate, subresources: { status: validateQuotaStatus } },
  row: rowOf((quota, now) => {
    const { hard = {}, used = {} }: Loose = quota.status ?? {};
    const amount = (value: unknown): string => canonicalQuantity(value ?? '0') ?? '0';
    const shown = (limits: boolean): string =>
      Object.keys(hard)
        .sort()
        .filter((name) => name.startsWith('limits.') === limits)
        .map((name) => `${name}: ${amount(used[name])}/${amount(hard[name])}`)
        .join(', ');
    return [nameOf(quota), shown(false), shown(true), age(quota, now)];
  }),
};
