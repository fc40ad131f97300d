import { forbidden, invalidValue, required } from '../../../../status/field-error';
import { validateLabelMap } from '../../../../selectors/object-selector';
import { validateLegacyIP } from '../../../../validation/legacy-addresses';
import { inRange, isDnsSubdomain, isDnsSubdomainWithUnderscore } from '../../../../validation/formats';
import { goShape } from '../../../../validation/go-shapes';
import { validateContainerResources, validatePodLevelResources, validatePodResourceConsistency } from '../../../../validation/resources';
import type { Errors, Loose } from '../../../../validation/values';
import {
  isSet,
  listOf,
  validateDnsLabel,
  validateDnsSubdomain,
  validateQualifiedName,
  validateRequiredSupported,
  validateTexts,
} from '../../../../validation/values';
import { validateAffinity } from './affinity';
import { validateContainers, validateEphemeralContainers, validateInitContainers } from './containers';
import { validateHostProcess, validateOperatingSystem } from './operating-system';
import { validateSchedulingGates, validateTolerations, validateTopologySpread } from './scheduling';
import { validateHostUsers, validatePodSecurityContext } from './security';
import { validateVolumes } from './volumes';

export interface PodSpecRules {
  /** Set for pods; templates are checked less strictly and have no name yet. */
  podName?: string;
  isPod: boolean;
}

/** Upstream `ValidatePodSpec`: of a pod, or of a template. */
export function validatePodSpec(spec: Loose, rules: PodSpecRules, field: string, errors: Errors): void {
  const graceSeconds: number | undefined = spec.terminationGracePeriodSeconds ?? undefined;
  if (graceSeconds === undefined) errors.push(required(`${field}.terminationGracePeriodSeconds`));
  const volumes = validateVolumes(spec.volumes, rules.podName, `${field}.volumes`, errors);
  const claims = validateResourceClaims(spec.resourceClaims, `${field}.resourceClaims`, errors);
  const surroundings = { volumes, claims, graceSeconds, restartPolicy: spec.restartPolicy, hostUsers: spec.hostUsers !== false };
  const containers = listOf(spec.containers);
  validateContainers(containers, surroundings, `${field}.containers`, errors);
  validateInitContainers(listOf(spec.initContainers), containers, surroundings, `${field}.initContainers`, errors);
  validateEphemeralContainers(spec, surroundings, `${field}.ephemeralContainers`, errors);
  if (isSet(spec.resources) && spec.os?.name === 'windows') {
    errors.push(forbidden(`${field}.resources`, 'may not be set for a windows pod'));
  } else if (isSet(spec.resources)) {
    validatePodLevelResources(spec.resources, claims, `${field}.resources`, errors);
    validatePodResourceConsistency(spec, `${field}.resources`, errors);
  }
  validateHostNetworkPorts(spec, rules.isPod, `${field}.containers`, errors);
  validateRequiredSupported(spec.restartPolicy, ['Always', 'OnFailure', 'Never'], `${field}.restartPolicy`, errors);
  const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
  validateRequiredSupported(spec.dnsPolicy, dnsPolicies, `${field}.dnsPolicy`, errors);
  errors.push(...validateLabelMap(spec.nodeSelector, `${field}.nodeSelector`));
  validatePodSecurityContext(spec, `${field}.securityContext`, errors);
  validateAffinity(spec.affinity, `${field}.affinity`, errors);
  validateDns(spec.dnsConfig, spec.dnsPolicy, `${field}.dnsConfig`, errors);
  for (const [index, gate] of listOf(spec.readinessGates).entries()) {
    validateQualifiedName(gate.conditionType ?? '', `${field}.readinessGates[${index}].conditionType`, errors);
  }
  validateSchedulingGates(spec.schedulingGates, `${field}.schedulingGates`, errors);
  validateTopologySpread(spec.topologySpreadConstraints, `${field}.topologySpreadConstraints`, errors);
  validateHostProcess(spec, field, errors);
  validateHostUsers(spec, field, errors);
  validateNames(spec, field, errors);
  validateOperatingSystem(spec, field, errors);
}

