import { forbidden, invalidValue, unsupported, type FieldError } from '../../status/field-error';
import type { Errors } from '../../validation/values';
import { entriesOf, itemListOf, itemsOf, valuesOf, type GivenSchema } from './given-schema';
import { keysProblems, validateMergeTypes } from './list-schemas';
import { schemaTypes, type DefinitionRules } from './options';
import { validateRuleFields } from './rule-fields';
import type { RuleScope } from './rule-scope';

/** What holds for a schema because of where it stands. */
interface Place {
  readonly isRoot: boolean;
  /** Why no default may stand here. */
  readonly noDefault?: string;
  readonly isInMetadata: boolean;
  /** The outermost schema around this one whose parts cannot be told from one another in an older value. */
  readonly uncorrelated?: string;
  readonly rules: DefinitionRules;
}

/** What is found in a schema and below it; rules are compiled only where all else is in order. */
class Findings {
  readonly schema: Errors = [];
  readonly rules: Errors = [];

  add(other: Findings): void {
    this.schema.push(...other.schema);
    this.rules.push(...other.rules);
  }
}

const metaFields = new Set(['metadata', 'kind', 'apiVersion']);

/**
 * What is wrong with a schema that is to describe a custom kind, beside its form (upstream `ValidateCustomResourceDefinitionOpenAPISchema`).
 * @param scope of its rules; undefined: they are not to be compiled
 */
export function checkSchema(schema: GivenSchema, field: string, rules: DefinitionRules, scope: RuleScope | undefined): FieldError[] {
  const found = check(schema, field, { isRoot: true, isInMetadata: false, rules }, scope);
  return [...found.schema, ...found.rules];
}

function check(schema: GivenSchema, field: string, place: Place, scope: RuleScope | undefined): Findings {
  const found = new Findings();
  validateSupport(schema, field, place, found.schema);
  if (schema.uniqueItems) {
    const text = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    found.schema.push(forbidden(`${field}.uniqueItems`, text));
  }
  checkValues(schema, field, place, scope, found);
  checkProperties(schema, field, place, scope, found);
  checkJunctions(schema, field, place, found);
  checkItems(schema, field, place, scope, found);
  checkDependencies(schema, field, place, found);
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    found.schema.push(invalidValue(`${field}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  }
  validateMergeTypes(schema, field, place.rules.atomicSets, found.schema);
  if (place.rules.usableListKeys) found.schema.push(...keysProblems(schema, field));
  validateRuleFields(schema, field, found.schema);
  if (found.schema.length === 0 && scope) found.rules.push(...scope.check(schema, field, place));
  return found;
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** Words of JSON schema that are not supported, and those that are not here. */
function validateSupport(schema: GivenSchema, field: string, place: Place, errors: Errors): void {
  const { type = '' } = schema;
  if (place.rules.knownTypes && type !== '' && !schemaTypes.includes(type)) errors.push(unsupported(`${field}.type`, type, schemaTypes));
  if (isSet(schema.default) && place.noDefault !== undefined) {
    errors.push(forbidden(`${field}.default`, `must not be set${place.noDefault === '' ? '' : ` ${place.noDefault}`}`));
  }
  const refuse = (name: string, isUsed: boolean): void => {
    if (isUsed) errors.push(forbidden(`${field}.${name}`, `${name} is not supported`));
  };
  refuse('id', Boolean(schema.id));
  refuse('additionalItems', isSet(schema.additionalItems));
  refuse('patternProperties', entriesOf(schema.patternProperties).length > 0);
  refuse('definitions', entriesOf(schema.definitions).length > 0);
  refuse('dependencies', isSet(schema.dependencies));
  refuse('$ref', isSet(schema.$ref));
  if (type === 'null') errors.push(forbidden(`${field}.type`, 'type cannot be set to null, use nullable as an alternative'));
  if (itemListOf(schema).length > 0) errors.push(forbidden(`${field}.items`, 'items must be a schema object and not an array'));
  if (place.isInMetadata && schema['x-kubernetes-embedded-resource']) {
    errors.push(forbidden(`${field}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'));
  }
}

const below = (place: Place): Place => (place.isRoot ? { ...place, isRoot: false } : place);

/** An object has fields by name, or is a map. */
function checkValues(schema: GivenSchema, field: string, place: Place, scope: RuleScope | undefined, found: Findings): void {
  const { additionalProperties } = schema;
  if (!isSet(additionalProperties)) return;
  if (entriesOf(schema.properties).length > 0 && additionalProperties !== true) {
    found.schema.push(forbidden(`${field}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'));
  }
  const values = valuesOf(schema);
  if (!values) return;
  const inner = below(place);
  const noDefault = 'inside additionalProperties applying to object metadata';
  found.add(
    check(values, `${field}.additionalProperties`, place.isInMetadata ? { ...inner, noDefault } : inner, scope?.below(values, 'values')),
  );
}

function checkProperties(schema: GivenSchema, field: string, place: Place, scope: RuleScope | undefined, found: Findings): void {
  const mapType = schema['x-kubernetes-map-type'];
  const isCorrelated = !isSet(mapType) || mapType === 'granular' || mapType === 'atomic';
  for (const [name, property] of entriesOf(schema.properties)) {
    let inner = below(place);
    if (!isCorrelated) inner = { ...inner, uncorrelated: inner.uncorrelated ?? field };
    if ((place.isRoot || schema['x-kubernetes-embedded-resource']) && metaFields.has(name)) {
      inner = { ...inner, isInMetadata: true };
      if (place.isRoot) inner = { ...inner, noDefault: `in top-level ${name}` };
    }
    found.add(check(property, `${field}.properties[${name}]`, inner, scope?.below(property, 'property')));
  }
}

function checkJunctions(schema: GivenSchema, field: string, place: Place, found: Findings): void {
  const inner = below(place);
  if (schema.not) found.add(check(schema.not, `${field}.not`, inner, undefined));
  for (const junction of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [index, each] of (schema[junction] ?? []).entries())
      found.add(check(each, `${field}.${junction}[${index}]`, inner, undefined));
  }
  for (const [name, each] of entriesOf(schema.definitions)) found.add(check(each, `${field}.definitions[${name}]`, inner, undefined));
}

/** Items of an older list are found again by their keys only. */
function checkItems(schema: GivenSchema, field: string, place: Place, scope: RuleScope | undefined, found: Findings): void {
  const isCorrelated = schema['x-kubernetes-list-type'] === 'map';
  const inner = isCorrelated ? below(place) : { ...below(place), uncorrelated: place.uncorrelated ?? field };
  const items = itemsOf(schema);
  if (items) found.add(check(items, `${field}.items`, inner, scope?.below(items, 'items')));
  for (const [index, each] of itemListOf(schema).entries()) {
    found.add(check(each, `${field}.items[${index}]`, inner, scope?.below(each, 'items')));
  }
}

function checkDependencies({ dependencies }: GivenSchema, field: string, place: Place, found: Findings): void {
  for (const [name, each] of Object.entries(dependencies ?? {})) {
    const isSchema = typeof each === 'object' && each !== null && !Array.isArray(each);
    if (isSchema) found.add(check(each as GivenSchema, `${field}.dependencies[${name}]`, below(place), undefined));
  }
}
