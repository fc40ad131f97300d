import type { JsonObject, KubeObject } from '#libs/kernel';
import { listIn, objectIn, setAbsent } from '../../defaults/draft';
import { age, countOf, nameOf, rowOf } from '../../printing/cell';
import { validateObjectSelector } from '../../selectors/object-selector';
import { duplicate, invalidValue, required, unsupported } from '../../status/field-error';
import { semanticEqual } from '../../strategy/equality';
import { isDns1035Label, isDnsSubdomain } from '../../validation/formats';
import { validateMetadata } from '../../validation/metadata';
import { isSet, listOf, validateTexts, type Errors, type Loose } from '../../validation/values';
import type { KindDescription } from '../behaviour';
import { validateClientConfig } from './client-config';
import { validateMatchConditions } from './match-conditions';
import { failurePolicies, matchPolicies, validateRule } from './rules';

type Webhooks = 'mutating' | 'validating';

function setWebhookDefaults(configuration: JsonObject, type: Webhooks): void {
  for (const hook of listIn(configuration, 'webhooks')) {
    setAbsent(hook, 'failurePolicy', 'Fail');
    setAbsent(hook, 'matchPolicy', 'Equivalent');
    setAbsent(hook, 'namespaceSelector', {});
    setAbsent(hook, 'objectSelector', {});
    setAbsent(hook, 'timeoutSeconds', 10);
    if (type === 'mutating') setAbsent(hook, 'reinvocationPolicy', 'Never');
    for (const rule of listIn(hook, 'rules')) setAbsent(rule, 'scope', '*');
    const service = objectIn(objectIn(hook, 'clientConfig') ?? {}, 'service');
    if (service) setAbsent(service, 'port', 443);
  }
}

/** What was wrong before may stay. */
interface Tolerance {
  readonly sameConditions: boolean;
  readonly sideEffects: boolean;
  readonly unknownVersions: boolean;
  readonly sameNames: boolean;
  readonly invalidValues: boolean;
}

const none: Tolerance = { sameConditions: false, sideEffects: false, unknownVersions: false, sameNames: false, invalidValues: false };
const harmless = ['None', 'NoneOnDryRun'];
const reviewVersions = ['v1', 'v1beta1'];
const selectors = ['namespaceSelector', 'objectSelector'];

function toleranceOf(updated: KubeObject, old: KubeObject): Tolerance {
  const [hooks, before]: Loose[][] = [listOf(updated.webhooks), listOf(old.webhooks)];
  const isKnown = ({ admissionReviewVersions: versions }: Loose): boolean =>
    listOf(versions).length === 0 || listOf(versions).some((version) => reviewVersions.includes(version));
  return {
    sameConditions:
      hooks?.length === before?.length &&
      (before ?? []).every((hook, index) => semanticEqual(hooks?.[index]?.matchConditions, hook.matchConditions)),
    sideEffects: (before ?? []).some(({ sideEffects }) => !harmless.includes(sideEffects)),
    unknownVersions: !(before ?? []).every(isKnown),
    sameNames: new Set((before ?? []).map(({ name }) => name)).size < (before ?? []).length,
    invalidValues: (before ?? []).some((hook) => selectors.some((key) => validateObjectSelector(hook[key], {}, '').length > 0)),
  };
}

function validateWebhooks(configuration: KubeObject, tolerance: Tolerance, errors: Errors): void {
  validateMetadata(configuration.metadata, { namespaced: false, name: isDnsSubdomain, qualifiedFinalizers: false }, errors);
  const seen = new Set<string>();
  for (const [index, given] of listOf(configuration.webhooks).entries()) {
    const hook: Loose = given ?? {};
    const field = `webhooks[${index}]`;
    validateWebhook(hook, tolerance, field, errors);
    validateReviewVersions(listOf(hook.admissionReviewVersions), tolerance, `${field}.admissionReviewVersions`, errors);
    const name: string = hook.name ?? '';
    if (name !== '' && seen.has(name) && !tolerance.sameNames) errors.push(duplicate(`${field}.name`, name));
    seen.add(name);
  }
}

