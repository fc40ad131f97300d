import { chanceOf, type Chance, type Json, type JsonObject } from '#libs/kernel';
import { definition, definitionOf, releaseKinds, type Definition, type ResourceKind, type TypeRef } from '#libs/kube-api';
import type { Sent } from './api-under-test.fixture';

/** Requests that are valid but for a few values that nobody expects, drawn from a seed. */

/** JSON texts: some are no valid value anywhere, all are valid JSON. */
export const oddTexts: readonly string[] = [
  'null',
  '""',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udc00x"',
  '"\\ud83d\\ude00"',
  '"\\u2028<>&"',
  `"${'a'.repeat(1024)}"`,
  `"${'a.'.repeat(400)}a"`,
  '"__proto__"',
  '"constructor"',
  '"../../x"',
  '"%00"',
  '"-1"',
  '"1e999999999"',
  '"0x10"',
  '" 1"',
  '"999999999999999999999999"',
  '"2020-01-01T00:00:00Z"',
  '"9999-99-99T99:99:99Z"',
  'true',
  'false',
  '0',
  '-1',
  '1.5',
  '1e400',
  '2147483648',
  '-9223372036854775808',
  '99999999999999999999999999',
  '[]',
  '[null]',
  '[[]]',
  '["a","a",null]',
  '[{},{}]',
  '{}',
  '{"":""}',
  '{"":null}',
  '{"k":null}',
  '{"__proto__":null}',
  '{"a\\u0000":"\\ud800"}',
  '{"name":null}',
  '{"$patch":"delete"}',
];

export const oddNames: readonly string[] = [
  '%00',
  'a%00b',
  '%EF%BF%BD',
  'a'.repeat(1024),
  '.',
  '..',
  '%2e%2e%2fx',
  '%25',
  '%20',
  '*',
  '__proto__',
  'A_b',
  '%F0%9F%98%80',
  'p1',
];

/** What a kind needs beside a name. */
export const content: Record<string, JsonObject> = {
  pods: { spec: { containers: [{ name: 'c', image: 'i' }] } },
  configmaps: { data: { a: '1' } },
  secrets: { data: { a: 'YQ==' }, stringData: { b: 'x' } },
  services: { spec: { ports: [{ port: 80 }], selector: { a: 'b' } } },
  bindings: { target: { kind: 'Node', name: 'n' } },
  events: { involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' }, reason: 'r', message: 'm', type: 'Normal' },
  'events.events.k8s.io': {
    eventTime: '2026-01-01T00:00:00.000000Z',
    regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
    reason: 'r',
    action: 'a',
    type: 'Normal',
    reportingController: 'x.io/c',
    reportingInstance: 'i',
  },
  'leases.coordination.k8s.io': { spec: { holderIdentity: 'h', leaseDurationSeconds: 10 } },
  'priorityclasses.scheduling.k8s.io': { value: 10 },
  'runtimeclasses.node.k8s.io': { handler: 'h', overhead: { podFixed: { cpu: '1' } }, scheduling: { nodeSelector: { a: 'b' } } },
  'poddisruptionbudgets.policy': { spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } } },
  'deployments.apps': workload(),
  'replicasets.apps': workload(),
};

