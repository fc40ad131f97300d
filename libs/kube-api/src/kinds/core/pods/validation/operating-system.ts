import { forbidden, invalidValue, required, unsupported } from '../../../../status/field-error';
import type { Errors, Loose } from '../../../../validation/values';
import { isSet, listOf } from '../../../../validation/values';

/** Every container of a pod spec with its path: init, regular, ephemeral. */
export function containersOf(spec: Loose, field: string): [Loose, string][] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    listOf(spec[list]).map((container, index): [Loose, string] => [container, `${field}.${list}[${index}]`]),
  );
}

const windowsPodFields = [
  ['appArmorProfile', 'seLinuxOptions'],
  ['seccompProfile', 'fsGroup', 'fsGroupChangePolicy', 'sysctls'],
  ['runAsUser', 'runAsGroup', 'supplementalGroups', 'supplementalGroupsPolicy', 'seLinuxChangePolicy'],
] as const;

const windowsContainerFields = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

const notOnWindows = 'cannot be set for a windows pod';

/** `os`: each system refuses the other's security settings. */
export function validateOperatingSystem(spec: Loose, field: string, errors: Errors): void {
  if (!isSet(spec.os)) return;
  const name: string = spec.os.name ?? '';
  if (name === '') errors.push(required(`${field}.os.name`));
  else if (name === 'linux') validateLinux(spec, field, errors);
  else if (name === 'windows') validateWindows(spec, field, errors);
  else errors.push(unsupported(`${field}.os`, name, ['linux', 'windows']));
}

function validateLinux(spec: Loose, field: string, errors: Errors): void {
  const text = 'windows options cannot be set for a linux pod';
  if (isSet(spec.securityContext?.windowsOptions)) errors.push(forbidden(`${field}.securityContext.windowsOptions`, text));
  for (const [container, at] of containersOf(spec, field)) {
    if (isSet(container.securityContext?.windowsOptions)) errors.push(forbidden(`${at}.securityContext.windowsOptions`, text));
  }
}

function validateWindows(spec: Loose, field: string, errors: Errors): void {
  const context: Loose = spec.securityContext ?? {};
  const [first, second, third] = windowsPodFields;
  const refuse = (keys: readonly string[]) => {
    for (const key of keys) {
      const value = context[key];
      if (isSet(value) && !(key === 'sysctls' && value.length === 0))
        errors.push(forbidden(`${field}.securityContext.${key}`, notOnWindows));
    }
  };
  refuse(first);
  if (isSet(spec.hostUsers)) errors.push(forbidden(`${field}.hostUsers`, notOnWindows));
  for (const key of ['hostPID', 'hostIPC']) if (spec[key]) errors.push(forbidden(`${field}.${key}`, notOnWindows));
  refuse(second);
  if (isSet(spec.shareProcessNamespace)) errors.push(forbidden(`${field}.shareProcessNamespace`, notOnWindows));
  refuse(third);
  for (const [container, at] of containersOf(spec, field)) {
    for (const key of windowsContainerFields) {
      if (isSet(container.securityContext?.[key])) errors.push(forbidden(`${at}.securityContext.${key}`, notOnWindows));
    }
  }
}

/** Windows host processes: all containers or none, and only on the host's network. */
export function validateHostProcess(spec: Loose, field: string, errors: Errors): void {
  const ofPod: boolean | undefined = spec.securityContext?.windowsOptions?.hostProcess ?? undefined;
  const containers = containersOf(spec, field);
  let count = 0;
  for (const [container, at] of containers) {
    const own: boolean | undefined = container.securityContext?.windowsOptions?.hostProcess ?? undefined;
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const text = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      errors.push(invalidValue(`${at}.securityContext.windowsOptions.hostProcess`, own, text));
    }
    if (own ?? ofPod) count++;
  }
  if (count === 0) return;
  if (count !== containers.length) {
    errors.push(invalidValue(field, '', 'If pod contains any hostProcess containers then all containers must be HostProcess containers'));
  }
  if (!spec.hostNetwork) {
    errors.push(invalidValue(`${field}.hostNetwork`, false, 'hostNetwork must be true if pod contains any hostProcess containers'));
  }
}
