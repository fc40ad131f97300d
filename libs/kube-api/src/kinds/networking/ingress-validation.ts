import type { KubeObject } from '#libs/kernel';
import { invalidValue, required, unsupported } from '../../status/field-error';
import { parseLegacyAddress, validateLegacyIP } from '../../validation/legacy-addresses';
import { isDns1035Label, isDnsLabel, isDnsSubdomain, isPortName, isPortNumber, maxLength, patternText } from '../../validation/formats';
import { validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { isSet, listOf, validateTexts, type Errors, type Loose } from '../../validation/values';
import { validateObjectReference } from './references';

/** What an Ingress that is there already may keep, though a new one may not have it. */
interface IngressRules {
  /** Names of secrets that are none. */
  invalidSecrets?: boolean;
  /** Rules for wildcards whose paths are wrong. */
  invalidWildcardRules?: boolean;
  /** Names of services that begin with a digit. */
  anyServiceLabel?: boolean;
}

export const classAnnotation = 'kubernetes.io/ingress.class';

function validateIngress(ingress: KubeObject, rules: IngressRules, errors: Errors): void {
  validateMetadata(ingress.metadata, { namespaced: true, name: isDnsSubdomain }, errors);
  const { rules: list, defaultBackend, tls, ingressClassName }: Loose = ingress.spec ?? {};
  if (listOf(list).length === 0 && !isSet(defaultBackend)) {
    errors.push(invalidValue('spec', list ?? null, 'either `defaultBackend` or `rules` must be specified'));
  }
  if (isSet(defaultBackend)) validateBackend(defaultBackend, rules, 'spec.defaultBackend', errors);
  for (const [index, rule] of listOf(list).entries()) validateRule(rule, rules, `spec.rules[${index}]`, errors);
  for (const [index, each] of listOf(tls).entries()) validateTls(each, rules, `spec.tls[${index}]`, errors);
  if (isSet(ingressClassName)) validateTexts(isDnsSubdomain(ingressClassName), ingressClassName, 'spec.ingressClassName', errors);
}

const wildcardExpression = '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const wildcardText = patternText(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  wildcardExpression,
  '*.example.com',
);
const wildcard = new RegExp(`^${wildcardExpression}$`);

/** The name of a host, or of all hosts of a domain. */
function isHost(host: string): string[] {
  if (!host.includes('*')) return isDnsSubdomain(host);
  return [...(host.length > 253 ? [maxLength(253)] : []), ...(wildcard.test(host) ? [] : [wildcardText])];
}

function validateTls({ hosts, secretName }: Loose, rules: IngressRules, field: string, errors: Errors): void {
  for (const [index, host] of listOf(hosts).entries()) validateTexts(isHost(host), host, `${field}.hosts[${index}]`, errors);
  if (secretName && !rules.invalidSecrets) validateTexts(isDnsSubdomain(secretName), secretName, `${field}.secretName`, errors);
}

function validateRule({ host = '', http }: Loose, rules: IngressRules, field: string, errors: Errors): void {
  if (host !== '') {
    if (parseLegacyAddress(host)) errors.push(invalidValue(`${field}.host`, host, 'must be a DNS name, not an IP address'));
    validateTexts(isHost(host), host, `${field}.host`, errors);
  }
  if (!host.includes('*') || !rules.invalidWildcardRules) validateHttp(http, rules, `${field}.http`, errors);
}

function validateHttp(http: Loose, rules: IngressRules, field: string, errors: Errors): void {
  if (!isSet(http)) return;
  const paths = listOf(http.paths);
  if (paths.length === 0) errors.push(required(`${field}.paths`));
  for (const [index, path] of paths.entries()) validatePath(path, rules, `${field}.paths[${index}]`, errors);
}

const forbiddenSequences = ['//', '/./', '/../', '%2f', '%2F'];
const forbiddenEnds = ['/..', '/.'];

