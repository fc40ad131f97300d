import { invalidValue, required, unsupported } from '../../../../status/field-error';
import { canonicalQuantity } from '#libs/kernel';
import { isConfigMapKey, isDnsSubdomain, isEnvVarName, asPrefix } from '../../../../validation/formats';
import type { Errors, Loose } from '../../../../validation/values';
import { listOf, validateQualifiedName, validateTexts } from '../../../../validation/values';

const fieldPaths = new Set([
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);

export const volumeFieldPaths = new Set(['metadata.name', 'metadata.namespace', 'metadata.labels', 'metadata.annotations', 'metadata.uid']);

/** What the downward API converts at all; which of it a use accepts is narrower. */
const convertible = new Set([
  ...fieldPaths,
  'metadata.annotations',
  'metadata.labels',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);

const resourcePaths = [
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
];

export function validateEnv(list: unknown, field: string, errors: Errors): void {
  for (const [index, variable] of listOf(list).entries()) {
    const at = `${field}[${index}]`;
    if (!variable.name) errors.push(required(`${at}.name`));
    else validateTexts(isEnvVarName(variable.name), variable.name, `${at}.name`, errors);
    if (variable.valueFrom) validateValueFrom(variable, `${at}.valueFrom`, errors);
  }
}

function validateValueFrom({ value, valueFrom }: Loose, field: string, errors: Errors): void {
  let sources = 0;
  if (valueFrom.fieldRef) {
    sources++;
    validateFieldRef(valueFrom.fieldRef, fieldPaths, `${field}.fieldRef`, errors);
  }
  if (valueFrom.resourceFieldRef) {
    sources++;
    validateResourceFieldRef(valueFrom.resourceFieldRef, false, `${field}.resourceFieldRef`, errors);
  }
  for (const key of ['configMapKeyRef', 'secretKeyRef']) {
    if (!valueFrom[key]) continue;
    sources++;
    validateKeyRef(valueFrom[key], `${field}.${key}`, errors);
  }
  if (sources === 0) {
    errors.push(invalidValue(field, '', 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`'));
  } else if (value) errors.push(invalidValue(field, '', 'may not be specified when `value` is not empty'));
  else if (sources > 1) errors.push(invalidValue(field, '', 'may not have more than one field specified at a time'));
}

/** `metadata.labels['key']` taken apart; undefined where there is no subscript. */
function splitSubscript(path: string): { path: string; subscript: string } | undefined {
  const at = path.indexOf("['");
  if (at < 1 || !path.endsWith("']") || path.length < at + 4) return undefined;
  return { path: path.slice(0, at), subscript: path.slice(at + 2, -2) };
}

/** A field of the pod, named to its containers. */
export function validateFieldRef(ref: Loose, accepted: ReadonlySet<string>, field: string, errors: Errors): void {
  const apiVersion: string = ref.apiVersion ?? '';
  const fieldPath: string = ref.fieldPath ?? '';
  if (apiVersion === '') {
    errors.push(required(`${field}.apiVersion`));
    return;
  }
  if (fieldPath === '') {
    errors.push(required(`${field}.fieldPath`));
    return;
  }
  const split = splitSubscript(fieldPath);
  const whole = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath;
  const known =
    apiVersion === 'v1' && (split ? split.path === 'metadata.annotations' || split.path === 'metadata.labels' : convertible.has(whole));
  if (!known) {
    const why =
      apiVersion !== 'v1'
        ? `unsupported pod version: ${apiVersion}`
        : split
          ? 'field label does not support subscript'
          : 'field label not supported';
    const text = apiVersion !== 'v1' ? why : `${why}: ${fieldPath}`;
    errors.push(invalidValue(`${field}.fieldPath`, fieldPath, `error converting fieldPath: ${text}`));
  } else if (split) {
    const key = split.path === 'metadata.annotations' ? split.subscript.toLowerCase() : split.subscript;
    validateQualifiedName(key, field, errors);
  } else if (!accepted.has(whole)) errors.push(unsupported(`${field}.fieldPath`, whole, [...accepted].sort()));
}

const byteDivisors = '1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei';
const byteDivisorSet = new Set(byteDivisors.split(', '));

/** An amount of a container's resources. */
export function validateResourceFieldRef(ref: Loose, inVolume: boolean, field: string, errors: Errors): void {
  const resource: string = ref.resource ?? '';
  const hugePages = resource.startsWith('requests.hugepages-') || resource.startsWith('limits.hugepages-');
  if (inVolume && !ref.containerName) errors.push(required(`${field}.containerName`));
  else if (resource === '') errors.push(required(`${field}.resource`));
  else if (!resourcePaths.includes(resource) && !hugePages)
    errors.push(unsupported(`${field}.resource`, resource, [...resourcePaths].sort()));
  const divisor = canonicalQuantity(ref.divisor ?? '0') ?? '0';
  if (divisor === '0') return;
  const refuse = (what: string) =>
    errors.push(
      invalidValue(`${field}.divisor`, resource, `only divisor's values ${what} are supported with the ${unit(resource)} resource`),
    );
  if (resource.endsWith('.cpu')) {
    if (divisor !== '1m' && divisor !== '1') refuse('1m and 1');
  } else if ((resourcePaths.includes(resource) || hugePages) && !byteDivisorSet.has(divisor)) refuse(byteDivisors);
}

function unit(resource: string): string {
  if (resource.endsWith('.cpu')) return 'cpu';
  if (resource.endsWith('.memory')) return 'memory';
  return resource.endsWith('.ephemeral-storage') ? 'local ephemeral storage' : 'hugepages';
}

function validateKeyRef(ref: Loose, field: string, errors: Errors): void {
  const name: string = ref.name ?? '';
  validateTexts(isDnsSubdomain(name), name, `${field}.name`, errors);
  if (!ref.key) errors.push(required(`${field}.key`));
  else validateTexts(isConfigMapKey(ref.key), ref.key, `${field}.key`, errors);
}

export function validateEnvFrom(list: unknown, field: string, errors: Errors): void {
  for (const [index, source] of listOf(list).entries()) {
    const at = `${field}[${index}]`;
    if (source.prefix) validateTexts(isEnvVarName(source.prefix), source.prefix, `${at}.prefix`, errors);
    let sources = 0;
    for (const key of ['configMapRef', 'secretRef']) {
      if (!source[key]) continue;
      sources++;
      const name: string = source[key].name ?? '';
      if (name === '') errors.push(required(`${at}.${key}.name`));
      else validateTexts(isDnsSubdomain(asPrefix(name)), name, `${at}.${key}.name`, errors);
    }
    if (sources === 0) errors.push(invalidValue(field, '', 'must specify one of: `configMapRef` or `secretRef`'));
    else if (sources > 1) errors.push(invalidValue(field, '', 'may not have more than one field specified at a time'));
  }
}
