import { schemaData } from '../schema';
import type { Definition, Field, Scalar, TypeRef } from '../schema';
import { commonDescriptions, descriptions } from './descriptions';
import { everywhere } from './known-versions';
import type { Endpoint } from './operation';
import { bareReferences, unionExtension } from './unions';

/** Version 2 (swagger) and version 3 say the same in slightly different words. */
export type Dialect = 'v2' | 'v3';
export type OpenApiSchema = Record<string, unknown>;

const scalarNames: Partial<Record<Scalar, string>> = {
  time: 'io.k8s.apimachinery.pkg.apis.meta.v1.Time',
  microTime: 'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime',
  quantity: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  intOrString: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
  fieldsV1: 'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1',
  raw: 'io.k8s.apimachinery.pkg.runtime.RawExtension',
};

/** Values of any form, and those that are one thing or another: by the name that Go has for them. */
const freeTypes: Readonly<Record<string, string>> = Object.fromEntries(
  ['JSON', 'JSONSchemaPropsOrArray', 'JSONSchemaPropsOrBool', 'JSONSchemaPropsOrStringArray'].map((name) => [
    `v1.${name}`,
    `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.${name}`,
  ]),
);

/** What the values of a field, or its elements, are called, where its type says no more than that they are JSON. */
function freeTypeOf({ goType }: Field): string | undefined {
  if (goType === 'v1.JSONSchemaDependencies') return freeTypes['v1.JSONSchemaPropsOrStringArray'];
  return freeTypes[goType.replace(/^\[\]/, '')];
}

export const patchName = 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch';

/** Definitions that are no structs. */
export function scalarSchemas(dialect: Dialect): Record<string, OpenApiSchema> {
  const either = (...types: string[]): OpenApiSchema =>
    dialect === 'v2' ? { type: 'string' } : { oneOf: types.map((type) => ({ type })) };
  return {
    'io.k8s.apimachinery.pkg.apis.meta.v1.Time': { type: 'string', format: 'date-time' },
    'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': { type: 'string', format: 'date-time' },
    'io.k8s.apimachinery.pkg.api.resource.Quantity': either('string', 'number'),
    'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { format: 'int-or-string', ...either('integer', 'string') },
    'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': { type: 'object' },
    'io.k8s.apimachinery.pkg.runtime.RawExtension': { type: 'object' },
    [patchName]: { type: 'object' },
    ...Object.fromEntries(Object.values(freeTypes).map((name) => [name, {}])),
  };
}

const plainTypes: Partial<Record<Scalar, OpenApiSchema>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
};
const zeros: Partial<Record<Scalar, unknown>> = { string: '', bool: false, int32: 0, int64: 0, double: 0 };

export function referenceTo(openApiName: string, dialect: Dialect): string {
  return dialect === 'v2' ? `#/definitions/${openApiName}` : `#/components/schemas/${openApiName}`;
}

/** What stands beside a type: other words of its schema, or nothing at all. */
type Beside = OpenApiSchema | 'alone';

/** A reference stands alone in version 2; beside other words it has to be wrapped in version 3. */
function reference(name: string, dialect: Dialect, beside: Beside): OpenApiSchema {
  const $ref = referenceTo(name, dialect);
  if (beside === 'alone') return { $ref };
  if (dialect === 'v2') return { ...(beside['description'] === undefined ? {} : { description: beside['description'] }), $ref };
  return { ...beside, allOf: [{ $ref }] };
}

/** What a field says of its type beyond the type itself. */
interface OfField {
  readonly values?: readonly string[];
  /** What values of any form are called. */
  readonly free?: string;
}

function typeSchema(ref: TypeRef, dialect: Dialect, place: Beside, of: OfField = {}): OpenApiSchema {
  const beside = place === 'alone' ? {} : place;
  if (ref.type === 'list') return { ...beside, type: 'array', items: elementSchema(ref.item, dialect, of) };
  if (ref.type === 'map') return { ...beside, type: 'object', additionalProperties: elementSchema(ref.value, dialect, of) };
  if (ref.type === 'struct') return reference(ref.of.openApiName, dialect, place);
  const named = ref.scalar === 'json' ? of.free : scalarNames[ref.scalar];
  if (named) return reference(named, dialect, place);
  const enumeration = of.values && dialect === 'v3' ? { enum: of.values } : {};
  return { ...beside, ...plainTypes[ref.scalar], ...enumeration };
}

/** Elements are never absent: theirs is the zero value. */
function elementSchema(ref: TypeRef, dialect: Dialect, of: OfField): OpenApiSchema {
  if (dialect === 'v2') return typeSchema(ref, dialect, {}, { free: of.free });
  if (ref.type === 'struct') return typeSchema(ref, dialect, { default: {} });
  const zero = ref.type === 'scalar' ? zeros[ref.scalar] : undefined;
  return typeSchema(ref, dialect, zero === undefined ? 'alone' : { default: zero }, of);
}

