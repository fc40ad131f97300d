import { duplicate, forbidden, invalidValue, notFoundValue, required } from '../../../../status/field-error';
import { isPortName, isPortNumber } from '../../../../validation/formats';
import { goShape } from '../../../../validation/go-shapes';
import { validateContainerResources } from '../../../../validation/resources';
import type { Errors, Loose } from '../../../../validation/values';
import { isSet, listOf, validateDnsLabel, validateRequiredSupported, validateTexts } from '../../../../validation/values';
import { validateEnv, validateEnvFrom } from './environment';
import { validateLifecycle, validateProbe } from './handlers';
import { validateContainerSecurityContext } from './security';
import type { Volumes } from './volumes';
import { validateVolumeDevices, validateVolumeMounts } from './volumes';

/** What the containers of one pod have in common. */
export interface PodSurroundings {
  readonly volumes: Volumes;
  /** Names in `resourceClaims`. */
  readonly claims: ReadonlySet<string>;
  readonly graceSeconds: number | undefined;
  readonly restartPolicy: string | undefined;
  readonly hostUsers: boolean;
}

function validateCommon(container: Loose, pod: PodSurroundings, field: string, errors: Errors): void {
  if (!container.name) errors.push(required(`${field}.name`));
  else validateDnsLabel(container.name, `${field}.name`, errors);
  if (!container.image) errors.push(required(`${field}.image`));
  validateRequiredSupported(
    container.terminationMessagePolicy,
    ['File', 'FallbackToLogsOnError'],
    `${field}.terminationMessagePolicy`,
    errors,
  );
  validatePorts(container.ports, `${field}.ports`, errors);
  validateEnv(container.env, `${field}.env`, errors);
  validateEnvFrom(container.envFrom, `${field}.envFrom`, errors);
  validateVolumeMounts(container, pod.volumes, `${field}.volumeMounts`, errors);
  validateVolumeDevices(container, pod.volumes, `${field}.volumeDevices`, errors);
  validateRequiredSupported(container.imagePullPolicy, ['Always', 'IfNotPresent', 'Never'], `${field}.imagePullPolicy`, errors);
  validateContainerResources(container.resources, pod.claims, `${field}.resources`, errors);
  validateResizePolicy(container.resizePolicy, pod.restartPolicy, `${field}.resizePolicy`, errors);
  validateContainerSecurityContext(container.securityContext, pod.hostUsers, `${field}.securityContext`, errors);
}

function validatePorts(list: unknown, field: string, errors: Errors): void {
  const names = new Set<string>();
  for (const [index, port] of listOf(list).entries()) {
    const at = `${field}[${index}]`;
    if (port.name) {
      const texts = isPortName(port.name);
      if (texts.length > 0) validateTexts(texts, port.name, `${at}.name`, errors);
      else if (names.has(port.name)) errors.push(duplicate(`${at}.name`, port.name));
      else names.add(port.name);
    }
    if (!port.containerPort) errors.push(required(`${at}.containerPort`));
    else validateTexts(isPortNumber(port.containerPort), port.containerPort, `${at}.containerPort`, errors);
    if (port.hostPort) validateTexts(isPortNumber(port.hostPort), port.hostPort, `${at}.hostPort`, errors);
    validateRequiredSupported(port.protocol, ['SCTP', 'TCP', 'UDP'], `${at}.protocol`, errors);
  }
}

const restartOnResize = ['NotRequired', 'RestartContainer'];

function validateResizePolicy(list: unknown, restartPolicy: string | undefined, field: string, errors: Errors): void {
  const seen = new Set<string>();
  for (const [index, policy] of listOf(list).entries()) {
    const { resourceName = '', restartPolicy: onResize = '' } = policy;
    if (seen.has(resourceName)) errors.push(duplicate(`${field}[${index}]`, resourceName));
    seen.add(resourceName);
    validateRequiredSupported(resourceName, ['cpu', 'memory'], field, errors);
    validateRequiredSupported(onResize, restartOnResize, field, errors);
    if (restartPolicy === 'Never' && onResize !== 'NotRequired') {
      errors.push(invalidValue(field, onResize, "must be 'NotRequired' when `restartPolicy` is 'Never'"));
    }
  }
}

