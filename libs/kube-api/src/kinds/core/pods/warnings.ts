import type { KubeObject } from '#libs/kernel';
import { goQuote } from '../../../status/go-value';
import { isDnsLabel } from '../../../validation/formats';
import { warnAboutIP } from '../../../validation/legacy-addresses';
import { oldLabelText, warnAboutNodeTerm } from '../../../validation/old-node-labels';
import { isFractional } from '../../../validation/resources';
import { entriesOf, isSet, listOf, type Loose } from '../../../validation/values';
import { warnAboutAppArmor } from './app-armor';
import { warnAboutPortNames, warnAboutPorts } from './port-warnings';
import { seccompContainer, seccompPod } from './validation/annotations';
import { containersOf } from './validation/operating-system';
import { warnAboutVolumes } from './volume-warnings';

export function warnAboutName(name: string, use: string, warnings: string[]): void {
  const texts = isDnsLabel(name);
  if (texts.length === 0) return;
  const problem = 'which can result in surprising behavior; a DNS label is recommended';
  warnings.push(`metadata.name: this is used in ${use}, ${problem}: [${texts.join(' ')}]`);
}

/** `field`: where the pod's metadata and spec are, with the point behind it; empty for a pod itself. */
function warnAboutMetadataAndSpec({ metadata, spec = {} }: Loose, field: string, warnings: string[]): void {
  const annotations: Annotations = metadata?.annotations ?? {};
  warnAboutNodeLabels(spec, `${field}spec`, warnings);
  for (const [key, text] of deadAnnotations) {
    if (Object.hasOwn(annotations, key)) warnings.push(`${field}metadata.annotations[${key}]: ${text}`);
  }
  warnAboutVolumes(spec.volumes, `${field}spec.volumes`, warnings);
  warnAboutProfiles(spec, annotations, field, warnings);
  warnAboutPodSpec(spec, `${field}spec`, warnings);
  if (spec.terminationGracePeriodSeconds < 0) {
    const text = 'must be >= 0; negative values are invalid and will be treated as 1';
    warnings.push(`${field}spec.terminationGracePeriodSeconds: ${text}`);
  }
  for (const [index, address] of listOf(spec.dnsConfig?.nameservers).entries())
    warnAboutIP(address, `${field}spec.dnsConfig.nameservers[${index}]`, warnings);
  for (const [index, { ip = '' }] of listOf(spec.hostAliases).entries()) warnAboutIP(ip, `${field}spec.hostAliases[${index}].ip`, warnings);
}

/** A new pod. What its old AppArmor annotations have become was told when it was made ready (`app-armor.ts`). */
export function warnAboutPod(pod: KubeObject, warnings: string[]): void {
  warnAboutName(pod.metadata.name, "the Pod's hostname", warnings);
  warnAboutMetadataAndSpec(pod, '', warnings);
}

export function warnAboutPodAddresses({ status }: KubeObject, warnings: string[]): void {
  for (const list of ['podIPs', 'hostIPs']) {
    for (const [index, { ip = '' }] of listOf(status?.[list]).entries()) warnAboutIP(ip, `status.${list}[${index}].ip`, warnings);
  }
}

export function warnAboutTemplate(template: Loose, field: string, warnings: string[]): void {
  warnAboutMetadataAndSpec(template, `${field}.`, warnings);
  warnAboutAppArmor(template, `${field}.`, warnings);
}

type Annotations = Record<string, string>;

const sysctls = 'non-functional in v1.11+; use the "sysctls" field instead';
const deadAnnotations: readonly (readonly [key: string, text: string])[] = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', sysctls],
  ['security.alpha.kubernetes.io/unsafe-sysctls', sysctls],
];

/** Labels of nodes that have become something else, wherever nodes are chosen by them. */
function warnAboutNodeLabels(spec: Loose, field: string, warnings: string[]): void {
  for (const key of Object.keys(spec.nodeSelector ?? {})) {
    const text = oldLabelText(key);
    if (text !== undefined) warnings.push(`${field}.nodeSelector[${key}]: ${text}`);
  }
  const at = `${field}.affinity.nodeAffinity`;
  const { [hard]: required, [soft]: preferred }: Loose = spec.affinity?.nodeAffinity ?? {};
  for (const [index, term] of listOf(required?.nodeSelectorTerms).entries())
    warnAboutNodeTerm(term, false, `${at}.${hard}.nodeSelectorTerms[${index}]`, warnings);
  for (const [index, { preference }] of listOf(preferred).entries())
    warnAboutNodeTerm(preference, true, `${at}.${soft}[${index}].preference`, warnings);
  for (const [index, { topologyKey = '' }] of listOf(spec.topologySpreadConstraints).entries()) {
    const text = oldLabelText(topologyKey);
    if (text !== undefined) warnings.push(`${field}.topologySpreadConstraints[${index}].topologyKey: ${topologyKey} is ${text}`);
  }
}