function validatePath({ path = '', pathType, backend }: Loose, rules: IngressRules, field: string, errors: Errors): void {
  if (!isSet(pathType)) {
    errors.push(required(`${field}.pathType`, 'pathType must be specified'));
    return;
  }
  const refuse = (why: string) => errors.push(invalidValue(`${field}.path`, path, why));
  const isStrict = pathType === 'Exact' || pathType === 'Prefix';
  if (isStrict || pathType === 'ImplementationSpecific') {
    if (!path.startsWith('/') && (isStrict || path !== '')) refuse('must be an absolute path');
  } else errors.push(unsupported(`${field}.pathType`, pathType, ['Exact', 'ImplementationSpecific', 'Prefix']));
  if (isStrict) {
    for (const sequence of forbiddenSequences) if (path.includes(sequence)) refuse(`must not contain '${sequence}'`);
    for (const end of forbiddenEnds) if (path.endsWith(end)) refuse(`cannot end with '${end}'`);
  }
  validateBackend(backend ?? {}, rules, `${field}.backend`, errors);
}

function validateBackend({ resource, service }: Loose, rules: IngressRules, field: string, errors: Errors): void {
  if (isSet(resource) && isSet(service)) errors.push(invalidValue(field, '', 'cannot set both resource and service backends'));
  else if (isSet(resource)) validateObjectReference(resource, `${field}.resource`, errors);
  else if (isSet(service)) validateService(service, rules, field, errors);
  else errors.push(invalidValue(field, '', 'resource or service backend is required'));
}

function validateService({ name, port }: Loose, rules: IngressRules, field: string, errors: Errors): void {
  const isService = rules.anyServiceLabel ? isDnsLabel : isDns1035Label;
  if (!name) errors.push(required(`${field}.service.name`));
  else validateTexts(isService(name), name, `${field}.service.name`, errors);
  const { name: portName, number } = (port ?? {}) as { name?: string; number?: number };
  if (portName && number) errors.push(invalidValue(field, '', 'cannot set both port name & port number'));
  else if (portName) validateTexts(isPortName(portName), portName, `${field}.service.port.name`, errors);
  else if (number) validateTexts(isPortNumber(number), number, `${field}.service.port.number`, errors);
  else errors.push(required(field, 'port name or number is required'));
}

export function validateNewIngress(ingress: KubeObject, errors: Errors): void {
  validateIngress(ingress, {}, errors);
  const annotation = ingress.metadata.annotations?.[classAnnotation];
  const name = ingress.spec?.ingressClassName as string | undefined;
  if (annotation !== undefined && isSet(name) && annotation !== name) {
    errors.push(invalidValue(`annotations.${classAnnotation}`, annotation, 'must match `ingressClassName` when both are specified'));
  }
}

export function validateIngressUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  const before: Loose = old.spec ?? {};
  const rules: IngressRules = {
    invalidSecrets: listOf(before.tls).some(({ secretName }) => secretName && isDnsSubdomain(secretName).length > 0),
    invalidWildcardRules: listOf(before.rules).some(({ host = '', http }) => {
      const found: Errors = [];
      if (host.includes('*')) validateHttp(http, {}, '', found);
      return found.length > 0;
    }),
    anyServiceLabel: listOf(before.rules).some(({ http }) =>
      listOf(http?.paths).some(({ backend }) => {
        const name: string = backend?.service?.name ?? '';
        return isDnsLabel(name).length === 0 && isDns1035Label(name).length > 0;
      }),
    ),
  };
  validateIngress(updated, rules, errors);
}

export function validateIngressStatus(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  for (const [index, { ip, hostname }] of listOf(updated.status?.loadBalancer?.ingress).entries()) {
    const at = `status.loadBalancer.ingress[${index}]`;
    if (ip) validateLegacyIP(ip, `${at}.ip`, errors);
    if (!hostname) continue;
    validateTexts(isDnsSubdomain(hostname), hostname, `${at}.hostname`, errors);
    if (parseLegacyAddress(hostname)) errors.push(invalidValue(`${at}.hostname`, hostname, 'must be a DNS name, not an IP address'));
  }
}
