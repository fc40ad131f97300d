import { duplicate, forbidden, invalidValue, required, tooLong, unsupported } from '../../../../status/field-error';
import { byteLength, inRange, isDnsSubdomain } from '../../../../validation/formats';
import { goShape } from '../../../../validation/go-shapes';
import type { Errors, Loose } from '../../../../validation/values';
import { isSet, listOf, validateSupported, validateTexts } from '../../../../validation/values';
import { validateLocalDescendingPath } from './paths';

const idMax = 2147483647;

export function validateId(id: unknown, field: string, errors: Errors): void {
  if (typeof id === 'number') validateTexts(inRange(id, 0, idMax), id, field, errors);
}

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function validateSeccomp(profile: Loose, field: string, errors: Errors): void {
  if (!isSet(profile)) return;
  if (!profile.type) errors.push(required(`${field}.type`, 'type is required when seccompProfile is set'));
  else validateSupported(profile.type, profileTypes, `${field}.type`, errors);
  if (profile.type === 'Localhost') {
    if (!isSet(profile.localhostProfile)) errors.push(required(`${field}.localhostProfile`, 'must be set when seccomp type is Localhost'));
    else validateLocalDescendingPath(profile.localhostProfile, `${field}.localhostProfile`, errors);
  } else if (isSet(profile.localhostProfile)) {
    const text = 'can only be set when seccomp type is Localhost';
    errors.push(invalidValue(`${field}.localhostProfile`, goShape('SeccompProfile', profile), text));
  }
}

export function validateAppArmor(profile: Loose, field: string, errors: Errors): void {
  if (!isSet(profile)) return;
  const local: string | undefined = profile.localhostProfile ?? undefined;
  const at = `${field}.localhostProfile`;
  if (!profile.type) errors.push(required(`${field}.type`, 'type is required when appArmorProfile is set'));
  else if (profile.type === 'Localhost') {
    if (local === undefined || local.trim() === '') {
      if (local !== undefined && local !== '') errors.push(invalidValue(at, local, 'must not be padded with whitespace'));
      else errors.push(required(at, 'must be set when AppArmor type is Localhost'));
    } else if (local.trim() !== local) errors.push(invalidValue(at, local, 'must not be padded with whitespace'));
    if (local !== undefined && byteLength(local) > 4095) errors.push(tooLong(at, 4095));
  } else if (!profileTypes.includes(profile.type)) errors.push(unsupported(`${field}.type`, profile.type, profileTypes));
  else if (local !== undefined) errors.push(invalidValue(at, local, 'can only be set when AppArmor type is Localhost'));
}

