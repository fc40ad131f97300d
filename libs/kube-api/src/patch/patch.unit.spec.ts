import { describe, expect, it } from 'vitest';
import type { Json, JsonObject, KubeObject } from '#libs/kernel';
import { releaseKinds } from '../kinds';
import { definition } from '../schema';
import {
  applyJsonPatch,
  applyMergePatch,
  applyPatch,
  applyStrategicMerge,
  jsonPatchOperationsMax,
  patchFormatOf,
  readPatch,
} from './index';

const kindOf = (name: string) => releaseKinds.kindOf(name);

describe('JSON patch', () => {
  const apply = (document: Json, ...operations: Json[]): Json => applyJsonPatch(document, operations);

  it('adds, replaces, removes, moves, copies and tests', () => {
    expect(apply({ a: [1, 3] }, { op: 'add', path: '/a/1', value: 2 })).toEqual({ a: [1, 2, 3] });
    expect(apply({ a: [1] }, { op: 'add', path: '/a/-', value: 2 })).toEqual({ a: [1, 2] });
    expect(apply({ a: [1, 2] }, { op: 'remove', path: '/a/-1' })).toEqual({ a: [1] });
    expect(apply({ a: 1 }, { op: 'move', from: '/a', path: '/b' })).toEqual({ b: 1 });
    expect(apply({ a: { x: 1 } }, { op: 'copy', from: '/a', path: '/b' }, { op: 'add', path: '/b/y', value: 2 })).toEqual({
      a: { x: 1 },
      b: { x: 1, y: 2 },
    });
    expect(apply({ 'a/b': { '~': 1 } }, { op: 'replace', path: '/a~1b/~0', value: 2 })).toEqual({ 'a/b': { '~': 2 } });
    expect(apply({}, { op: 'test', path: '/none', value: null })).toEqual({});
    expect(apply({ a: 1 }, { op: 'replace', path: '', value: [] })).toEqual([]);
    expect(apply({ a: 1 }, { op: 'replace', path: '', value: null })).toEqual({ a: 1 });
  });

  it('refuses what is not there', () => {
    const bad: Json[] = [
      { op: 'add', path: '/x/y', value: 1 },
      { op: 'add', path: '/a/9', value: 1 },
      { op: 'add', path: '/a/x', value: 1 },
      { op: 'add', path: 'a', value: 1 },
      { op: 'move', from: '/x', path: '/b' },
      { op: 'add', path: '', value: {} },
      { op: 'remove', path: '' },
      { op: 'test', path: '/a', value: [] },
      { op: 'remove', path: '/toString' },
      5,
    ];
    for (const operation of bad) expect(() => apply({ a: [1] }, operation), JSON.stringify(operation)).toThrow();
  });

  it('takes what is not there for null, and indices as Go reads them', () => {
    expect(apply({ a: 1 }, { op: 'replace', path: '/x', value: 1 })).toEqual({ a: 1, x: 1 });
    expect(apply({ a: 1 }, { op: 'copy', from: '/x', path: '/y' }, { op: 'add', path: '/z' })).toEqual({ a: 1, y: null, z: null });
    expect(apply({ a: [1, 3] }, { op: 'add', path: '/a/01', value: 2 }, { op: 'remove', path: '/a/+0' })).toEqual({ a: [2, 3] });
  });

  it('cannot reach a prototype', () => {
    const patched = apply({}, { op: 'add', path: '/__proto__', value: { polluted: 1 } }, { op: 'add', path: '/__proto__/more', value: 2 });
    expect(JSON.stringify(patched)).toBe('{"__proto__":{"polluted":1,"more":2}}');
    expect(() => apply({}, { op: 'add', path: '/__proto__/polluted', value: 1 })).toThrow();
    expect(() => apply({}, { op: 'add', path: '/constructor/prototype/polluted', value: 1 })).toThrow();
    expect(({} as JsonObject)['polluted']).toBeUndefined();
  });

  it('is bounded in operations and in what it copies', () => {
    const doubling = Array.from({ length: 40 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }));
    expect(() => applyJsonPatch({ a: ['aaaaaaaaaaaaaaaa'] }, doubling)).toThrow('too much copied');
    const many = applyPatch(kindOf('configmaps'), 'json', { metadata: {} } as KubeObject, new Array(jsonPatchOperationsMax + 1).fill({}));
    expect(!many.ok && many.status).toMatchObject({
      code: 413,
      message: 'The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
  });
});

describe('a patched document', () => {
  it('is bounded in depth', () => {
    const levels = 300;
    const value = JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as Json;
    const operations = [0, 1, 2].map((part) => ({ op: 'add', path: `/x${'/a'.repeat(part * levels)}`, value }));
    const result = applyPatch(kindOf('configmaps'), 'json', { metadata: { name: 'a' } } as KubeObject, operations);
    expect(!result.ok && result.status).toMatchObject({ code: 400, message: 'exceeded max depth' });
  });
});

describe('merge patch', () => {
  // The examples of RFC 7386.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'foo' }, null, null],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ] as [Json, Json, Json][])('%j with %j is %j', (target, patch, merged) => {
    expect(applyMergePatch(target, patch)).toEqual(merged);
  });

  it('cannot reach a prototype', () => {
    const patch = JSON.parse('{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}}}') as Json;
    expect(JSON.stringify(applyMergePatch({ a: {} }, patch))).toBe('{"a":{"__proto__":{"polluted":1}},"__proto__":{"polluted":1}}');
    expect(({} as JsonObject)['polluted']).toBeUndefined();
  });
});