function validateNames(spec: Loose, field: string, errors: Errors): void {
  if (spec.serviceAccountName)
    validateTexts(isDnsSubdomain(spec.serviceAccountName), spec.serviceAccountName, `${field}.serviceAccountName`, errors);
  if (spec.nodeName) validateTexts(isDnsSubdomain(spec.nodeName), spec.nodeName, `${field}.nodeName`, errors);
  const deadline = spec.activeDeadlineSeconds;
  if (isSet(deadline)) validateTexts(inRange(deadline, 1, 2147483647), deadline, `${field}.activeDeadlineSeconds`, errors);
  if (spec.hostname) validateDnsLabel(spec.hostname, `${field}.hostname`, errors);
  if (spec.subdomain) validateDnsLabel(spec.subdomain, `${field}.subdomain`, errors);
  validateTolerations(spec.tolerations, `${field}.tolerations`, errors);
  for (const [index, alias] of listOf(spec.hostAliases).entries()) {
    validateLegacyIP(alias.ip ?? '', `${field}.hostAliases[${index}].ip`, errors);
    for (const [at, name] of listOf(alias.hostnames).entries()) {
      validateDnsSubdomain(name, `${field}.hostAliases[${index}].hostnames[${at}]`, errors);
    }
  }
  if (spec.priorityClassName) validateDnsSubdomain(spec.priorityClassName, `${field}.priorityClassName`, errors);
  if (isSet(spec.runtimeClassName)) validateDnsSubdomain(spec.runtimeClassName, `${field}.runtimeClassName`, errors);
  if (isSet(spec.preemptionPolicy)) validatePreemptionPolicy(spec.preemptionPolicy, `${field}.preemptionPolicy`, errors);
  if (isSet(spec.overhead)) validateContainerResources({ limits: spec.overhead }, new Set(), `${field}.overhead`, errors);
}

export function validatePreemptionPolicy(policy: unknown, field: string, errors: Errors): void {
  validateRequiredSupported(policy, ['PreemptLowerPriority', 'Never'], field, errors);
}

function validateResourceClaims(list: unknown, field: string, errors: Errors): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [index, claim] of listOf(list).entries()) {
    const at = `${field}[${index}]`;
    const name: string = claim.name ?? '';
    if (name === '') errors.push(required(`${at}.name`));
    else if (names.has(name)) errors.push({ type: 'FieldValueDuplicate', field: `${at}.name`, body: `Duplicate value: "${name}"` });
    else {
      validateDnsLabel(name, `${at}.name`, errors);
      names.add(name);
    }
    const given = ['resourceClaimName', 'resourceClaimTemplateName'].filter((key) => isSet(claim[key]));
    const refuse = (text: string) => errors.push(invalidValue(at, goShape('PodResourceClaim', claim), text));
    if (given.length === 2) refuse('at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified');
    if (given.length === 0) refuse('must specify one of: `resourceClaimName`, `resourceClaimTemplateName`');
    for (const key of given) validateDnsSubdomain(claim[key], `${at}.${key}`, errors);
  }
  return names;
}

/** On the host's network a container's port is the host's port; templates may leave it to defaulting. */
function validateHostNetworkPorts(spec: Loose, isPod: boolean, field: string, errors: Errors): void {
  if (!spec.hostNetwork) return;
  for (const [index, container] of listOf(spec.containers).entries()) {
    for (const [at, { hostPort = 0, containerPort = 0 }] of listOf(container.ports).entries()) {
      if ((isPod || hostPort !== 0) && hostPort !== containerPort) {
        const text = 'must match `containerPort` when `hostNetwork` is true';
        errors.push(invalidValue(`${field}[${index}].ports[${at}].hostPort`, hostPort, text));
      }
    }
  }
}

function validateDns(config: Loose, policy: string | undefined, field: string, errors: Errors): void {
  if (policy === 'None') {
    if (!isSet(config)) {
      errors.push(required(field, 'must provide `dnsConfig` when `dnsPolicy` is None'));
      return;
    }
    if (listOf(config.nameservers).length === 0) {
      errors.push(required(`${field}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None'));
      return;
    }
  }
  if (!isSet(config)) return;
  const servers = listOf(config.nameservers);
  const searches = listOf(config.searches);
  if (servers.length > 3) errors.push(invalidValue(`${field}.nameservers`, servers, 'must not have more than 3 nameservers'));
  for (const [index, server] of servers.entries()) validateLegacyIP(server, `${field}.nameservers[${index}]`, errors);
  if (searches.length > 32) errors.push(invalidValue(`${field}.searches`, searches, 'must not have more than 32 search paths'));
  if (searches.join(' ').length > 2048) {
    errors.push(
      invalidValue(`${field}.searches`, searches, 'must not have more than 2048 characters (including spaces) in the search list'),
    );
  }
  for (const [index, search] of searches.entries()) {
    if (search === '.') continue;
    const name = search.endsWith('.') ? search.slice(0, -1) : search;
    validateTexts(isDnsSubdomainWithUnderscore(name), name, `${field}.searches[${index}]`, errors);
  }
  for (const [index, option] of listOf(config.options).entries()) {
    if (!option.name) errors.push(required(`${field}.options[${index}]`, 'must not be empty'));
  }
}

/** A token belongs to a service account. */
export function validateTokensHaveAccount(spec: Loose, field: string, errors: Errors): void {
  if (spec.serviceAccountName) return;
  for (const [index, volume] of listOf(spec.volumes).entries()) {
    for (const [at, source] of listOf(volume.projected?.sources).entries()) {
      if (!isSet(source.serviceAccountToken)) continue;
      const place = `${field}.volumes[${index}].projected.sources[${at}].serviceAccountToken`;
      errors.push(forbidden(place, 'must not be specified when serviceAccountName is not set'));
    }
  }
}