function extensions(field: Field): OpenApiSchema {
  const out: OpenApiSchema = {};
  if (field.mapKeys) out['x-kubernetes-list-map-keys'] = field.mapKeys;
  if (field.listType) out['x-kubernetes-list-type'] = field.listType;
  if (field.mapType) out['x-kubernetes-map-type'] = field.mapType;
  if (field.mergeKey) out['x-kubernetes-patch-merge-key'] = field.mergeKey;
  if (field.patchStrategies.length > 0) out['x-kubernetes-patch-strategy'] = field.patchStrategies.join(',');
  return out;
}

function defaultOf({ ref, default: declared, pointer, always }: Field): unknown {
  if (declared !== undefined) return declared;
  if (pointer || !always) return undefined;
  if (ref.type === 'struct') return {};
  return ref.type === 'scalar' ? zeros[ref.scalar] : undefined;
}

function fieldSchema(of: Definition, field: Field, dialect: Dialect): OpenApiSchema {
  const text = descriptions.get(`${of.name}.${field.name}`) ?? commonDescriptions.get(field.name);
  const beside: OpenApiSchema = text === undefined ? {} : { description: text };
  const standard = dialect === 'v3' ? defaultOf(field) : field.default;
  if (standard !== undefined && !(dialect === 'v2' && field.ref.type !== 'scalar')) beside['default'] = standard;
  const place = bareReferences.has(`${of.name}.${field.name}`) ? 'alone' : beside;
  return { ...typeSchema(field.ref, dialect, place, { values: field.enum, free: freeTypeOf(field) }), ...extensions(field) };
}

/** Group, version and kind of the definitions that are kinds; options of deletes and watch frames belong to all. */
const kindsByName = new Map<string, { group: string; version: string; kind: string }[]>();
for (const [key, name] of Object.entries(schemaData.kinds)) {
  const parts = key.split('/');
  const kind = parts.pop() as string;
  if (parts[0] === '*') continue;
  const version = parts.pop() as string;
  kindsByName.set(name, [...(kindsByName.get(name) ?? []), { group: parts[0] ?? '', version, kind }]);
}

/** One definition as an OpenAPI schema. */
export function definitionSchema(of: Definition, dialect: Dialect): OpenApiSchema {
  if (of.custom) return of.custom.schema(dialect);
  const text = descriptions.get(of.name);
  const properties = Object.fromEntries(
    [...of.fields].sort((a, b) => (a.name < b.name ? -1 : 1)).map((field) => [field.name, fieldSchema(of, field, dialect)]),
  );
  const required = of.fields.filter((field) => field.required).map((field) => field.name);
  const isEverywhere = of.name === 'meta.v1.DeleteOptions' || of.name === 'meta.v1.WatchEvent';
  const kinds = isEverywhere ? everywhere(of.goName) : (kindsByName.get(of.name) ?? of.kinds);
  return {
    ...(text === undefined ? {} : { description: text }),
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    ...(of.fields.length > 0 ? { properties } : {}),
    ...(kinds ? { 'x-kubernetes-group-version-kind': kinds } : {}),
    ...(of.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...unionExtension(of.name),
  };
}

/** What bodies and answers consist of, all that they lead to, and no more; by name. */
export function schemasOf(endpoints: readonly Endpoint[], dialect: Dialect): Record<string, OpenApiSchema> {
  const schemas = new Map<string, OpenApiSchema>();
  const scalars = scalarSchemas(dialect);
  const visitType = (ref: TypeRef): void => {
    if (ref.type === 'list') visitType(ref.item);
    else if (ref.type === 'map') visitType(ref.value);
    else if (ref.type === 'struct') visit(ref.of);
    else visitScalar(scalarNames[ref.scalar]);
  };
  const visitScalar = (name: string | undefined): void => {
    if (name !== undefined) schemas.set(name, scalars[name] as OpenApiSchema);
  };
  const visit = (of: Definition): void => {
    if (schemas.has(of.openApiName)) return;
    schemas.set(of.openApiName, definitionSchema(of, dialect));
    for (const field of of.fields) {
      visitScalar(freeTypeOf(field));
      visitType(field.ref);
    }
    for (const other of of.custom?.leadsTo ?? []) visit(other);
  };
  for (const { operations } of endpoints) {
    for (const { body, result } of operations) {
      if (body === 'patch') visitScalar(patchName);
      else if (body) visit(body);
      if (result) visit(result);
    }
  }
  return Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
}
