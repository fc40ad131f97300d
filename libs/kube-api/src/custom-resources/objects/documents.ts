import { definition, type Definition } from '../../schema';
import { propertyOf, valuesOf, type Schema } from '../schema';

type Dialect = 'v2' | 'v3';
type Document = Record<string, unknown>;

interface DocumentedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly schema: Schema;
}

/** A kind, and lists of its objects, as documents tell of them. */
export function documentsOf(documented: DocumentedKind): { readonly object: Definition; readonly list: Definition } {
  const { kind, listKind } = documented;
  const metadata = definition('meta.v1.ObjectMeta');
  const object = customDefinition(documented, kind, (dialect) => objectDocument(documented, dialect), [metadata]);
  const listMetadata = definition('meta.v1.ListMeta');
  const list = customDefinition(documented, listKind, (dialect) => listDocument(documented, object, dialect), [object, listMetadata]);
  return { object, list };
}

function customDefinition(
  { group, version }: DocumentedKind,
  kind: string,
  schema: (dialect: Dialect) => Document,
  leadsTo: readonly Definition[],
): Definition {
  const name = `${group}.${version}.${kind}`;
  return {
    name,
    openApiName: `${group.split('.').reverse().join('.')}.${version}.${kind}`,
    goName: kind,
    fields: [],
    byName: new Map(),
    atomic: false,
    custom: { schema, leadsTo },
  };
}

const description = {
  apiVersion:
    'APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources',
  kind: 'Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds',
  metadata:
    "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
  listMetadata:
    'Standard list metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds',
};

const text = (about: string): Document => ({ description: about, type: 'string' });

function reference(to: string, about: string, dialect: Dialect): Document {
  return dialect === 'v2'
    ? { description: about, $ref: `#/definitions/${to}` }
    : { description: about, allOf: [{ $ref: `#/components/schemas/${to}` }] };
}

const metadataName = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

function ofEveryObject(dialect: Dialect): Document {
  return {
    apiVersion: text(description.apiVersion),
    kind: text(description.kind),
    metadata: reference(metadataName, description.metadata, dialect),
  };
}

function objectDocument({ group, version, kind, schema }: DocumentedKind, dialect: Dialect): Document {
  const named = { 'x-kubernetes-group-version-kind': [{ group, kind, version }] };
  // Whoever reads version 2 takes properties for all that there are.
  if (dialect === 'v2' && schema['x-kubernetes-preserve-unknown-fields']) return { type: 'object', ...named };
  const shown = shownSchema(schema, dialect);
  return { ...shown, type: 'object', properties: { ...(shown['properties'] as Document), ...ofEveryObject(dialect) }, ...named };
}

function listDocument({ group, version, kind, listKind }: DocumentedKind, object: Definition, dialect: Dialect): Document {
  const item = { $ref: `${dialect === 'v2' ? '#/definitions' : '#/components/schemas'}/${object.openApiName}` };
  return {
    description: `${listKind} is a list of ${kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: text(description.apiVersion),
      items: {
        description: `List of ${kind.toLowerCase()}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md`,
        type: 'array',
        items: item,
      },
      kind: text(description.kind),
      metadata: reference('io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta', description.listMetadata, dialect),
    },
    'x-kubernetes-group-version-kind': [{ group, kind: listKind, version }],
  };
}

/** What version 2 has no words for, or clients of it do not understand. */
const onlyInVersion3: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'nullable', 'default', 'x-kubernetes-validations']);

function shownSchema(schema: Schema, dialect: Dialect): Document {
  const isFree = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const shown: Document = {};
  for (const [word, value] of Object.entries(schema)) {
    if (dialect === 'v2' && onlyInVersion3.has(word)) continue;
    shown[word] = value;
  }
  const own = schema.properties && Object.fromEntries(Object.keys(schema.properties).map((name) => [name, below(schema, name, dialect)]));
  if (own) shown['properties'] = own;
  if (schema.items) shown['items'] = shownSchema(schema.items, dialect);
  const values = valuesOf(schema);
  if (values) shown['additionalProperties'] = shownSchema(values, dialect);
  if (dialect === 'v2' && (isFree || schema.nullable || schema['x-kubernetes-int-or-string'])) {
    for (const word of ['type', 'items', 'properties', 'additionalProperties', 'required']) delete shown[word];
    return shown;
  }
  if (!schema['x-kubernetes-embedded-resource']) return shown;
  const required = [...new Set([...(schema.required ?? []), 'kind', 'apiVersion'])];
  return { ...shown, required, properties: { ...own, ...ofEveryObject(dialect) } };
}

function below(schema: Schema, name: string, dialect: Dialect): Document {
  return shownSchema(propertyOf(schema, name) as Schema, dialect);
}