/** Annotations that no kubelet reads any more, where the field that took their place is not set. */
function warnAboutProfiles(spec: Loose, annotations: Annotations, field: string, warnings: string[]): void {
  const warn = (key: string, context: Loose) => {
    if (isSet(context?.seccompProfile) || !Object.hasOwn(annotations, key)) return;
    warnings.push(`${field}metadata.annotations[${key}]: non-functional in v1.27+; use the "seccompProfile" field instead`);
  };
  warn(seccompPod, spec.securityContext);
  for (const [{ name = '', securityContext }] of containersOf(spec, '')) warn(`${seccompContainer}${name}`, securityContext);
}

function warnAboutPodSpec(spec: Loose, field: string, warnings: string[]): void {
  const addresses = new Set<string>();
  for (const [index, { ip = '' }] of listOf(spec.hostAliases).entries()) {
    if (addresses.has(ip)) warnings.push(`${field}.hostAliases[${index}].ip: duplicate ip ${goQuote(ip)}`);
    addresses.add(ip);
  }
  warnAboutPullSecrets(spec.imagePullSecrets, field, warnings);
  warnAboutBytes(spec.overhead, `${field}.overhead`, warnings);
  warnAboutNullSelectors(spec, field, warnings);
  const containers = containersOf(spec, field);
  for (const [container, at] of containers) warnAboutContainer(container, at, warnings);
  warnAboutPorts(containers, warnings);
  warnAboutPortNames(containers, warnings);
}

/** Amounts of bytes with a fraction. */
function warnAboutBytes(amounts: unknown, field: string, warnings: string[]): void {
  for (const [name, value] of entriesOf(amounts)) {
    if ((name !== 'memory' && name !== 'ephemeral-storage') || !isFractional(value)) continue;
    warnings.push(`${field}[${name}]: fractional byte value ${goQuote(String(value))} is invalid, must be an integer`);
  }
}

function warnAboutPullSecrets(list: unknown, field: string, warnings: string[]): void {
  const seen = new Set<string>();
  for (const [index, { name = '' }] of listOf(list).entries()) {
    const at = `${field}.imagePullSecrets[${index}].name`;
    if (name === '') warnings.push(`${at}: invalid empty name ${goQuote(name)}`);
    else if (seen.has(name)) warnings.push(`${at}: duplicate name ${goQuote(name)}`);
    seen.add(name);
  }
}

const hard = 'requiredDuringSchedulingIgnoredDuringExecution';
const soft = 'preferredDuringSchedulingIgnoredDuringExecution';

/** A selector that is left out matches nothing, which few expect. */
function warnAboutNullSelectors(spec: Loose, field: string, warnings: string[]): void {
  const check = (term: Loose, at: string) => {
    if (!isSet(term?.labelSelector)) warnings.push(`${at}.labelSelector: a null labelSelector results in matching no pod`);
  };
  for (const [index, constraint] of listOf(spec.topologySpreadConstraints).entries())
    check(constraint, `${field}.topologySpreadConstraints[${index}]`);
  for (const side of ['podAffinity', 'podAntiAffinity']) {
    const affinity = spec.affinity?.[side];
    for (const [index, term] of listOf(affinity?.[hard]).entries()) check(term, `${field}.affinity.${side}.${hard}[${index}]`);
    for (const [index, term] of listOf(affinity?.[soft]).entries()) {
      check(term.podAffinityTerm, `${field}.affinity.${side}.${soft}[${index}].podAffinityTerm`);
    }
  }
}

function warnAboutContainer(container: Loose, field: string, warnings: string[]): void {
  for (const part of ['limits', 'requests']) warnAboutBytes(container.resources?.[part], `${field}.resources.${part}`, warnings);
  const variables = new Set<string>();
  for (const [index, { name = '', value = '', valueFrom }] of listOf(container.env).entries()) {
    const former = `$(${name})`;
    // What is made of the former value hides nothing.
    const isAddition = !isSet(valueFrom) && value !== former && value.includes(former);
    if (variables.has(name) && !isAddition) {
      warnings.push(`${field}.env[${index}]: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`);
    }
    variables.add(name);
  }
}
