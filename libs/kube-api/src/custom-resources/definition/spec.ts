import { invalidValue, required, unsupported } from '../../status/field-error';
import { isDns1035Label, isDnsSubdomain } from '../../validation/formats';
import { isSet, type Errors } from '../../validation/values';
import { validateConversion } from './conversion';
import { schemaHas } from './given-schema';
import { schemasOf, type HeldSchema, type HeldSpec } from './held-spec';
import { versionValue } from './held-values';
import { validateNames } from './names';
import type { DefinitionRules } from './options';
import type { DefinitionVersion } from './types';
import { validateColumn, validateDeprecation, validateSelection, validateSubresources } from './version-parts';
import { validateVersionSchema } from './version-schema';

const scopes = ['Cluster', 'Namespaced'];

/** The wish of a definition (upstream `validateCustomResourceDefinitionSpec`). */
export function validateSpec(spec: HeldSpec, rules: DefinitionRules, errors: Errors): void {
  const { group = '', scope = '' } = spec;
  validateGroup(group, errors);
  if (scope === '') errors.push(required('spec.scope'));
  else if (!scopes.includes(scope)) errors.push(unsupported('spec.scope', scope, scopes));
  validateSchemasGiven(spec, rules, errors);
  const strict = { ...rules, structural: rules.structural || !spec.preserveUnknownFields || needsStructure(spec) };
  validateDefaultsAllowed(spec, errors);
  validateVersions(spec, strict, errors);
  validateRequiredNames(spec, errors);
  validateShared(spec, strict, errors);
  if (isSet(spec.conversion)) {
    const { strategy } = spec.conversion as NonNullable<HeldSpec['conversion']>;
    if (strategy !== 'None' && spec.preserveUnknownFields) {
      errors.push(invalidValue('spec.conversion.strategy', strategy, 'must be None if spec.preserveUnknownFields is true'));
    }
    validateConversion(spec.conversion as NonNullable<HeldSpec['conversion']>, rules, errors);
  }
}

function validateGroup(group: string, errors: Errors): void {
  const texts = group === '' ? [] : isDnsSubdomain(group);
  if (group === '') errors.push(required('spec.group'));
  else if (texts.length > 0) errors.push(invalidValue('spec.group', group, texts.join(',')));
  else if (!group.includes('.')) errors.push(invalidValue('spec.group', group, 'should be a domain with at least one dot'));
}

function validateSchemasGiven({ validation, versions, preserveUnknownFields }: HeldSpec, rules: DefinitionRules, errors: Errors): void {
  if (validation?.openAPIV3Schema) return;
  for (const [index, { schema, served }] of (versions ?? []).entries()) {
    if (schema?.openAPIV3Schema) continue;
    const field = `spec.versions[${index}].schema.openAPIV3Schema`;
    if (rules.schemas) errors.push(required(field));
    else if (!preserveUnknownFields && served) errors.push(required(field, 'because otherwise all fields are pruned'));
  }
}

const hasDefaults = (spec: HeldSpec): boolean => schemasOf(spec).some((schema) => schemaHas(schema, (each) => isSet(each.default)));

/** What only structural schemas can say. */
function needsStructure(spec: HeldSpec): boolean {
  if (hasDefaults(spec)) return true;
  return schemasOf(spec).some((schema) =>
    schemaHas(
      schema,
      (each) =>
        Boolean(each['x-kubernetes-embedded-resource'] || each['x-kubernetes-int-or-string']) ||
        isSet(each['x-kubernetes-preserve-unknown-fields']) ||
        isSet(each['x-kubernetes-list-type']) ||
        (each['x-kubernetes-list-map-keys'] ?? []).length > 0 ||
        (each['x-kubernetes-validations'] ?? []).length > 0,
    ),
  );
}

function validateDefaultsAllowed(spec: HeldSpec, errors: Errors): void {
  if (!spec.preserveUnknownFields || !hasDefaults(spec)) return;
  errors.push(invalidValue('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema'));
}

