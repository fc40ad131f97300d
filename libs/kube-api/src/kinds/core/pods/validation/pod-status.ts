import type { KubeObject } from '#libs/kernel';
import { duplicate, forbidden, internalFieldError, invalidValue } from '../../../../status/field-error';
import { isDnsSubdomain } from '../../../../validation/formats';
import { parseLegacyAddress, validateLegacyIP } from '../../../../validation/legacy-addresses';
import { goShape } from '../../../../validation/go-shapes';
import type { Errors, Loose } from '../../../../validation/values';
import { isSet, listOf, validateTexts } from '../../../../validation/values';
import { validateId } from './security';

/** A container that has ended for good stays ended. */
export function validateStateTransitions(updated: KubeObject, old: KubeObject, errors: Errors): void {
  const policy: string = old.spec?.restartPolicy ?? '';
  const sidecars = new Set<string>(
    listOf(old.spec?.initContainers)
      .filter(({ restartPolicy }) => restartPolicy === 'Always')
      .map(({ name }) => name),
  );
  compareStates('containerStatuses', policy, () => false, updated, old, errors);
  compareStates('initContainerStatuses', policy, (name) => sidecars.has(name), updated, old, errors);
  compareStates('ephemeralContainerStatuses', 'Never', () => false, updated, old, errors);
}

function compareStates(
  list: string,
  policy: string,
  mayRestart: (name: string) => boolean,
  updated: KubeObject,
  old: KubeObject,
  errors: Errors,
): void {
  if (policy === 'Always') return;
  for (const [index, before] of listOf(old.status?.[list]).entries()) {
    const ended = before.state?.terminated;
    if (!isSet(ended) || (ended.exitCode !== 0 && policy === 'OnFailure') || mayRestart(before.name)) continue;
    for (const now of listOf(updated.status?.[list])) {
      if (now.name === before.name && !isSet(now.state?.terminated)) {
        errors.push(forbidden(`status.${list}[${index}].state`, 'may not be transitioned to non-terminated state'));
      }
    }
  }
}

/** At most one address of each family. */
export function validatePodAddresses(status: Loose, errors: Errors): void {
  validateAddresses(listOf(status.podIPs), 'PodIP', 'status.podIPs', errors);
  const hostIPs = listOf(status.hostIPs);
  if (hostIPs.length > 0 && (status.hostIP ?? '') !== (hostIPs[0].ip ?? '')) {
    errors.push(invalidValue('status.hostIPs[0].ip', hostIPs[0].ip ?? '', 'must be equal to `hostIP`'));
  }
  validateAddresses(hostIPs, 'HostIP', 'status.hostIPs', errors);
}

function validateAddresses(list: Loose[], type: 'PodIP' | 'HostIP', field: string, errors: Errors): void {
  const addresses: string[] = list.map(({ ip = '' }) => ip);
  for (const [index, ip] of addresses.entries()) validateLegacyIP(ip, `${field}[${index}]`, errors);
  if (list.length < 2) return;
  const parsed = addresses.map(parseLegacyAddress);
  const wrong = parsed.findIndex((address) => !address);
  if (wrong >= 0)
    errors.push(internalFieldError(field, `failed to check for dual stack with error:invalid IP[${wrong}]: ${addresses[wrong]}`));
  if (wrong >= 0 || list.length > 2 || new Set(parsed.map((address) => address?.family)).size < 2) {
    const shown = list.map((item) => goShape(type, item));
    errors.push(invalidValue(field, shown, 'may specify no more than one IP for each IP family'));
  }
}

/** Whom the containers run as, as the kubelet tells it. */
export function validateStatusUsers(pod: KubeObject, errors: Errors): void {
  const system: string = isSet(pod.spec?.os) ? (pod.spec?.os.name ?? '') : 'linux';
  for (const list of ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses']) {
    for (const [index, { user }] of listOf(pod.status?.[list]).entries()) {
      if (!isSet(user?.linux)) continue;
      const field = `status.${list}[${index}].user.linux`;
      if (system === 'windows') errors.push(forbidden(field, 'cannot be set for a windows pod'));
      if (system !== 'linux') continue;
      const { uid = 0, gid = 0, supplementalGroups } = user.linux;
      validateId(uid, `${field}.uid`, errors);
      validateId(gid, `${field}.gid`, errors);
      for (const [place, group] of listOf(supplementalGroups).entries()) validateId(group, `${field}.supplementalGroups[${place}]`, errors);
    }
  }
}

/** Each names a claim of the pod, and none the same one. */
export function validateClaimStatuses(pod: KubeObject, errors: Errors): void {
  const claims = new Set(listOf(pod.spec?.resourceClaims).map(({ name = '' }) => name));
  const seen = new Set<string>();
  for (const [index, { name = '', resourceClaimName }] of listOf(pod.status?.resourceClaimStatuses).entries()) {
    const field = `status.resourceClaimStatuses[${index}].name`;
    if (!claims.has(name)) errors.push(invalidValue(field, name, 'must match the name of an entry in `spec.resourceClaims`'));
    if (seen.has(name)) errors.push(duplicate(field, name));
    seen.add(name);
    if (isSet(resourceClaimName)) validateTexts(isDnsSubdomain(resourceClaimName), resourceClaimName, field, errors);
  }
}
