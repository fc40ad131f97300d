import type { KubeObject } from '#libs/kernel';
import { invalidValue, required, unsupported } from '../../status/field-error';
import { isDns1035Label, isDnsSubdomain } from '../../validation/formats';
import { validateAnyMetadataUpdate, validateMetadata } from '../../validation/metadata';
import { listOf, validateImmutable, type Errors } from '../../validation/values';
import { isEstablished } from './conditions';
import { validateNames } from './names';
import type { DefinitionSpec, DefinitionStatus, DefinitionVersion } from './types';

const scopes = ['Cluster', 'Namespaced'];

function validateSpec(spec: DefinitionSpec, errors: Errors): void {
  const { group = '', scope = '', names } = spec;
  if (group === '') errors.push(required('spec.group'));
  else validateGroup(group, errors);
  if (scope === '') errors.push(required('spec.scope'));
  else if (!scopes.includes(scope)) errors.push(unsupported('spec.scope', scope, scopes));
  for (const [index, { name }] of (listOf(spec.versions) as DefinitionVersion[]).entries()) {
    const texts = isDns1035Label(name);
    if (texts.length > 0) errors.push(invalidValue(`spec.versions[${index}].name`, name, texts.join(',')));
  }
  for (const name of ['plural', 'singular', 'kind', 'listKind'] as const) {
    if (!names?.[name]) errors.push(required(`spec.names.${name}`));
  }
  validateNames(names, 'spec.names', errors);
}

function validateGroup(group: string, errors: Errors): void {
  const texts = isDnsSubdomain(group);
  if (texts.length > 0) errors.push(invalidValue('spec.group', group, texts.join(',')));
  else if (!group.includes('.')) errors.push(invalidValue('spec.group', group, 'should be a domain with at least one dot'));
}

function validateStatus(status: DefinitionStatus | undefined, errors: Errors): void {
  validateNames(status?.acceptedNames, 'status.acceptedNames', errors);
}

/** A definition is named after what it defines. */
function nameOfDefinition({ names, group }: DefinitionSpec): (name: string) => string[] {
  const wanted = `${names?.plural ?? ''}.${group}`;
  return (name) => [...isDnsSubdomain(name), ...(name === wanted ? [] : ['must be spec.names.plural+"."+spec.group'])];
}

export function validateDefinition(definition: KubeObject, errors: Errors): void {
  const spec = definition.spec as DefinitionSpec;
  validateMetadata(definition.metadata, { namespaced: false, name: nameOfDefinition(spec), qualifiedFinalizers: false }, errors);
  validateSpec(spec, errors);
  validateStatus(definition.status as DefinitionStatus, errors);
}

export function validateDefinitionUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  const spec = updated.spec as DefinitionSpec;
  const before = old.spec as DefinitionSpec;
  validateAnyMetadataUpdate(updated.metadata, old.metadata, errors);
  validateSpec(spec, errors);
  if (isEstablished(old)) {
    validateImmutable(spec.scope, before.scope, 'spec.scope', errors);
    validateImmutable(spec.names.kind, before.names.kind, 'spec.names.kind', errors);
  }
  validateImmutable(spec.group, before.group, 'spec.group', errors);
  validateImmutable(spec.names.plural, before.names.plural, 'spec.names.plural', errors);
  validateStatus(updated.status as DefinitionStatus, errors);
}

export function validateDefinitionStatusUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateAnyMetadataUpdate(updated.metadata, old.metadata, errors);
  validateStatus(updated.status as DefinitionStatus, errors);
}