describe('strategic merge', () => {
  const podSpec = definition('core.v1.PodSpec');
  const merge = (original: JsonObject, patch: JsonObject): JsonObject => applyStrategicMerge(podSpec, original, patch);
  const names = (list: Json | undefined): unknown[] => (list as JsonObject[]).map((item) => item['name']);

  it('merges lists by key, new elements first', () => {
    const merged = merge(
      { containers: [{ name: 'a', image: '1', tty: true }, { name: 'b' }] },
      { containers: [{ name: 'n' }, { name: 'a', image: '2' }] },
    );
    expect(merged).toEqual({ containers: [{ name: 'n' }, { name: 'a', image: '2', tty: true }, { name: 'b' }] });
  });

  it('orders by $setElementOrder, also where only the order is given', () => {
    const original = { containers: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] };
    expect(names(merge(original, { '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }] })['containers'])).toEqual([
      'b',
      'c',
      'a',
    ]);
    const both = merge(original, { '$setElementOrder/containers': [{ name: 'b' }, { name: 'n' }], containers: [{ name: 'n' }] });
    expect(names(both['containers'])).toEqual(['a', 'b', 'n', 'c']);
  });

  it('refuses an order that the patch contradicts', () => {
    const patch = { '$setElementOrder/containers': [{ name: 'a' }], containers: [{ name: 'b' }] };
    expect(() => merge({ containers: [] }, patch)).toThrow("doesn't match $setElementOrder list");
    expect(() => merge({}, { '$setElementOrder/containers': 'x' })).toThrow('expected a []interface {}, but received a string');
  });

  it('deletes and replaces by directive', () => {
    const original = { containers: [{ name: 'a' }, { name: 'b' }], nodeSelector: { x: '1' }, securityContext: { runAsUser: 1 } };
    expect(merge(original, { containers: [{ $patch: 'delete', name: 'a' }] })['containers']).toEqual([{ name: 'b' }]);
    expect(merge(original, { containers: [{ $patch: 'replace' }, { name: 'z' }] })['containers']).toEqual([{ name: 'z' }]);
    expect(merge(original, { nodeSelector: { $patch: 'replace', y: '2' } })['nodeSelector']).toEqual({ y: '2' });
    expect(merge(original, { securityContext: { $patch: 'delete' } })['securityContext']).toEqual({});
    expect(merge(original, { nodeSelector: null })).not.toHaveProperty('nodeSelector');
    expect(() => merge(original, { containers: [{ $patch: 'frob', name: 'a' }] })).toThrow(
      'unknown patch type: frob in map: map[$patch:frob name:a]',
    );
    expect(() => merge(original, { containers: [{ $patch: 'delete' }] })).toThrow('does not contain declared merge key: name');
  });

  it('keeps only $retainKeys', () => {
    const volumes = { volumes: [{ name: 'v', emptyDir: {} }] };
    const patch = { volumes: [{ name: 'v', $retainKeys: ['name', 'secret'], secret: { secretName: 's' } }] };
    expect(merge(volumes, patch)['volumes']).toEqual([{ name: 'v', secret: { secretName: 's' } }]);
    expect(() => merge(volumes, { volumes: [{ name: 'v', $retainKeys: ['name'], secret: {} }] })).toThrow(
      'invalid patch format of retainKeys',
    );
  });

  it('treats lists of texts as sets where they merge, and replaces other lists', () => {
    const meta = definition('meta.v1.ObjectMeta');
    expect(applyStrategicMerge(meta, { finalizers: ['a', 'b'] }, { finalizers: ['c', 'a'] })).toEqual({ finalizers: ['c', 'a', 'b'] });
    expect(applyStrategicMerge(meta, { finalizers: ['a', 'b'] }, { '$deleteFromPrimitiveList/finalizers': ['a'] })).toEqual({
      finalizers: ['b'],
    });
    expect(merge({ tolerations: [{ key: 'a' }] }, { tolerations: [{ key: 'b' }] })).toEqual({ tolerations: [{ key: 'b' }] });
  });

  it('replaces an object where its field says so', () => {
    const of = definition('policy.v1.PodDisruptionBudgetSpec');
    const original = { minAvailable: 1, selector: { matchLabels: { a: 'b' } } };
    const selector = { matchExpressions: [{ key: 'x', operator: 'Exists' }] };
    expect(applyStrategicMerge(of, original, { selector })).toEqual({ minAvailable: 1, selector });
  });

  it('says what it cannot follow', () => {
    const refusals: [JsonObject, string][] = [
      [{ nodeSelector: { $patch: 5 } }, 'unknown patch type: %!s(int64=5) in map: map[$patch:5]'],
      [{ nodeSelector: { $patch: null } }, 'unknown patch type: %!s(<nil>) in map: map[$patch:<nil>]'],
      [{ $setElementOrder: [] }, 'invalid patch format of setElementOrder list'],
      [{ $deleteFromPrimitiveList: [] }, 'invalid patch format of primitive list'],
      [{ '$setElementOrder/nope': [] }, 'unable to find api field in struct PodSpec for the json field "nope"'],
      [{ '$setElementOrder/nodeName': [] }, 'expected slice or array type, but got: struct'],
      [{ containers: [null] }, 'list element types are not identical: [[map[name:a]] [<nil>]]'],
    ];
    for (const [patch, text] of refusals) {
      expect(() => merge({ nodeSelector: {}, containers: [{ name: 'a' }] }, patch), JSON.stringify(patch)).toThrow(text);
    }
  });

  it('leaves of the patch what error texts quote', () => {
    const patch = { '$setElementOrder/containers': [{ name: 'a' }], containers: [{ name: 'a' }], dnsConfig: { searches: null } };
    merge({ containers: [{ name: 'a' }] }, patch);
    expect(patch).toEqual({ dnsConfig: {} });
  });

  it('drops nulls and directives of what is new', () => {
    expect(merge({}, { securityContext: { runAsUser: null, runAsGroup: 1, sysctls: [{ $patch: 'delete', name: 'x' }] } })).toEqual({
      securityContext: { runAsGroup: 1, sysctls: [] },
    });
  });

  it('changes neither argument and reaches no prototype', () => {
    const original = Object.freeze({ nodeSelector: Object.freeze({ a: '1' }) }) as JsonObject;
    const patch = JSON.parse('{"nodeSelector":{"__proto__":{"polluted":"1"},"b":"2"},"__proto__":{"polluted":1}}') as JsonObject;
    expect(JSON.stringify(merge(original, patch))).toBe(
      '{"nodeSelector":{"a":"1","__proto__":{"polluted":"1"},"b":"2"},"__proto__":{"polluted":1}}',
    );
    expect(({} as JsonObject)['polluted']).toBeUndefined();
  });
});

describe('a refused patch', () => {
  it('quotes the document with the keys of what was taken apart sorted, and the rest as it was', () => {
    const current = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', labels: { z: '1', b: '2' } }, data: { y: '1', x: '2' } };
    const text = (format: 'json' | 'merge', patch: Json): string => {
      const result = applyPatch(kindOf('configmaps'), format, current as unknown as KubeObject, patch);
      return result.ok ? 'taken' : (result.status.details?.causes?.[0]?.message ?? '');
    };
    const quotes = (document: string): string => `Invalid value: ${JSON.stringify(document)}`;
    expect(text('json', [{ op: 'add', path: '/data/x', value: 1 }])).toContain(
      quotes('{"apiVersion":"v1","data":{"x":1,"y":"1"},"kind":"ConfigMap","metadata":{"name":"a","labels":{"z":"1","b":"2"}}}'),
    );
    expect(text('merge', { metadata: { labels: 5 } })).toContain(
      quotes('{"apiVersion":"v1","data":{"y":"1","x":"2"},"kind":"ConfigMap","metadata":{"labels":5,"name":"a"}}'),
    );
  });

  it('has read nothing of an object that lost its version', () => {
    const current = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { x: '1' } } as unknown as KubeObject;
    const result = applyPatch(kindOf('configmaps'), 'json', current, [{ op: 'remove', path: '/apiVersion' }]);
    expect(result).toMatchObject({ ok: true, object: { metadata: {} }, warnings: ['unknown field "data"', 'unknown field "metadata"'] });
  });
});

