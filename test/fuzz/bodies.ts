// Bodies: valid objects with odd places, and the ways in which they are written down.
import { stringify } from 'yaml';
import type { Json, JsonObject } from '#libs/kernel';
import { definitionOf, encodeMessage, writeEnvelope, type Definition, type ResourceKind } from '#libs/kube-api';
import { filled, oddTexts, plantedInStruct } from '../odd-values.fixture';
import type { Draw } from './draw';
import type { Target } from './targets';

export interface Body {
  bytes: Buffer;
  type: string | undefined;
}

const hugeText = 'x'.repeat(300_000);
const depths = [50, 1_000, 9_999, 10_001, 50_000];
const encodings = ['application/json', 'application/json', 'application/json', 'application/json;charset=utf-8', 'application/yaml'];
export const patchTypes = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;
const oddTypes = [
  'text/plain',
  'application/xml',
  '',
  'application/json; charset',
  'multipart/form-data',
  'application/cbor',
  'application/json,application/yaml',
];

/** An object of a kind under a name, odd in some places. */
export function objectOf({ kind, bases }: Target, name: string, draw: Draw): JsonObject {
  const base = draw.of(bases);
  const metadata = { ...(base.metadata as JsonObject | undefined), name };
  if (draw.oneIn(3)) Object.assign(metadata, { labels: { a: draw.of(['b', 'c']) } });
  if (draw.oneIn(8)) Object.assign(metadata, { finalizers: ['example.org/hold'] });
  let object: Json = { kind: kind.kind, apiVersion: kind.apiVersion, ...base, metadata };
  const schema = kind.schema;
  if (!schema || draw.oneIn(2)) return object;
  for (let places = draw.index(3); places >= 0; places--) object = plantedInStruct(schema, object, draw, 0);
  return object as JsonObject;
}

/** The text of an object: with values that are of no type, keys that come twice, what is far too deep or too long. */
export function textOf(object: Json, draw: Draw): string {
  let text = filled(object, draw);
  if (draw.oneIn(40)) text = doubled(text, draw);
  if (draw.oneIn(60)) text = text.replace(/"[^"]*"(?=[,}\]])/, () => draw.of(oddTexts));
  if (draw.oneIn(400)) text = withField(text, `"deep":${nested(draw.of(depths), draw)}`);
  if (draw.oneIn(2_000)) text = withField(text, `"long":"${hugeText}"`);
  if (draw.oneIn(20_000)) text = withField(text, `"longer":"${hugeText.repeat(12)}"`);
  return text;
}

function withField(text: string, field: string): string {
  return text.startsWith('{') && text.length > 2 ? `{${field},${text.slice(1)}` : text;
}

