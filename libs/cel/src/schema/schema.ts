/** What expressions look at of a structural schema (OpenAPI v3 with Kubernetes' extensions). */
export interface Schema {
  type?: string;
  format?: string;
  nullable?: boolean;
  default?: unknown;
  enum?: readonly unknown[];
  required?: readonly string[];
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-list-map-keys'?: readonly string[];
}

const text: Schema = { type: 'string' };
const ofEveryObject: Readonly<Record<string, Schema>> = {
  kind: text,
  apiVersion: text,
  metadata: { type: 'object', properties: { name: text, generateName: text } },
};

/** The schema as expressions see it: of whole objects `kind`, `apiVersion` and the names are there, whatever it says of them. */
export function withObjectMeta(schema: Schema): Schema {
  return { ...schema, properties: { ...schema.properties, ...ofEveryObject } };
}

export function valuesOf({ additionalProperties }: Schema): Schema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
