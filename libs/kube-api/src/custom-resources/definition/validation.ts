import type { KubeObject } from '#libs/kernel';
import { invalidValue } from '../../status/field-error';
import { isDnsSubdomain } from '../../validation/formats';
import { validateAnyMetadataUpdate, validateMetadata } from '../../validation/metadata';
import { listOf, validateImmutable, type Errors } from '../../validation/values';
import { validateApproval } from './approval';
import { isEstablished } from './conditions';
import { heldSpec } from './held-spec';
import { validateNames } from './names';
import { rulesForNew, rulesForUpdate } from './options';
import { validateSpec } from './spec';
import type { DefinitionSpec, DefinitionStatus, DefinitionVersion } from './types';

const noNames = { plural: '', kind: '' };

/** As it was decoded, with what every definition has. */
function specOf({ spec }: KubeObject): DefinitionSpec {
  const given = (spec ?? {}) as Partial<DefinitionSpec>;
  return { ...given, group: given.group ?? '', scope: given.scope ?? '', names: given.names ?? noNames, versions: given.versions ?? null };
}

/** A definition is named after what it defines. */
function nameOfDefinition({ names, group }: DefinitionSpec): (name: string) => string[] {
  const wanted = `${names.plural}.${group}`;
  return (name) => [...isDnsSubdomain(name), ...(name === wanted ? [] : ['must be spec.names.plural+"."+spec.group'])];
}

function validateStatus(status: DefinitionStatus | undefined, errors: Errors): void {
  validateNames(status?.acceptedNames, 'status.acceptedNames', errors);
}

/** Versions that objects may be stored in do not go before somebody says that none are. */
function validateStoredVersions(definition: KubeObject, errors: Errors): void {
  const field = 'status.storedVersions';
  const stored = (definition.status as DefinitionStatus | undefined)?.storedVersions ?? null;
  if (listOf(stored).length === 0) {
    errors.push(invalidValue(field, stored, 'must have at least one stored version'));
    return;
  }
  const left = new Map((stored ?? []).map((name, index) => [name, index]));
  for (const { name, storage } of listOf(specOf(definition).versions) as DefinitionVersion[]) {
    // Of two versions of a name the second one finds it gone.
    if (!left.delete(name) && storage) errors.push(invalidValue(field, stored, `must have the storage version ${name}`));
  }
  for (const [name, index] of left) {
    const until = `until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    const text = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions ${until}`;
    errors.push(invalidValue(`${field}[${index}]`, name, text));
  }
}

function validatePreserving({ preserveUnknownFields }: DefinitionSpec, old: DefinitionSpec | undefined, errors: Errors): void {
  if (!preserveUnknownFields || old?.preserveUnknownFields) return;
  const text = 'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  errors.push(invalidValue('spec.preserveUnknownFields', true, text));
}

export function validateDefinition(definition: KubeObject, errors: Errors): void {
  const spec = specOf(definition);
  validateMetadata(definition.metadata, { namespaced: false, name: nameOfDefinition(spec), qualifiedFinalizers: false }, errors);
  validateSpec(heldSpec(spec), rulesForNew, errors);
  validateStatus(definition.status as DefinitionStatus, errors);
  validateStoredVersions(definition, errors);
  validateApproval(definition, undefined, errors);
  validatePreserving(spec, undefined, errors);
}

export function validateDefinitionUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  const spec = specOf(updated);
  const before = specOf(old);
  validateAnyMetadataUpdate(updated.metadata, old.metadata, errors);
  const held = heldSpec(spec);
  validateSpec(held, rulesForUpdate(held, old), errors);
  if (isEstablished(old)) {
    validateImmutable(spec.scope, before.scope, 'spec.scope', errors);
    validateImmutable(spec.names.kind, before.names.kind, 'spec.names.kind', errors);
  }
  validateImmutable(spec.group, before.group, 'spec.group', errors);
  validateImmutable(spec.names.plural, before.names.plural, 'spec.names.plural', errors);
  validateStatus(updated.status as DefinitionStatus, errors);
  validateStoredVersions(updated, errors);
  validateApproval(updated, old, errors);
  validatePreserving(spec, before, errors);
}

export function validateDefinitionStatusUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateAnyMetadataUpdate(updated.metadata, old.metadata, errors);
  validateStatus(updated.status as DefinitionStatus, errors);
}
