import type { Json } from '#libs/kernel';
import type { Rule } from '#libs/cel';
import { isSet } from '../../validation/values';
import { entriesOf, itemListOf, itemsOf, type GivenSchema } from './given-schema';
import type { HeldSchema } from './held-spec';
import type { DefinitionVersion, PrinterColumn, Subresources } from './types';

/*
 * Parts of a definition as findings quote them: by the names that Go has for their fields, all of which are written.
 */

type Quoted = Readonly<Record<string, unknown>>;

/** What is absent is written as null. */
function mapped<T>(value: T | null | undefined, quote: (value: T) => unknown): unknown {
  return isSet(value) ? quote(value as T) : null;
}

function listed<T>(values: readonly T[] | null | undefined, quote: (value: T) => unknown): unknown {
  return mapped(values, (list) => list.map(quote));
}

const same = (value: unknown): unknown => value;

export function ruleValue(rule: Rule): Quoted {
  const { rule: text, message = '', messageExpression = '', reason = null, fieldPath = '', optionalOldSelf = null } = rule;
  return {
    Rule: text,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf,
  };
}

export function versionValue(version: DefinitionVersion): Quoted {
  const { name = '', served = false, storage = false, deprecated = false, deprecationWarning = null } = version;
  return {
    Name: name,
    Served: served,
    Storage: storage,
    Deprecated: deprecated,
    DeprecationWarning: deprecationWarning,
    Schema: mapped(version.schema as HeldSchema | undefined, ({ openAPIV3Schema }) => ({
      OpenAPIV3Schema: mapped(openAPIV3Schema, schemaValue),
    })),
    Subresources: mapped(version.subresources, subresourcesValue),
    AdditionalPrinterColumns: listed(version.additionalPrinterColumns, columnValue),
    SelectableFields: listed(version.selectableFields, ({ jsonPath }) => ({ JSONPath: jsonPath })),
  };
}

function subresourcesValue({ status, scale }: Subresources): Quoted {
  return {
    Status: mapped(status, () => ({})),
    Scale: mapped(scale, ({ specReplicasPath, statusReplicasPath, labelSelectorPath = null }) => ({
      SpecReplicasPath: specReplicasPath,
      StatusReplicasPath: statusReplicasPath,
      LabelSelectorPath: labelSelectorPath,
    })),
  };
}

function columnValue({ name, type, format = '', description = '', priority = 0, jsonPath }: PrinterColumn): Quoted {
  return { Name: name, Type: type, Format: format, Description: description, Priority: priority, JSONPath: jsonPath };
}

function namedSchemas(schemas: GivenSchema['properties']): unknown {
  return mapped(schemas, () => Object.fromEntries(entriesOf(schemas).map(([name, schema]) => [name, schemaValue(schema)])));
}

function schemaOrBool(value: GivenSchema | boolean | null | undefined): unknown {
  return mapped(value, (given) =>
    typeof given === 'boolean' ? { Allows: given, Schema: null } : { Allows: true, Schema: schemaValue(given) },
  );
}

export function itemsQuoted(schema: GivenSchema): unknown {
  if (schema.items === undefined) return null;
  const list = itemListOf(schema);
  return { Schema: mapped(itemsOf(schema), schemaValue), JSONSchemas: list.length > 0 ? list.map(schemaValue) : null };
}

function dependenciesValue(dependencies: GivenSchema['dependencies']): unknown {
  const quote = (value: Json): Quoted =>
    Array.isArray(value) ? { Schema: null, Property: value } : { Schema: mapped(value as GivenSchema | null, schemaValue), Property: null };
  return mapped(dependencies, (all) => Object.fromEntries(Object.entries(all).map(([name, value]) => [name, quote(value)])));
}

/** Text fields and switches are never absent; all else may be. */
export function schemaValue(schema: GivenSchema): Quoted {
  const text = (field: 'id' | '$schema' | 'description' | 'type' | 'format' | 'title' | 'pattern'): string => schema[field] ?? '';
  const or = (field: keyof GivenSchema): unknown => schema[field] ?? null;
  const flag = (field: keyof GivenSchema): unknown => schema[field] ?? false;
  return {
    ID: text('id'),
    Schema: text('$schema'),
    Ref: or('$ref'),
    Description: text('description'),
    Type: text('type'),
    Nullable: flag('nullable'),
    Format: text('format'),
    Title: text('title'),
    Default: or('default'),
    Maximum: or('maximum'),
    ExclusiveMaximum: flag('exclusiveMaximum'),
    Minimum: or('minimum'),
    ExclusiveMinimum: flag('exclusiveMinimum'),
    MaxLength: or('maxLength'),
    MinLength: or('minLength'),
    Pattern: text('pattern'),
    MaxItems: or('maxItems'),
    MinItems: or('minItems'),
    UniqueItems: flag('uniqueItems'),
    MultipleOf: or('multipleOf'),
    Enum: listed(schema.enum, same),
    MaxProperties: or('maxProperties'),
    MinProperties: or('minProperties'),
    Required: or('required'),
    Items: itemsQuoted(schema),
    AllOf: listed(schema.allOf, schemaValue),
    OneOf: listed(schema.oneOf, schemaValue),
    AnyOf: listed(schema.anyOf, schemaValue),
    Not: mapped(schema.not, schemaValue),
    Properties: namedSchemas(schema.properties),
    AdditionalProperties: schemaOrBool(schema.additionalProperties),
    PatternProperties: namedSchemas(schema.patternProperties),
    Dependencies: dependenciesValue(schema.dependencies),
    AdditionalItems: schemaOrBool(schema.additionalItems),
    Definitions: namedSchemas(schema.definitions),
    ExternalDocs: mapped(schema.externalDocs, ({ description = '', url = '' }) => ({ Description: description, URL: url })),
    Example: or('example'),
    XPreserveUnknownFields: or('x-kubernetes-preserve-unknown-fields'),
    XEmbeddedResource: flag('x-kubernetes-embedded-resource'),
    XIntOrString: flag('x-kubernetes-int-or-string'),
    XListMapKeys: or('x-kubernetes-list-map-keys'),
    XListType: or('x-kubernetes-list-type'),
    XMapType: or('x-kubernetes-map-type'),
    XValidations: listed(schema['x-kubernetes-validations'], ruleValue),
  };
}

/** Words of which nothing at all, and not an empty text, means that they are not said. */
const pointers: ReadonlySet<string> = new Set(['$ref', 'x-kubernetes-list-type', 'x-kubernetes-map-type']);

/** Whether a schema says anything by a word. */
export function isGiven(schema: GivenSchema, word: keyof GivenSchema): boolean {
  const value = schema[word];
  if (pointers.has(word)) return isSet(value);
  return value !== undefined && value !== null && value !== '' && value !== false && !(Array.isArray(value) && value.length === 0);
}
