import type { Rule } from '#libs/cel';
import type { Json } from '#libs/kernel';

/** A JSON schema as a definition has it, before it is known to be one that the server supports (`JSONSchemaProps`). */
export interface GivenSchema {
  readonly id?: string;
  readonly $schema?: string;
  readonly $ref?: string | null;
  readonly description?: string;
  readonly type?: string;
  readonly nullable?: boolean;
  readonly format?: string;
  readonly title?: string;
  readonly default?: Json;
  readonly maximum?: number | null;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number | null;
  readonly exclusiveMinimum?: boolean;
  readonly maxLength?: number | null;
  readonly minLength?: number | null;
  readonly pattern?: string;
  readonly maxItems?: number | null;
  readonly minItems?: number | null;
  readonly uniqueItems?: boolean;
  readonly multipleOf?: number | null;
  readonly enum?: readonly Json[] | null;
  readonly maxProperties?: number | null;
  readonly minProperties?: number | null;
  readonly required?: readonly string[] | null;
  readonly items?: GivenSchema | readonly GivenSchema[] | null;
  readonly allOf?: readonly GivenSchema[] | null;
  readonly oneOf?: readonly GivenSchema[] | null;
  readonly anyOf?: readonly GivenSchema[] | null;
  readonly not?: GivenSchema | null;
  readonly properties?: Readonly<Record<string, GivenSchema>> | null;
  readonly additionalProperties?: GivenSchema | boolean | null;
  readonly patternProperties?: Readonly<Record<string, GivenSchema>> | null;
  readonly dependencies?: Readonly<Record<string, Json>> | null;
  readonly additionalItems?: GivenSchema | boolean | null;
  readonly definitions?: Readonly<Record<string, GivenSchema>> | null;
  readonly externalDocs?: { readonly description?: string; readonly url?: string } | null;
  readonly example?: Json;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean | null;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[] | null;
  readonly 'x-kubernetes-list-type'?: string | null;
  readonly 'x-kubernetes-map-type'?: string | null;
  readonly 'x-kubernetes-validations'?: readonly Rule[] | null;
}

export function wordsOf(schema: GivenSchema): (keyof GivenSchema)[] {
  return Object.keys(schema) as (keyof GivenSchema)[];
}

/** One of the things that a schema may hold several of, by name; in the order in which they are written. */
export function entriesOf(schemas: Readonly<Record<string, GivenSchema>> | null | undefined): [string, GivenSchema][] {
  return schemas ? Object.entries(schemas) : [];
}

const isSchema = (value: unknown): value is GivenSchema => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The one schema of all items; undefined where there is none, or a list of them. */
export function itemsOf({ items }: GivenSchema): GivenSchema | undefined {
  return isSchema(items) ? items : undefined;
}

/** The schemas of items one by one, which is not supported. */
export function itemListOf({ items }: GivenSchema): readonly GivenSchema[] {
  return Array.isArray(items) ? (items as readonly GivenSchema[]) : [];
}

export function valuesOf({ additionalProperties }: GivenSchema): GivenSchema | undefined {
  return isSchema(additionalProperties) ? additionalProperties : undefined;
}

export function propertyOf({ properties }: GivenSchema, name: string): GivenSchema | undefined {
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The schemas right below one, wherever they stand in it. */
function* innerSchemas(schema: GivenSchema): Iterable<GivenSchema> {
  const { not, additionalItems, dependencies } = schema;
  const items = itemsOf(schema);
  if (items) yield items;
  yield* itemListOf(schema);
  for (const list of [schema.allOf, schema.anyOf, schema.oneOf]) yield* list ?? [];
  if (not) yield not;
  for (const [, property] of entriesOf(schema.properties)) yield property;
  const values = valuesOf(schema);
  if (values) yield values;
  for (const [, property] of entriesOf(schema.patternProperties)) yield property;
  if (isSchema(additionalItems)) yield additionalItems;
  for (const [, definition] of entriesOf(schema.definitions)) yield definition;
  for (const dependency of Object.values(dependencies ?? {})) if (isSchema(dependency)) yield dependency as GivenSchema;
}

/** Whether this is so of a schema or of any within it. */
export function schemaHas(schema: GivenSchema | null | undefined, isSo: (schema: GivenSchema) => boolean): boolean {
  if (!schema) return false;
  if (isSo(schema)) return true;
  for (const inner of innerSchemas(schema)) if (schemaHas(inner, isSo)) return true;
  return false;
}

export function forEachSchema(schema: GivenSchema | null | undefined, look: (schema: GivenSchema) => void): void {
  schemaHas(schema, (each) => {
    look(each);
    return false;
  });
}
