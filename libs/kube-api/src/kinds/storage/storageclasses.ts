import type { JsonObject, KubeObject } from '#libs/kernel';
import { setAbsent } from '../../defaults/draft';
import { age, nameOf, rowOf } from '../../printing/cell';
import { validateLabelName } from '../../selectors/object-selector';
import { duplicate, forbidden, required } from '../../status/field-error';
import { semanticEqual } from '../../strategy/equality';
import { isDnsSubdomain } from '../../validation/formats';
import { bothRules, validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { oldNodeLabels } from '../../validation/old-node-labels';
import { listOf, validateImmutable, validateSupported, type Errors, type Loose } from '../../validation/values';
import type { KindDescription } from '../behaviour';
import { isDefaultClass } from './default-class';
import { validateParameters, validateProvisioner } from './parameters';

function setStorageClassDefaults(storageClass: JsonObject): void {
  setAbsent(storageClass, 'reclaimPolicy', 'Delete');
  setAbsent(storageClass, 'volumeBindingMode', 'Immediate');
}

function validateStorageClass(storageClass: KubeObject, errors: Errors): void {
  const { metadata, provisioner = '', parameters, reclaimPolicy, volumeBindingMode, allowedTopologies } = storageClass as Loose;
  validateMetadata(metadata, { namespaced: false, name: isDnsSubdomain }, errors);
  validateProvisioner(provisioner, 'provisioner', errors);
  validateParameters(parameters, 'parameters', errors);
  if (reclaimPolicy) validateSupported(reclaimPolicy, ['Delete', 'Retain'], 'reclaimPolicy', errors);
  validateSupported(volumeBindingMode, ['Immediate', 'WaitForFirstConsumer'], 'volumeBindingMode', errors);
  validateTopologies(listOf(allowedTopologies), 'allowedTopologies', errors);
}

/** Upstream tells of an empty term once for every term there is, which grows with the square of their number; it is told no more often than this. */
const duplicatesMax = 100;

/** Terms that say the same as an earlier one are refused, and so is one that says nothing. */
function validateTopologies(terms: readonly Loose[], field: string, errors: Errors): void {
  const times = new Map<string, number>([[sameTerm(new Map()), terms.length]]);
  let told = 0;
  for (const [index, term] of terms.entries()) {
    const at = `${field}[${index}].matchLabelExpressions`;
    const text = sameTerm(validateTopology(listOf(term.matchLabelExpressions), at, errors));
    const before = times.get(text) ?? 0;
    for (let i = 0; i < before && told < duplicatesMax; i++, told++) errors.push(duplicate(at, ''));
    times.set(text, before + 1);
  }
}

/** The same text for terms that ask for the same. */
function sameTerm(term: ReadonlyMap<string, ReadonlySet<string>>): string {
  return JSON.stringify(
    [...term].map(([key, values]) => [key, [...values].sort()]).sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1)),
  );
}

function validateTopology(expressions: readonly Loose[], field: string, errors: Errors): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [index, { key = '', values }] of expressions.entries()) {
    const at = `${field}[${index}]`;
    const set = new Set<string>();
    if (listOf(values).length === 0) errors.push(required(`${at}.values`));
    for (const [position, value] of listOf(values).entries()) {
      if (set.has(value)) errors.push(duplicate(`${at}.values[${position}]`, value));
      set.add(value);
    }
    errors.push(...validateLabelName(key, `${at}.key`));
    if (found.has(key)) errors.push(duplicate(`${at}.key`, key));
    found.set(key, set);
  }
  return found;
}

/** What volumes are made with is for life; whether they may grow is not. */
function validateStorageClassUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  for (const field of ['parameters', 'provisioner', 'reclaimPolicy']) {
    if (!semanticEqual(updated[field], old[field], field)) errors.push(forbidden(field, `updates to ${field} are forbidden.`));
  }
  validateImmutable(updated.volumeBindingMode, old.volumeBindingMode, 'volumeBindingMode', errors);
}

function warnAboutStorageClass(storageClass: KubeObject, warnings: string[]): void {
  for (const [index, term] of listOf(storageClass.allowedTopologies).entries()) {
    for (const [position, { key = '' }] of listOf(term.matchLabelExpressions).entries()) {
      if (!Object.hasOwn(oldNodeLabels, key)) continue;
      warnings.push(`allowedTopologies[${index}].matchLabelExpressions[${position}].key: ${oldNodeLabels[key]}`);
    }
  }
}

export const storageclasses: KindDescription = {
  name: 'storageclasses.storage.k8s.io',
  served: true,
  deletionReturnsObject: true,
  setDefaults: setStorageClassDefaults,
  validation: { create: validateStorageClass, update: bothRules(validateStorageClass, validateStorageClassUpdate) },
  warn: (storageClass, _old, warnings) => warnAboutStorageClass(storageClass, warnings),
  row: rowOf((storageClass, now) => [
    `${nameOf(storageClass)}${isDefaultClass(storageClass) ? ' (default)' : ''}`,
    storageClass.provisioner ?? '',
    storageClass.reclaimPolicy ?? 'Delete',
    storageClass.volumeBindingMode ?? 'Immediate',
    storageClass.allowVolumeExpansion === true,
    age(storageClass, now),
  ]),
};
