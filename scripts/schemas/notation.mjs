// One field of a definition as one line of text; libs/kube-api/src/schema/notation.ts explains and reads it.

const scalars = {
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': 'time',
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': 'microTime',
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'quantity',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'intOrString',
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': 'fieldsV1',
  'io.k8s.apimachinery.pkg.runtime.RawExtension': 'raw',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Patch': 'json',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON': 'json',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray': 'json',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool': 'json',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray': 'json',
};

const goScalars = {
  time: 'v1.Time',
  microTime: 'v1.MicroTime',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  fieldsV1: 'v1.FieldsV1',
  raw: 'runtime.RawExtension',
  bytes: '[]uint8',
  double: 'float64',
};

export const isScalar = (openApiName) => openApiName in scalars;

/** `io.k8s.api.core.v1.Pod` → `core.v1.Pod`. */
export function shortName(openApiName) {
  return openApiName.replace(/^io\.k8s\.(api|apimachinery\.pkg\.apis|apimachinery\.pkg|[\w-]+\.pkg\.apis)\./, '');
}

export function typeOf(schema) {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (reference) {
    const name = reference.split('/').pop();
    return scalars[name] ?? shortName(name);
  }
  if (schema.type === 'array') return `[]${typeOf(schema.items)}`;
  if (schema.type === 'object') return schema.additionalProperties ? `map[]${typeOf(schema.additionalProperties)}` : 'raw';
  if (schema.type === 'integer') return schema.format ?? 'int64';
  if (schema.type === 'boolean') return 'bool';
  if (schema.type === 'number') return 'double';
  if (schema.format === 'byte') return 'bytes';
  return schema.type ?? 'json';
}

function goTypeOf(type) {
  if (type.startsWith('[]')) return `[]${goTypeOf(type.slice(2))}`;
  if (type.startsWith('map[]')) return `map[string]${goTypeOf(type.slice(5))}`;
  return goScalars[type] ?? (type.includes('.') ? type.split('.').slice(-2).join('.') : type);
}

const zeros = new Set(['""', '{}', '0', 'false', 'null', '[]']);

/** The line of one field: recorded schema, struct facts, protobuf place (`{ number: '2.1', wrapped }`). */
export function fieldLine(name, schema, required, struct, place) {
  const type = typeOf(schema);
  const isStruct =
    !type.startsWith('[') && !type.startsWith('map') && !['string', 'bool', 'int32', 'int64', 'double', 'bytes'].includes(type);
  const words = [name, type];
  if (place?.number) words.push(`#${place.number}`);
  if (required) words.push('required');
  if (struct?.pointer) words.push('pointer');
  if (struct && (!struct.omitEmpty || (isStruct && !struct.pointer && !struct.omitZero && type !== 'json'))) words.push('always');
  if (struct && struct.goType !== goTypeOf(type)) words.push(`go=${struct.goType}`);
  if (place?.wrapped) words.push('wrapped');
  // The zero default of a field that is written always is Go's own; any other was declared.
  const value = JSON.stringify(schema.default);
  const own = zeros.has(value) && (!struct || (!struct.pointer && (isStruct || !struct.omitEmpty)));
  if (value !== undefined && !own) words.push(`default=${value.replaceAll(' ', '\\u0020')}`);
  const values = schema.enum ?? schema.items?.enum ?? schema.additionalProperties?.enum;
  if (values) words.push(`enum=${JSON.stringify(values).replaceAll(' ', '\\u0020')}`);
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type']) words.push(`list=${schema['x-kubernetes-list-type']}${keys ? `:${keys.join(',')}` : ''}`);
  if (schema['x-kubernetes-map-type']) words.push(`map=${schema['x-kubernetes-map-type']}`);
  if (schema['x-kubernetes-patch-strategy']) words.push(`patch=${schema['x-kubernetes-patch-strategy']}`);
  if (schema['x-kubernetes-patch-merge-key']) words.push(`key=${schema['x-kubernetes-patch-merge-key']}`);
  return words.join(' ');
}
