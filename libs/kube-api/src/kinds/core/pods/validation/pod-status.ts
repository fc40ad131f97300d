import type { KubeObject } from '#libs/kernel';
import { duplicate, forbidden, invalidValue } from '../../../../status/field-error';
import { parseAddress, validateIP } from '../../../../validation/addresses';
import { goShape } from '../../../../validation/go-shapes';
import type { Errors, Loose } from '../../../../validation/values';
import { isSet, listOf } from '../../../../validation/values';

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
  const podIPs = listOf(status.podIPs);
  for (const [index, { ip = '' }] of podIPs.entries()) errors.push(...validateIP(ip, `status.podIPs[${index}]`));
  if (podIPs.length > 1) validateFamilies(podIPs, 'PodIP', 'status.podIPs', errors);
  const hostIPs = listOf(status.hostIPs);
  if (hostIPs.length === 0) return;
  if ((status.hostIP ?? '') !== hostIPs[0].ip) {
    errors.push(invalidValue('status.hostIPs[0].ip', hostIPs[0].ip ?? '', 'must be equal to `hostIP`'));
  }
  for (const [index, { ip = '' }] of hostIPs.entries()) errors.push(...validateIP(ip, `status.hostIPs[${index}]`));
  if (hostIPs.length > 1) validateFamilies(hostIPs, 'HostIP', 'status.hostIPs', errors);
}

function validateFamilies(list: Loose[], type: 'PodIP' | 'HostIP', field: string, errors: Errors): void {
  const families = new Set(list.map(({ ip = '' }) => parseAddress(ip)?.family));
  if (list.length > 2 || families.size < 2) {
    errors.push(
      invalidValue(
        field,
        list.map((item) => goShape(type, item)),
        'may specify no more than one IP for each IP family',
      ),
    );
  }
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    if (seen.has(item.ip)) errors.push(duplicate(`${field}[${index}]`, goShape(type, item)));
    seen.add(item.ip);
  }
}
