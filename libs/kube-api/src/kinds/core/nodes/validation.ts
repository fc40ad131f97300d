import type { KubeObject } from '#libs/kernel';
import { duplicate, forbidden, internalFieldError, invalidValue } from '../../../status/field-error';
import { validateLabelName } from '../../../selectors/object-selector';
import { isDnsSubdomain, isLabelValue } from '../../../validation/formats';
import { goShape } from '../../../validation/go-shapes';
import { parseLegacyCidr, validateLegacyCidr } from '../../../validation/legacy-addresses';
import { validateMetadata, validateMetadataUpdate } from '../../../validation/metadata';
import { validateTaintEffect } from '../pods/validation/scheduling';
import { validateResourceValue } from '../../../validation/resources';
import type { Errors, Loose } from '../../../validation/values';
import { entriesOf, isSet, listOf, notPositiveText } from '../../../validation/values';

const avoidPods = 'scheduler.alpha.kubernetes.io/preferAvoidPods';

/** Taints are reported below metadata, where they once lived. */
function validateTaints(taints: unknown, errors: Errors): void {
  const seen = new Set<string>();
  for (const [index, taint] of listOf(taints).entries()) {
    const at = `metadata.taints[${index}]`;
    const { key = '', value = '', effect = '' } = taint;
    errors.push(...validateLabelName(key, `${at}.key`));
    const texts = isLabelValue(value);
    if (texts.length > 0) errors.push(invalidValue(`${at}.value`, value, texts.join(';')));
    validateTaintEffect(effect, `${at}.effect`, errors);
    const pair = `${effect}/${key}`;
    if (seen.has(pair)) errors.push(duplicate(at, goShape('Taint', taint), 'taints must be unique by key and effect pair'));
    seen.add(pair);
  }
}

function validateNodeAnnotations(annotations: Record<string, string> | undefined, errors: Errors): void {
  const text = annotations && Object.hasOwn(annotations, avoidPods) ? annotations[avoidPods] : '';
  if (!text) return;
  try {
    JSON.parse(text);
  } catch {
    const why = isJsonPrefix(text)
      ? 'unexpected end of JSON input'
      : `invalid character '${text.trim()[0]}' looking for beginning of value`;
    errors.push(invalidValue('metadata.annotations.AvoidPods', avoidPods, why));
  }
}

/** Whether the text is the beginning of JSON rather than none at all. */
function isJsonPrefix(text: string): boolean {
  return /^\s*[[{"\d-]/.test(text);
}

function validateNodeResources(status: Loose, errors: Errors): void {
  for (const list of ['capacity', 'allocatable']) {
    for (const [name, value] of entriesOf(status?.[list])) validateResourceValue(name, value, `status.${list}.${name}`, errors);
  }
}

function validatePodRanges(ranges: string[], errors: Errors): void {
  const field = 'spec.podCIDRs';
  for (const [index, range] of ranges.entries()) validateLegacyCidr(range, `${field}[${index}]`, errors);
  if (ranges.length < 2) return;
  const parsed = ranges.map(parseLegacyCidr);
  const wrong = parsed.findIndex((range) => !range);
  if (wrong >= 0) {
    const why = `invalid CIDR[${wrong}]: <nil> (invalid CIDR address: ${ranges[wrong]})`;
    errors.push(internalFieldError(field, `invalid PodCIDRs. failed to check with dual stack with error:${why}`));
  }
  if (wrong >= 0 || ranges.length > 2 || new Set(parsed.map((range) => range?.family)).size < 2) {
    errors.push(invalidValue(field, ranges, 'may specify no more than one CIDR for each IP family'));
  }
}

export function validateNode(node: KubeObject, errors: Errors): void {
  validateMetadata(node.metadata, { namespaced: false, name: isDnsSubdomain }, errors);
  validateNodeAnnotations(node.metadata.annotations, errors);
  validateTaints(node.spec?.taints, errors);
  validateNodeResources(node.status, errors);
  const swap = node.status?.nodeInfo?.swap?.capacity;
  if (isSet(swap) && swap <= 0) errors.push(invalidValue('metadata.nodeSwapStatus.capacity', swap, notPositiveText));
  validatePodRanges(listOf(node.spec?.podCIDRs), errors);
}

/** Also the rule of nodes/status, which upstream checks in the same way. */
export function validateNodeUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateNodeAnnotations(updated.metadata.annotations, errors);
  validateNodeResources(updated.status, errors);
  const seen = new Set<string>();
  for (const [index, address] of listOf(updated.status?.addresses).entries()) {
    const key = `${address.type}/${address.address}`;
    if (seen.has(key)) errors.push(duplicate(`status.addresses[${index}]`, goShape('NodeAddress', address)));
    seen.add(key);
  }
  validateRangesKept(listOf(updated.spec?.podCIDRs), listOf(old.spec?.podCIDRs), errors);
  const provider: string = old.spec?.providerID ?? '';
  if (provider !== '' && provider !== (updated.spec?.providerID ?? '')) {
    errors.push(forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  }
  validateTaints(updated.spec?.taints, errors);
  if ((updated.spec?.externalID ?? '') !== (old.spec?.externalID ?? '')) errors.push(forbidden('spec.externalID', 'may not be updated'));
}

function validateRangesKept(updated: string[], old: string[], errors: Errors): void {
  if (old.length === 0) return;
  const refuse = () => errors.push(forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
  if (old.length !== updated.length) refuse();
  else for (const [index, range] of old.entries()) if (range !== updated[index]) refuse();
}
