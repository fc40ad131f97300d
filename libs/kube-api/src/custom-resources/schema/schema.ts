import type { Rule, Schema as TypeSchema } from '#libs/cel';

/** A structural schema as a definition has it (`apiextensions.k8s.io/v1 JSONSchemaProps`), stored form. */
export interface Schema extends TypeSchema {
  title?: string;
  description?: string;
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  pattern?: string;
  minLength?: number;
  minItems?: number;
  minProperties?: number;
  uniqueItems?: boolean;
  multipleOf?: number;
  minimum?: number;
  exclusiveMinimum?: boolean;
  maximum?: number;
  exclusiveMaximum?: boolean;
  allOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  not?: Schema;
  externalDocs?: object;
  example?: unknown;
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-validations'?: readonly Rule[];
}

/** The schema of a field of an object, where it is declared by name. */
export function propertyOf({ properties }: Schema, name: string): Schema | undefined {
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The schema of all values of a map. */
export function valuesOf({ additionalProperties }: Schema): Schema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** The schema of what an object has under a name, declared or not. */
export function memberOf(schema: Schema, name: string): Schema | undefined {
  return propertyOf(schema, name) ?? valuesOf(schema);
}

const metaFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Fields of every whole object, which a schema need not declare. */
export function isMetaField(name: string): boolean {
  return metaFields.has(name);
}

/** The schema of a whole object, at the root or embedded. */
export function asResource(schema: Schema | undefined): Schema {
  return schema?.['x-kubernetes-embedded-resource'] ? schema : { ...schema, 'x-kubernetes-embedded-resource': true };
}