function workload(): JsonObject {
  const labels = { a: 'b' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  return { spec: { replicas: 1, selector: { matchLabels: labels }, template } };
}

/** Odd, and still of the type that is wanted: what gets past the decoder. */
const oddOf: Readonly<Record<string, readonly string[]>> = {
  string: oddTexts
    .filter((text) => text.startsWith('"'))
    .concat(['"a"', '"Never"', '"Always"', '"Exists"', '"NoExecute"', '"In"', '"default"', '"kubernetes.io/hostname"']),
  bool: ['true', 'false', 'null'],
  int32: ['0', '1', '-1', '2147483647', '-2147483648', '65535', 'null'],
  int64: ['0', '1', '-1', '9223372036854775807', '4611686018427387904', 'null'],
  quantity: ['"0"', '"1m"', '"-1"', '1', '"1e3"', '"1Ei"', '"9223372036854775807"', '"0.0000000001"', '"1E400"', '""'],
  time: ['"2020-01-01T00:00:00Z"', '"0001-01-01T00:00:00Z"', '"9999-12-31T23:59:59+23:59"', 'null'],
  microTime: ['"2020-01-01T00:00:00.000001Z"', '"0001-01-01T00:00:00.000000Z"', 'null'],
  bytes: ['""', '"AA=="', '"/+8="', 'null'],
  intOrString: ['0', '-1', '"50%"', '"1000%"', '"a"', '""'],
  list: ['[]', 'null', '[null]'],
  map: ['{}', 'null', '{"a":null}', '{"":""}'],
  struct: ['{}', 'null'],
};

/** Marks the place of an odd text in a body that is about to be written, and what is wanted there. */
const placeholder = (ref: TypeRef): string => `@odd ${ref.type === 'scalar' ? ref.scalar : ref.type}@`;

/** Whoever draws. */
export interface Drawing {
  index(bound: number): number;
  of<T>(items: readonly T[]): T;
}

class Draw implements Drawing {
  private readonly chance: Chance;
  private draws = 0;
  constructor(seed: string) {
    this.chance = chanceOf('odd-values', seed);
  }
  index(bound: number): number {
    return this.chance.index(bound, String(this.draws++));
  }
  of<T>(items: readonly T[]): T {
    return items[this.index(items.length)] as T;
  }
}

const depthMax = 6;

/** Walks into a type at random, building what is on the way, and leaves a placeholder where it stops. */
function planted(ref: TypeRef, present: Json | undefined, draw: Drawing, depth: number): Json {
  if (depth === depthMax || draw.index(5) === 0) return placeholder(ref);
  // Of some types nothing is known but that they are objects.
  if (ref.type === 'struct' && ref.of.fields.length === 0) return placeholder(ref);
  if (ref.type === 'struct') return plantedInStruct(ref.of, present, draw, depth);
  if (ref.type === 'list') {
    const list = Array.isArray(present) ? [...present] : [];
    const at = draw.index(list.length + 1);
    list[at] = planted(ref.item, list[at], draw, depth + 1);
    return list;
  }
  if (ref.type === 'map') {
    const map = isPlain(present) ? present : {};
    const key = draw.of(['a', '', 'cpu', 'x/y', `${'k'.repeat(300)}`, 'k\0']);
    return { ...map, [key]: planted(ref.value, map[key], draw, depth + 1) };
  }
  return placeholder(ref);
}

function isPlain(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object with a placeholder somewhere below. */
export function plantedInStruct(of: Definition, present: Json | undefined, draw: Drawing, depth: number): Json {
  const object = isPlain(present) ? present : {};
  const known = Object.keys(object).filter((key) => of.byName.has(key));
  // What is there already is met half of the time: the rest of the object stays meaningful.
  const name = known.length > 0 && draw.index(2) === 0 ? draw.of(known) : draw.of(of.fields).name;
  return { ...object, [name]: planted(of.byName.get(name)!.ref, object[name], draw, depth + 1) };
}

export const servedKinds: readonly ResourceKind[] = releaseKinds.all.filter(({ served }) => served);

function body(kind: ResourceKind, of: Definition, name: string, draw: Draw): string {
  let object: Json = { kind: kind.kind, apiVersion: kind.apiVersion, metadata: { name }, ...content[kind.groupResource] };
  for (let i = draw.index(3); i >= 0; i--) object = plantedInStruct(of, object, draw, 0);
  return filled(object, draw);
}

/** Its text, odd values in place of the placeholders. */
export function filled(value: Json, draw: Drawing): string {
  return JSON.stringify(value).replaceAll(/"@odd (\w+)@"/g, (_, wanted: string) =>
    draw.of(draw.index(12) === 0 ? oddTexts : (oddOf[wanted] ?? oddTexts)),
  );
}

const queries = [
  '',
  '',
  '',
  '?fieldValidation=Strict',
  '?dryRun=All',
  '?fieldManager=%00',
  `?labelSelector=${'a,'.repeat(300)}`,
  '?fieldSelector=%00',
  '?limit=-1',
  '?resourceVersion=%EF%BF%BD',
  '?propagationPolicy=%00',
];

const patches = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
} as const;

/** Request number `index` of a seed. */
export function oddRequest(seed: string, index: number): Sent {
  const draw = new Draw(`${seed}/${index}`);
  // Pods have most of what can be odd.
  const kind = draw.index(3) === 0 ? releaseKinds.kindOf('pods') : draw.of(servedKinds);
  const of = kind.schema ?? definitionOf('core.v1.ConfigMap')!;
  const collection = collectionOf(kind, draw);
  const name = draw.of(['p1', `n${index}`, `n${index}`]);
  const inPath = draw.index(4) === 0 ? draw.of(oddNames) : name;
  const below = draw.index(4) === 0 && kind.subresources.length > 0 ? `/${draw.of(kind.subresources).name}` : '';
  const query = draw.index(4) === 0 ? draw.of(queries) : '';
  const json = { 'content-type': 'application/json' };
  switch (draw.index(8)) {
    case 0:
      return { method: draw.of(['GET', 'DELETE']), path: `${collection}/${inPath}${below}${query}` };
    case 1:
      return { method: 'DELETE', path: `${collection}/${inPath}${query}`, headers: json, body: deleteOptions(draw) };
    case 2:
      return { method: 'PUT', path: `${collection}/${inPath}${below}${query}`, headers: json, body: body(kind, of, name, draw) };
    case 3:
      return patchOf(`${collection}/${inPath}${below}${query}`, kind, of, draw);
    default: {
      const place = below === '' || draw.index(4) > 0 ? '' : `/${name}${below}`;
      return { method: 'POST', path: `${collection}${place}${query}`, headers: json, body: body(kind, of, name, draw) };
    }
  }
}

function collectionOf(kind: ResourceKind, draw: Draw): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  if (!kind.namespaced) return `${root}/${kind.resource}`;
  return `${root}/namespaces/${draw.index(10) === 0 ? draw.of(oddNames) : 'default'}/${kind.resource}`;
}

function deleteOptions(draw: Draw): string {
  return filled(plantedInStruct(definition('meta.v1.DeleteOptions'), {}, draw, 0), draw);
}

function patchOf(path: string, kind: ResourceKind, of: Definition, draw: Draw): Sent {
  const format = draw.of(['merge', 'strategic', 'json'] as const);
  const headers = { 'content-type': patches[format] };
  if (format !== 'json')
    return { method: 'PATCH', path, headers, body: filled(plantedInStruct(of, content[kind.groupResource], draw, 0), draw) };
  const pointer = draw.of(['', '/', '/metadata/name', '/metadata/labels', '/spec', '/data/a', '/data/-', '/a~2', '/metadata/finalizers/-']);
  const operation = {
    op: draw.of(['add', 'remove', 'replace', 'copy', 'move', 'test', 'x']),
    path: pointer,
    from: '/metadata',
    value: '@odd any@',
  };
  return { method: 'PATCH', path, headers, body: filled([operation], draw) };
}
