import type { KubeObject } from '#libs/kernel';
import { goQuote } from '../../../status/go-value';
import { isDnsLabel } from '../../../validation/formats';
import { oldNodeLabels } from '../../../validation/old-node-labels';
import { quantityOf } from '../../../validation/resources';
import { entriesOf, isSet, listOf, type Loose } from '../../../validation/values';
import { containersOf } from './validation/operating-system';

export function warnAboutName(name: string, use: string, warnings: string[]): void {
  const texts = isDnsLabel(name);
  if (texts.length === 0) return;
  const problem = 'which can result in surprising behavior; a DNS label is recommended';
  warnings.push(`metadata.name: this is used in ${use}, ${problem}: [${texts.join(' ')}]`);
}

export function warnAboutPod(pod: KubeObject, warnings: string[]): void {
  warnAboutName(pod.metadata.name, "the Pod's hostname", warnings);
  warnAboutAnnotations(pod.metadata.annotations, 'metadata.annotations', warnings);
  warnAboutPodSpec(pod.spec ?? {}, 'spec', warnings);
}

const deadAnnotations: [string, string, string][] = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+', 'priorityClassName'],
  ['seccomp.security.alpha.kubernetes.io/pod', 'non-functional in v1.27+', 'seccompProfile'],
];

export function warnAboutAnnotations(annotations: Record<string, string> | undefined, field: string, warnings: string[]): void {
  for (const [key, since, use] of deadAnnotations) {
    if (annotations && Object.hasOwn(annotations, key)) warnings.push(`${field}[${key}]: ${since}; use the "${use}" field instead`);
  }
}

export function warnAboutPodSpec(spec: Loose, field: string, warnings: string[]): void {
  for (const key of Object.keys(spec.nodeSelector ?? {})) {
    if (Object.hasOwn(oldNodeLabels, key)) warnings.push(`${field}.nodeSelector[${key}]: ${oldNodeLabels[key]}`);
  }
  const addresses = new Set<string>();
  for (const [index, { ip = '' }] of listOf(spec.hostAliases).entries()) {
    if (addresses.has(ip)) warnings.push(`${field}.hostAliases[${index}].ip: duplicate ip ${goQuote(ip)}`);
    addresses.add(ip);
  }
  warnAboutPullSecrets(spec.imagePullSecrets, field, warnings);
  warnAboutNullSelectors(spec, field, warnings);
  for (const [container, at] of containersOf(spec, field)) warnAboutContainer(container, at, warnings);
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

/** A selector that is left out matches nothing, which few expect. */
function warnAboutNullSelectors(spec: Loose, field: string, warnings: string[]): void {
  const check = (term: Loose, at: string) => {
    if (!isSet(term?.labelSelector)) warnings.push(`${at}.labelSelector: a null labelSelector results in matching no pod`);
  };
  for (const [index, constraint] of listOf(spec.topologySpreadConstraints).entries())
    check(constraint, `${field}.topologySpreadConstraints[${index}]`);
  const hard = 'requiredDuringSchedulingIgnoredDuringExecution';
  const soft = 'preferredDuringSchedulingIgnoredDuringExecution';
  for (const side of ['podAffinity', 'podAntiAffinity']) {
    const affinity = spec.affinity?.[side];
    for (const [index, term] of listOf(affinity?.[hard]).entries()) check(term, `${field}.affinity.${side}.${hard}[${index}]`);
    for (const [index, term] of listOf(affinity?.[soft]).entries()) {
      check(term.podAffinityTerm, `${field}.affinity.${side}.${soft}[${index}].podAffinityTerm`);
    }
  }
}

function warnAboutContainer(container: Loose, field: string, warnings: string[]): void {
  for (const part of ['limits', 'requests']) {
    for (const [name, value] of entriesOf(container.resources?.[part])) {
      if ((name === 'memory' || name === 'ephemeral-storage') && quantityOf(value).nano % 1_000_000_000n !== 0n) {
        warnings.push(
          `${field}.resources.${part}[${name}]: fractional byte value ${goQuote(String(value))} is invalid, must be an integer`,
        );
      }
    }
  }
  const variables = new Set<string>();
  for (const [index, { name = '' }] of listOf(container.env).entries()) {
    if (variables.has(name)) {
      warnings.push(`${field}.env[${index}]: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`);
    }
    variables.add(name);
  }
  const ports = new Map<string, number>();
  for (const [index, { protocol, containerPort, hostPort = 0, hostIP = '' }] of listOf(container.ports).entries()) {
    const key = `${protocol}/${containerPort}/${hostPort}/${hostIP}`;
    const first = ports.get(key);
    if (first === undefined) ports.set(key, index);
    else warnings.push(`${field}.ports[${index}]: duplicate port definition with ${field}.ports[${first}]`);
  }
}