/** Some of its fields, written twice. */
function doubled(text: string, draw: Draw): string {
  const fields = [...text.matchAll(/"[A-Za-z]+":(?:"[^"\\]*"|\d+|true|null)/g)];
  const [field] = fields.length > 0 ? draw.of(fields) : [];
  return field ? text.replace(field, `${field},${field}`) : text;
}

function nested(depth: number, draw: Draw): string {
  return draw.oneIn(2) ? '['.repeat(depth) + ']'.repeat(depth) : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
}

/** A body as clients send them: JSON mostly, YAML, protobuf, or something else under a wrong name. */
export function bodyOf(object: JsonObject, kind: ResourceKind, draw: Draw): Body {
  if (draw.oneIn(12)) {
    const bytes = protobufOf(object, kind.schema);
    if (bytes) return { bytes: draw.oneIn(2) ? mutated(bytes, draw) : bytes, type: 'application/vnd.kubernetes.protobuf' };
  }
  const text = textOf(object, draw);
  const type = draw.oneIn(30) ? draw.of(oddTypes) : draw.of(encodings);
  const isYaml = type === 'application/yaml' && draw.oneIn(2);
  const bytes = Buffer.from(isYaml ? yamlOf(text) : text);
  return { bytes: draw.oneIn(10) ? mutated(bytes, draw) : bytes, type };
}

function yamlOf(text: string): string {
  try {
    return stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

/** What fits the schema, as a message; undefined where it does not. */
function protobufOf(object: JsonObject, schema: Definition | undefined): Buffer | undefined {
  if (!schema) return undefined;
  try {
    const plain = JSON.parse(JSON.stringify(object).replaceAll(/"@odd (\w+)@"/g, 'null')) as JsonObject;
    return writeEnvelope(String(object.apiVersion), String(object.kind), encodeMessage(schema, plain));
  } catch {
    return undefined;
  }
}

/** Some bytes of it are others, are gone, or are there twice. */
export function mutated(bytes: Buffer, draw: Draw): Buffer {
  let changed = Buffer.from(bytes);
  for (let changes = draw.index(4); changes >= 0 && changed.length > 0; changes--) {
    const at = draw.index(changed.length);
    const span = 1 + draw.index(8);
    const way = draw.index(5);
    if (way === 0) changed[at] = draw.index(256);
    else if (way === 1) changed[at] = (changed[at] as number) ^ (1 << draw.index(8));
    else if (way === 2) changed = Buffer.concat([changed.subarray(0, at), changed.subarray(at + span)]);
    else if (way === 3) changed = Buffer.concat([changed.subarray(0, at + span), changed.subarray(at)]);
    else changed = Buffer.concat([changed.subarray(0, at), Buffer.from(draw.of(tokens)), changed.subarray(at)]);
  }
  return changed;
}

const tokens = [
  '\0',
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  '\\',
  '\\u0000',
  '\u2028',
  '\ufeff',
  '1e999',
  '-',
  '\xff',
  'null',
  '---\n',
  '&a',
  '*a',
  '!!binary ',
  '\t',
];

/** A patch of one of the four types. */
export function patchOf(target: Target, name: string, draw: Draw): Body {
  const format = draw.of(['merge', 'merge', 'strategic', 'strategic', 'json', 'apply'] as const);
  const { kind, bases } = target;
  const schema = kind.schema ?? (definitionOf('core.v1.ConfigMap') as Definition);
  const text =
    format === 'json'
      ? textOf(operations(draw), draw)
      : format === 'apply'
        ? textOf(objectOf(target, name, draw), draw)
        : textOf(plantedInStruct(schema, draw.oneIn(2) ? {} : { ...draw.of(bases) }, draw, 0), draw);
  const bytes = Buffer.from(text);
  return { bytes: draw.oneIn(12) ? mutated(bytes, draw) : bytes, type: draw.oneIn(40) ? draw.of(oddTypes) : patchTypes[format] };
}

const pointers = [
  '',
  '/',
  '/metadata/name',
  '/metadata/labels',
  '/metadata/labels/a',
  '/metadata/annotations',
  '/spec',
  '/spec/replicas',
  '/data/a',
  '/data/-',
  '/a~2',
  '/metadata/finalizers/-',
  '/metadata/finalizers',
  '/status',
  '/spec/containers/0/image',
  '/spec/template/spec/containers/-',
];

function operations(draw: Draw): Json {
  return Array.from({ length: 1 + draw.index(3) }, () => ({
    op: draw.of(['add', 'add', 'replace', 'remove', 'copy', 'move', 'test', 'x']),
    path: draw.of(pointers),
    from: draw.of(pointers),
    value: draw.of([{ a: 'b' }, '@odd any@', '@odd any@', 1, 'x', null]),
  }));
}

export function deleteOptionsOf(draw: Draw): Body {
  const options = plantedInStruct(
    definitionOf('meta.v1.DeleteOptions') as Definition,
    draw.oneIn(2) ? { propagationPolicy: 'Background' } : {},
    draw,
    0,
  );
  return { bytes: Buffer.from(textOf(options, draw)), type: draw.of(['application/json', undefined]) };
}
