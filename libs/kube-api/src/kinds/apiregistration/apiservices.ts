import type { JsonObject, KubeObject } from '#libs/kernel';
import { objectIn, setAbsent } from '../../defaults/draft';
import { age, nameOf, rowOf } from '../../printing/cell';
import { invalidValue, required, unsupported } from '../../status/field-error';
import { goQuote } from '../../status/go-value';
import { isDns1035Label, isDnsSubdomain, isPathSegmentName, isPortNumber } from '../../validation/formats';
import { validateAnyMetadataUpdate, validateMetadata } from '../../validation/metadata';
import { isSet, listOf, validateTexts, type Errors, type Loose } from '../../validation/values';
import type { KindDescription } from '../behaviour';
import { availableLocally, withAvailability } from './availability';

const groupPriorityMax = 20_000;
const versionPriorityMax = 1_000;

function setApiServiceDefaults(service: JsonObject): void {
  const reference = objectIn(objectIn(service, 'spec') ?? {}, 'service');
  if (reference) setAbsent(reference, 'port', 443);
}

function validateApiService({ metadata, spec }: KubeObject, errors: Errors): void {
  const wanted: Loose = spec ?? {};
  const { group = '', version = '', groupPriorityMinimum = 0, versionPriority = 0, service } = wanted;
  const name = `${version}.${group}`;
  const validName = (given: string): string[] => {
    const minimal = isPathSegmentName(given);
    if (minimal.length > 0 || given === name) return minimal;
    return [`must be \`spec.version+"."+spec.group\`: ${goQuote(name)}`];
  };
  validateMetadata(metadata, { namespaced: false, name: validName, qualifiedFinalizers: false }, errors);
  if (group === '' && version !== 'v1') {
    errors.push(required('spec.group', 'only v1 may have an empty group and it better be legacy kube'));
  }
  if (group !== '') validateTexts(isDnsSubdomain(group), group, 'spec.group', errors);
  validateTexts(isDns1035Label(version), version, 'spec.version', errors);
  validatePriority(groupPriorityMinimum, groupPriorityMax, 'spec.groupPriorityMinimum', errors);
  validatePriority(versionPriority, versionPriorityMax, 'spec.versionPriority', errors);
  if (isSet(service)) validateBackend(service, wanted, errors);
  else validateLocal(wanted, errors);
}

function validatePriority(priority: number, max: number, field: string, errors: Errors): void {
  if (priority <= 0 || priority > max) errors.push(invalidValue(field, priority, `must be positive and less than ${max}`));
}

/** `caBundle` is base64. */
function bundleBytes(caBundle: unknown): number {
  return typeof caBundle === 'string' ? Buffer.byteLength(caBundle, 'base64') : 0;
}

/** What the server answers itself is asked for over no connection. */
function validateLocal({ caBundle, insecureSkipTLSVerify }: Loose, errors: Errors): void {
  const bytes = bundleBytes(caBundle);
  if (bytes > 0) errors.push(invalidValue('spec.caBundle', `${bytes} bytes`, 'local APIServices may not have a caBundle'));
  if (insecureSkipTLSVerify) {
    errors.push(invalidValue('spec.insecureSkipTLSVerify', insecureSkipTLSVerify, 'local APIServices may not have insecureSkipTLSVerify'));
  }
}

function validateBackend({ namespace, name, port }: Loose, { caBundle, insecureSkipTLSVerify }: Loose, errors: Errors): void {
  if (!namespace) errors.push(required('spec.service.namespace'));
  if (!name) errors.push(required('spec.service.name'));
  const wrong = isPortNumber(port ?? 0);
  if (wrong.length > 0) errors.push(invalidValue('spec.service.port', port ?? 0, `port is not valid: ${wrong.join(', ')}`));
  if (insecureSkipTLSVerify && bundleBytes(caBundle) > 0) {
    errors.push(invalidValue('spec.insecureSkipTLSVerify', insecureSkipTLSVerify, 'may not be true if caBundle is present'));
  }
}

function validateStatus(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateAnyMetadataUpdate(updated.metadata, old.metadata, errors);
  for (const [index, condition] of listOf(updated.status?.conditions).entries()) {
    const status: string = condition?.status ?? '';
    const known = ['True', 'False', 'Unknown'];
    if (!known.includes(status)) errors.push(unsupported(`status.conditions[${index}].status`, status, known));
  }
}

/** Of a group version that another server answers nothing is known yet. */
function newApiService(service: KubeObject, now: number): KubeObject {
  const unknown = { ...service, status: {} };
  return isSet(service.spec?.service) ? unknown : withAvailability(unknown, availableLocally, now);
}

function availabilityText(service: KubeObject): string {
  const condition = listOf(service.status?.conditions).find(({ type }) => type === 'Available');
  if (!condition) return 'Unknown';
  return condition.status === 'True' || !condition.reason ? condition.status : `${condition.status} (${condition.reason})`;
}

export const apiservices: KindDescription = {
  name: 'apiservices.apiregistration.k8s.io',
  served: true,
  conditionalUpdateOnly: true,
  formerVersions: ['apiregistration.k8s.io/v1beta1'],
  setDefaults: setApiServiceDefaults,
  strategy: {
    create: (service, { now }) => newApiService(service, now),
    statusKeeps: ['labels', 'annotations', 'finalizers', 'ownerReferences'],
    owns: { status: { except: ['spec', 'metadata'] } },
  },
  validation: {
    create: validateApiService,
    update: (updated, old, errors) => {
      validateAnyMetadataUpdate(updated.metadata, old.metadata, errors);
      validateApiService(updated, errors);
    },
    subresources: { status: validateStatus },
  },
  row: rowOf((service, now) => {
    const { service: reference } = (service.spec ?? {}) as Loose;
    const place = isSet(reference) ? `${reference.namespace ?? ''}/${reference.name ?? ''}` : 'Local';
    return [nameOf(service), place, availabilityText(service), age(service, now)];
  }),
};