function validateWebhook(hook: Loose, tolerance: Tolerance, field: string, errors: Errors): void {
  validateFullName(hook.name ?? '', `${field}.name`, errors);
  for (const [index, rule] of listOf(hook.rules).entries()) validateRule(rule ?? {}, `${field}.rules[${index}]`, errors);
  validateGiven(hook.failurePolicy, failurePolicies, `${field}.failurePolicy`, errors);
  validateGiven(hook.matchPolicy, matchPolicies, `${field}.matchPolicy`, errors);
  const effects = tolerance.sideEffects ? ['None', 'NoneOnDryRun', 'Some', 'Unknown'] : harmless;
  if (!isSet(hook.sideEffects)) errors.push(required(`${field}.sideEffects`, `must specify one of ${effects.join(', ')}`));
  validateGiven(hook.sideEffects, effects, `${field}.sideEffects`, errors);
  const { timeoutSeconds } = hook;
  if (isSet(timeoutSeconds) && (timeoutSeconds > 30 || timeoutSeconds < 1)) {
    errors.push(invalidValue(`${field}.timeoutSeconds`, timeoutSeconds, 'the timeout value must be between 1 and 30 seconds'));
  }
  const allowInvalidValues = tolerance.invalidValues;
  for (const key of selectors) errors.push(...validateObjectSelector(hook[key], { allowInvalidValues }, `${field}.${key}`));
  validateGiven(hook.reinvocationPolicy, ['IfNeeded', 'Never'], `${field}.reinvocationPolicy`, errors);
  validateClientConfig(hook.clientConfig ?? {}, `${field}.clientConfig`, errors);
  if (!tolerance.sameConditions) validateMatchConditions(hook.matchConditions, `${field}.matchConditions`, errors);
}

function validateGiven(value: unknown, known: readonly string[], field: string, errors: Errors): void {
  if (isSet(value) && !known.includes(value as string)) errors.push(unsupported(field, value, known));
}

/** `hook.team.example.com` */
function validateFullName(name: string, field: string, errors: Errors): void {
  const texts = isDnsSubdomain(name);
  if (name === '') errors.push(required(field));
  else if (texts.length > 0) errors.push(invalidValue(field, name, texts.join(',')));
  else if (name.split('.').length < 3) {
    errors.push(invalidValue(field, name, 'should be a domain with at least three segments separated by dots'));
  }
}

function validateReviewVersions(versions: readonly Loose[], { unknownVersions }: Tolerance, field: string, errors: Errors): void {
  if (versions.length === 0) {
    errors.push(required(field, `must specify one of ${reviewVersions.join(', ')}`));
    return;
  }
  for (const [index, given] of versions.entries()) {
    const version: string = given ?? '';
    if (versions.indexOf(given) < index) errors.push(invalidValue(`${field}[${index}]`, version, 'duplicate version'));
    else validateTexts(isDns1035Label(version), version, `${field}[${index}]`, errors);
  }
  if (!unknownVersions && !versions.some((version) => reviewVersions.includes(version))) {
    errors.push(invalidValue(field, versions, `must include at least one of ${reviewVersions.join(', ')}`));
  }
}

/** Empty bytes, which the store keeps, are shown as none. */
function shownConfiguration(configuration: KubeObject): KubeObject {
  const hooks: Loose[] = listOf(configuration.webhooks);
  if (!hooks.some((hook) => hook.clientConfig?.caBundle === '')) return configuration;
  const shown = hooks.map((hook) => {
    if (hook.clientConfig?.caBundle !== '') return hook;
    const { caBundle: _, ...clientConfig } = hook.clientConfig;
    return { ...hook, clientConfig };
  });
  return { ...configuration, webhooks: shown } as KubeObject;
}

const configurationOf = (type: Webhooks): KindDescription => ({
  name: `${type}webhookconfigurations.admissionregistration.k8s.io`,
  served: true,
  generation: 'managed',
  strategy: { emptyIsWish: true },
  shown: shownConfiguration,
  conditionalUpdateOnly: true,
  formerVersions: ['admissionregistration.k8s.io/v1beta1'],
  setDefaults: (configuration) => setWebhookDefaults(configuration, type),
  validation: {
    create: (configuration, errors) => validateWebhooks(configuration, none, errors),
    update: (updated, old, errors) => validateWebhooks(updated, toleranceOf(updated, old), errors),
  },
  row: rowOf((configuration, now) => [nameOf(configuration), countOf(configuration.webhooks), age(configuration, now)]),
});

export const mutatingwebhookconfigurations = configurationOf('mutating');
export const validatingwebhookconfigurations = configurationOf('validating');