function validateHooksAndProbes(container: Loose, pod: PodSurroundings, field: string, errors: Errors): void {
  validateLifecycle(container.lifecycle, pod.graceSeconds, `${field}.lifecycle`, errors);
  validateProbe('liveness', container.livenessProbe, `${field}.livenessProbe`, errors);
  validateProbe('readiness', container.readinessProbe, `${field}.readinessProbe`, errors);
  validateProbe('startup', container.startupProbe, `${field}.startupProbe`, errors);
}

/** The same port of the host cannot be taken twice by containers that run together. */
function validateHostPorts(containers: Loose[], field: string, errors: Errors): void {
  const taken = new Set<string>();
  for (const [index, container] of containers.entries()) {
    for (const [at, { hostPort, hostIP = '', protocol }] of listOf(container.ports).entries()) {
      if (!hostPort) continue;
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(key)) errors.push(duplicate(`${field}[${index}].ports[${at}].hostPort`, key));
      else taken.add(key);
    }
  }
}

export function validateContainers(containers: Loose[], pod: PodSurroundings, field: string, errors: Errors): void {
  if (containers.length === 0) {
    errors.push(required(field));
    return;
  }
  const names = new Set<string>();
  for (const [index, container] of containers.entries()) {
    const at = `${field}[${index}]`;
    validateCommon(container, pod, at, errors);
    const name: string = container.name ?? '';
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    else names.add(name);
    validateHooksAndProbes(container, pod, at, errors);
    if (isSet(container.restartPolicy)) errors.push(forbidden(`${at}.restartPolicy`, 'may not be set for non-init containers'));
  }
  validateHostPorts(containers, field, errors);
}

const withoutRestart = 'may not be set for init containers without restartPolicy=Always';

/** Init containers; one that restarts always is a sidecar and may have hooks and probes. */
export function validateInitContainers(containers: Loose[], regular: Loose[], pod: PodSurroundings, field: string, errors: Errors): void {
  const names = new Set<string>(regular.map(({ name }) => name ?? ''));
  for (const [index, container] of containers.entries()) {
    const at = `${field}[${index}]`;
    validateCommon(container, pod, at, errors);
    const { restartPolicy } = container;
    const name: string = container.name ?? '';
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    else if (name !== '') names.add(name);
    validateHostPorts([container], field, errors);
    if (restartPolicy === 'Always') validateHooksAndProbes(container, pod, at, errors);
    else {
      for (const key of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']) {
        if (isSet(container[key])) errors.push(forbidden(`${at}.${key}`, withoutRestart));
      }
    }
    if (restartPolicy !== 'Always' && listOf(container.resizePolicy).length > 0) {
      const shown = listOf(container.resizePolicy).map((policy) => goShape('ContainerResizePolicy', policy));
      errors.push(invalidValue(`${at}.resizePolicy`, shown, 'must not be set for init containers'));
    }
  }
}

/** What an ephemeral container may not have, in the order of its fields. */
const refusedInEphemeral = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
];
const notForEphemeral = 'cannot be set for an Ephemeral Container';

function isUsed(key: string, value: Loose): boolean {
  if (!isSet(value)) return false;
  return key !== 'resources' || Object.values(value).some(isSet);
}

export function validateEphemeralContainers(spec: Loose, pod: PodSurroundings, field: string, errors: Errors): void {
  const others = new Set<string>([...listOf(spec.containers), ...listOf(spec.initContainers)].map(({ name }) => name ?? ''));
  const names = new Set(others);
  for (const [index, container] of listOf(spec.ephemeralContainers).entries()) {
    const at = `${field}[${index}]`;
    validateCommon(container, pod, at, errors);
    validateImageSpaces(container, at, errors);
    const name: string = container.name ?? '';
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    else names.add(name);
    const target: string = container.targetContainerName ?? '';
    if (target !== '' && !others.has(target)) errors.push(notFoundValue(`${at}.targetContainerName`, target));
    for (const key of refusedInEphemeral) if (isUsed(key, container[key])) errors.push(forbidden(`${at}.${key}`, notForEphemeral));
    for (const [place, mount] of listOf(container.volumeMounts).entries()) {
      for (const key of ['subPath', 'subPathExpr'])
        if (mount[key]) errors.push(forbidden(`${at}.volumeMounts[${place}].${key}`, notForEphemeral));
    }
  }
}

/** Pods are stricter than templates, whose images may be filled in later. */
export function validateImageSpaces(container: Loose, field: string, errors: Errors): void {
  const image: string = container.image ?? '';
  if (image !== image.trim()) errors.push(invalidValue(`${field}.image`, image, 'must not have leading or trailing whitespace'));
}