function validateVersions(spec: HeldSpec, rules: DefinitionRules, errors: Errors): void {
  const versions = spec.versions ?? [];
  for (const [index, version] of versions.entries()) {
    const field = `spec.versions[${index}]`;
    const texts = isDns1035Label(version.name);
    if (texts.length > 0) errors.push(invalidValue(`${field}.name`, version.name, texts.join(',')));
    validateVersion(spec, version, field, rules, errors);
  }
  const quoted = spec.versions ? versions.map(versionValue) : null;
  const refuse = (text: string): unknown => errors.push(invalidValue('spec.versions', quoted, text));
  if (new Set(versions.map(({ name }) => name)).size < versions.length) refuse('must contain unique version names');
  if (versions.filter(({ storage }) => storage).length !== 1) refuse('must have exactly one version marked as storage version');
  const texts = spec.version === '' ? [] : isDns1035Label(spec.version);
  if (texts.length > 0) errors.push(invalidValue('spec.version', spec.version, texts.join(',')));
}

function validateVersion(spec: HeldSpec, version: DefinitionVersion, field: string, rules: DefinitionRules, errors: Errors): void {
  const { subresources, additionalPrinterColumns, selectableFields } = version;
  const schema = version.schema as HeldSchema | undefined;
  validateDeprecation(version, field, errors);
  if (schema) {
    const versions = spec.versions ?? [];
    const hasOwn = versions.some((each) => isSet(each.subresources));
    const own = versions.find(({ name }) => name === version.name)?.subresources;
    const hasStatus = isSet((hasOwn ? own : spec.subresources)?.status);
    const use = { rules, hasStatus, isUnchanged: rules.unchangedVersions.has(version.name) };
    validateVersionSchema(schema, `${field}.schema`, use, errors);
  }
  if (subresources) validateSubresources(subresources, `${field}.subresources`, errors);
  for (const [index, column] of (additionalPrinterColumns ?? []).entries()) {
    validateColumn(column, `${field}.additionalPrinterColumns[${index}]`, errors);
  }
  if (!selectableFields || selectableFields.length === 0) return;
  const at = `${field}.selectableFields`;
  if (!schema?.openAPIV3Schema) {
    errors.push(invalidValue(at, '', 'may only be set when `version.schema.openAPIV3Schema` is not included'));
  } else validateSelection(selectableFields, schema.openAPIV3Schema, at, `${field}.schema.openAPIV3Schema`, errors);
}

function validateRequiredNames({ names }: HeldSpec, errors: Errors): void {
  for (const name of ['plural', 'singular', 'kind', 'listKind'] as const) {
    if (!names?.[name]) errors.push(required(`spec.names.${name}`));
  }
  validateNames(names, 'spec.names', errors);
}

/** What all versions have in common. */
function validateShared(spec: HeldSpec, rules: DefinitionRules, errors: Errors): void {
  const { validation, subresources, versions } = spec;
  if (validation) {
    const hasStatus = [subresources, ...(versions ?? []).map((version) => version.subresources)].some((each) => isSet(each?.status));
    const use = { rules, hasStatus, isUnchanged: rules.unchangedVersions.has(spec.version) };
    validateVersionSchema(validation, 'spec.validation', use, errors);
  }
  if (subresources) validateSubresources(subresources, 'spec.subresources', errors);
  for (const [index, column] of spec.additionalPrinterColumns.entries()) {
    validateColumn(column, `spec.additionalPrinterColumns[${index}]`, errors);
  }
  if (spec.selectableFields.length === 0) return;
  if (!validation) {
    errors.push(invalidValue('spec.selectableFields', '', 'may only be set when validations.schema is included'));
  } else
    validateSelection(
      spec.selectableFields,
      validation.openAPIV3Schema ?? {},
      'spec.selectableFields',
      'spec.schema.openAPIV3Schema',
      errors,
    );
}