const credentialBytesMax = 65_536;
const userLengthMax = 104;
const userNameForbidden = /["/\\:;|=,+*?<>@[\]]/;
// eslint-disable-next-line no-control-regex
const controlCharacters = /[\u0000-\u001f\u007f-\u009f]/;

function validateWindowsOptions(options: Loose, field: string, errors: Errors): void {
  if (!isSet(options)) return;
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options;
  if (isSet(name)) validateTexts(isDnsSubdomain(name), name, `${field}.gmsaCredentialSpecName`, errors);
  if (spec === '') errors.push(invalidValue(`${field}.gmsaCredentialSpec`, spec, 'gmsaCredentialSpec cannot be an empty string'));
  else if (isSet(spec) && byteLength(spec) > credentialBytesMax) {
    errors.push(invalidValue(`${field}.gmsaCredentialSpec`, spec, 'gmsaCredentialSpec size must be under 64 KiB'));
  }
  if (isSet(user)) validateWindowsUser(user, `${field}.runAsUserName`, errors);
}

/** `DOMAIN\\user` or `user`. */
function validateWindowsUser(given: string, field: string, errors: Errors): void {
  const refuse = (text: string) => errors.push(invalidValue(field, given, text));
  if (given === '') return void refuse('runAsUserName cannot be an empty string');
  if (controlCharacters.test(given)) return void refuse('runAsUserName cannot contain control characters');
  const parts = given.split('\\');
  if (parts.length > 2) return void refuse('runAsUserName cannot contain more than one backslash');
  const user = parts.at(-1) as string;
  if (user === '') refuse("runAsUserName's User cannot be empty");
  else if (user.length > userLengthMax) refuse(`runAsUserName's User length must not be longer than ${userLengthMax} characters`);
  if (/^[. ]+$/.test(user)) refuse("runAsUserName's User cannot contain only periods or spaces");
  if (userNameForbidden.test(user)) refuse('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
}

const sysctlExpression = '([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const sysctlName = new RegExp(`^${sysctlExpression}$`);

function sysctlNamespace(name: string): 'net' | 'ipc' | undefined {
  const dotted = name.replaceAll('/', '.');
  if (dotted.startsWith('net.')) return 'net';
  return /^(kernel\.(msg|sem|shm)|fs\.mqueue\.)/.test(dotted) ? 'ipc' : undefined;
}

function validateSysctls(spec: Loose, sysctls: Loose[], field: string, errors: Errors): void {
  const names = new Set<string>();
  for (const [index, { name = '' }] of sysctls.entries()) {
    const at = `${field}[${index}].name`;
    if (name === '') errors.push(required(at));
    else if (name.length > 253 || !sysctlName.test(name)) {
      errors.push(invalidValue(at, name, `must have at most 253 characters and match regex ^${sysctlExpression}$`));
    } else if (names.has(name)) errors.push(duplicate(at, name));
    const space = sysctlNamespace(name);
    if (spec.hostNetwork && space === 'net') errors.push(invalidValue(at, name, "may not be specified when 'hostNetwork' is true"));
    else if (spec.hostIPC && space === 'ipc') errors.push(invalidValue(at, name, "may not be specified when 'hostIPC' is true"));
    names.add(name);
  }
}

/** `securityContext` of a pod; the host's namespaces, which the API keeps beside it, belong to it. */
export function validatePodSecurityContext(spec: Loose, field: string, errors: Errors): void {
  const context: Loose = spec.securityContext ?? {};
  validateId(context.fsGroup, `${field}.fsGroup`, errors);
  validateId(context.runAsUser, `${field}.runAsUser`, errors);
  validateId(context.runAsGroup, `${field}.runAsGroup`, errors);
  for (const [index, id] of listOf(context.supplementalGroups).entries()) validateId(id, `${field}.supplementalGroups[${index}]`, errors);
  if (spec.shareProcessNamespace && spec.hostPID) {
    errors.push(invalidValue(`${field}.shareProcessNamespace`, true, 'ShareProcessNamespace and HostPID cannot both be enabled'));
  }
  validateSysctls(spec, listOf(context.sysctls), `${field}.sysctls`, errors);
  if (isSet(context.fsGroupChangePolicy)) {
    validateSupported(context.fsGroupChangePolicy, ['Always', 'OnRootMismatch'], `${field}.fsGroupChangePolicy`, errors);
  }
  validateSeccomp(context.seccompProfile, `${field}.seccompProfile`, errors);
  validateWindowsOptions(context.windowsOptions, `${field}.windowsOptions`, errors);
  validateAppArmor(context.appArmorProfile, `${field}.appArmorProfile`, errors);
  if (isSet(context.supplementalGroupsPolicy)) {
    validateSupported(context.supplementalGroupsPolicy, ['Merge', 'Strict'], `${field}.supplementalGroupsPolicy`, errors);
  }
  if (isSet(context.seLinuxChangePolicy)) {
    // MountOption belongs to a feature that is off by default in the recorded release.
    validateSupported(context.seLinuxChangePolicy, ['Recursive'], `${field}.seLinuxChangePolicy`, errors);
  }
}

/** `hostUsers`: whether the pod shares the host's users, which it does unless it says no. */
export function validateContainerSecurityContext(context: Loose, hostUsers: boolean, field: string, errors: Errors): void {
  if (!isSet(context)) return;
  validateId(context.runAsUser, `${field}.runAsUser`, errors);
  validateId(context.runAsGroup, `${field}.runAsGroup`, errors);
  if (isSet(context.procMount)) {
    validateSupported(context.procMount, ['Default', 'Unmasked'], `${field}.procMount`, errors);
    if (hostUsers && context.procMount === 'Unmasked') {
      errors.push(invalidValue(`${field}.procMount`, context.procMount, '`hostUsers` must be false to use `Unmasked`'));
    }
  }
  validateSeccomp(context.seccompProfile, `${field}.seccompProfile`, errors);
  if (context.allowPrivilegeEscalation === false) {
    const refuse = (text: string) => errors.push(invalidValue(field, goShape('SecurityContext', context), text));
    if (context.privileged) refuse('cannot set `allowPrivilegeEscalation` to false and `privileged` to true');
    if (listOf(context.capabilities?.add).includes('CAP_SYS_ADMIN')) {
      refuse('cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN');
    }
  }
  validateWindowsOptions(context.windowsOptions, `${field}.windowsOptions`, errors);
  validateAppArmor(context.appArmorProfile, `${field}.appArmorProfile`, errors);
}

/** A pod with its own users cannot share the host's other namespaces. */
export function validateHostUsers(spec: Loose, field: string, errors: Errors): void {
  if (spec.hostUsers !== false) return;
  const text = 'when `pod.Spec.HostUsers` is false';
  if (spec.hostNetwork) errors.push(forbidden(`${field}.hostNetwork`, text));
  if (spec.hostPID) errors.push(forbidden(`${field}.HostPID`, text));
  if (spec.hostIPC) errors.push(forbidden(`${field}.HostIPC`, text));
}