describe('reading a patch', () => {
  it('tells formats by content type', () => {
    expect(patchFormatOf('application/strategic-merge-patch+json')).toBe('strategic');
    expect(patchFormatOf('application/merge-patch+json; charset=utf-8')).toBe('merge');
    expect(patchFormatOf('application/apply-patch+yaml')).toBe('apply');
    expect(patchFormatOf('application/json')).toBe('body');
    expect(patchFormatOf('text/plain')).toBeUndefined();
    expect(patchFormatOf('application/JSON-Patch+json')).toBeUndefined();
    expect(patchFormatOf(undefined)).toBeUndefined();
  });

  it('wants a list of operations, or an object', () => {
    const text = (format: 'json' | 'merge', body: string): string => {
      const read = readPatch(format, body);
      return read.ok ? 'taken' : read.status.message;
    };
    expect(text('json', '{}')).toBe('error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp');
    expect(text('merge', '[]')).toBe('error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}');
    expect(text('merge', '')).toBe('error decoding patch: unexpected end of JSON input');
    expect(text('merge', 'null')).toBe('Invalid JSON Patch');
    expect(text('json', 'null')).toBe('taken');
    expect(text('json', '["x"]')).toBe('error decoding patch: json: cannot unmarshal string into Go value of type handlers.jsonPatchOp');
    const strategic = readPatch('strategic', '5');
    expect(!strategic.ok && strategic.status.message).toBe('json: cannot unmarshal number into Go value of type map[string]interface {}');
  });

  it('tells what is said twice and what an operation does not know', () => {
    const twice = readPatch('merge', '{"a":{"b":[{"c":1,"c":2}]}}');
    expect(twice).toMatchObject({ patch: { a: { b: [{ c: 2 }] } }, strict: ['duplicate field "a.b[0].c"'] });
    const unknown = readPatch('json', '[{"op":"remove","path":"/a","frm":"/b"}]');
    expect(unknown).toMatchObject({ strict: ['json patch unknown field "[0].frm"'] });
    expect(readPatch('merge', '{"a":1,"a":2}', 'Ignore')).toMatchObject({ strict: [] });
  });
});
