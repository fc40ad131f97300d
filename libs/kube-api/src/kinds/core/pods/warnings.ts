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

export function warnAboutTemplate(template: Loose, field: string, warnings: string[]): void {
  warnAboutAnnotations(template.metadata?.annotations, `${field}.metadata.annotations`, warnings);
  warnAboutPodSpec(template.spec ?? {}, `${field}.spec`, warnings);
  if (template.spec?.terminationGracePeriodSeconds < 0) {
    const text = 'must be >= 0; negative values are invalid and will be treated as 1';
    warnings.push(`${field}.spec.terminationGracePeriodSeconds: ${text}`);
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
  for (const [index, volume] of listOf(spec.volumes).entries()) warnAboutVolume(volume, `${field}.volumes[${index}]`, warnings);
  warnAboutPullSecrets(spec.imagePullSecrets, field, warnings);
  warnAboutNullSelectors(spec, field, warnings);
  const containers = containersOf(spec, field);
  for (const [container, at] of containers) warnAboutContainer(container, at, warnings);
  warnAboutPorts(containers, warnings);
  warnAboutPortNames(containers, warnings);
}

/** Sources of volumes that have no driver any more, by the name in texts. */
const goneVolumes: readonly (readonly [key: string, shown: string, since: string])[] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

const projections = ['secret', 'configMap', 'downwardAPI', 'serviceAccountToken', 'clusterTrustBundle', 'podCertificate'];

function warnAboutVolume(volume: Loose, field: string, warnings: string[]): void {
  for (const [key, shown, since] of goneVolumes) if (volume[key]) warnings.push(`${field}.${shown}: ${since}`);
  const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
  if (claim) warnAboutClaim(claim, `${field}.ephemeral.volumeClaimTemplate.spec`, warnings);
  const sources = volume.projected ? listOf(volume.projected.sources) : undefined;
  // Also where one of several is of a feature that is off, and so is nothing.
  if (sources && (sources.length === 0 || sources.some((source) => !projections.some((key) => source[key])))) {
    warnings.push(`volume ${goQuote(volume.name ?? '')} (Projected) has no sources provided`);
  }
}

/** Upstream `GetWarningsForPersistentVolumeClaimSpec`. */
export function warnAboutClaim(spec: Loose, field: string, warnings: string[]): void {
  for (const part of ['requests', 'limits']) {
    const storage = spec.resources?.[part]?.storage;
    if (!isSet(storage) || !isFractional(storage)) continue;
    warnings.push(`${field}.resources.${part}[storage]: fractional byte value ${goQuote(String(storage))} is invalid, must be an integer`);
  }
}

function isFractional(quantity: unknown): boolean {
  return quantityOf(quantity as string).nano % 1_000_000_000n !== 0n;
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
      if ((name === 'memory' || name === 'ephemeral-storage') && isFractional(value)) {
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
}

/** The same port of several containers, or twice of one: nothing says which of them is meant. */
function warnAboutPorts(containers: readonly (readonly [Loose, string])[], warnings: string[]): void {
  const known = new Map<string, { port: Loose; at: string }[]>();
  for (const [container, field] of containers) {
    for (const [index, port] of listOf(container.ports).entries()) {
      const at = `${field}.ports[${index}]`;
      if (port.hostIP && !port.hostPort) warnings.push(`${at}: hostIP set without hostPort: ${portText(port)}`);
      const key = `${port.containerPort}/${port.protocol}`;
      const others = known.get(key) ?? [];
      known.set(key, others);
      for (const other of others) {
        const clash = clashOf(port, other.port);
        if (clash) warnings.push(`${at}: ${clash} port definition with ${other.at}`);
      }
      others.push({ port, at });
    }
  }
}

/** As Go prints the struct, names and all. */
function portText({ name = '', hostPort = 0, containerPort = 0, protocol = '', hostIP = '' }: Loose): string {
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
}

/** The same name for ports of several containers: whoever looks for a port by it finds the first. */
function warnAboutPortNames(containers: readonly (readonly [Loose, string])[], warnings: string[]): void {
  const known = new Map<string, string>();
  for (const [container, field] of containers) {
    for (const [index, { name }] of listOf(container.ports).entries()) {
      if (!name) continue;
      const at = `${field}.ports[${index}]`;
      const first = known.get(name);
      if (first === undefined) known.set(name, at);
      else {
        const found = `services and probes that select ports by name will use ${first}`;
        warnings.push(`${at}: duplicate port name ${goQuote(name)} with ${first}, ${found}`);
      }
    }
  }
}

function clashOf({ hostIP = '', hostPort = 0 }: Loose, { hostIP: otherIP = '', hostPort: otherPort = 0 }: Loose): string | undefined {
  if (hostIP === otherIP && hostPort === otherPort) return 'duplicate';
  if (hostPort === 0 || otherPort === 0) return 'overlapping';
  return hostPort === otherPort && (hostIP === '') !== (otherIP === '') ? 'dangerously ambiguous' : undefined;
}
