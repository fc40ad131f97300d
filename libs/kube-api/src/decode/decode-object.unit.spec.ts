import { describe, expect, it } from 'vitest';
import { findSubresource, releaseKinds, type Subresource } from '../kinds';
import { decodeDeleteOptions, decodeObject } from './decode-object';
import { jsonDepthMax, parseJson } from './go-json';
import { readBytes, readMicroTime, readQuantity, readTime } from './scalars';
import { parseYaml } from './yaml';
import { yamlTextMax } from './yaml-bounds';

const kindOf = (name: string) => releaseKinds.kindOf(name);

const configMaps = kindOf('configmaps');
const pods = kindOf('pods');

function refusal(body: string, kind = configMaps): string {
  const result = decodeObject(kind, body);
  return result.ok ? 'taken' : result.status.message;
}

describe('bodies that are no objects', () => {
  it('are refused in the words of the API server', () => {
    expect(refusal('{"a":1,}')).toContain(`invalid character '}' looking for beginning of object key string`);
    expect(refusal('{"a" 1}')).toContain(`invalid character '1' after object key`);
    expect(refusal('{"a":1 "b":2}')).toContain(`invalid character '"' after object key:value pair`);
    expect(refusal('[1 2]')).toContain(`invalid character '2' after array element`);
    expect(refusal('{} {}')).toContain(`invalid character '{' after top-level value`);
    expect(refusal('{"a":tru}')).toContain(`invalid character '}' in literal true (expecting 'e')`);
    expect(refusal('{"a":-}')).toContain(`invalid character '}' in numeric literal`);
    expect(refusal('{"a":1.}')).toContain(`invalid character '}' after decimal point in numeric literal`);
    expect(refusal('{"a":"\\x"}')).toContain(`invalid character 'x' in string escape code`);
    expect(refusal('{"a":"\n"}')).toContain(`invalid character '\\n' in string literal`);
    expect(refusal('{"kind":5}')).toContain('cannot unmarshal number into Go struct field .kind of type string');
    expect(refusal('"text"')).toContain('cannot unmarshal string into Go value of type struct');
  });

  it('are bounded in depth, however deep they are', () => {
    const deep = (levels: number): string => `{"data":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect(refusal(deep(200_000))).toContain('exceeded max depth');
    expect(parseJson(deep(jsonDepthMax - 1)).error).toBeUndefined();
    expect(parseJson(deep(jsonDepthMax)).error).toBe('exceeded max depth');
  });
});

describe('keys that are there several times', () => {
  const decoded = (body: string) => {
    const result = decodeObject(kindOf('jobs.batch'), body);
    return result.ok ? result : undefined;
  };

  it('are read one over the other, as Go reads them, and told', () => {
    const read = decoded('{"spec":{"parallelism":1,"completions":2},"spec":{"parallelism":3,"backoffLimit":4}}');
    expect(read?.object.spec).toMatchObject({ parallelism: 3, completions: 2, backoffLimit: 4 });
    expect(read?.warnings).toEqual(['duplicate field "spec"']);
  });

  it('keep what null cannot empty', () => {
    expect(
      decoded('{"spec":{"parallelism":1,"template":{"spec":{"nodeName":"n"}},"template":null},"spec":null}')?.object.spec,
    ).toMatchObject({
      parallelism: 1,
      template: { spec: { nodeName: 'n' } },
    });
    expect(decoded('{"spec":{"parallelism":1,"parallelism":null}}')?.object.spec?.parallelism).toBeUndefined();
    expect(decoded('{"metadata":{"name":"a","name":null,"labels":{"x":"1"},"labels":{"y":"2"}}}')?.object.metadata).toMatchObject({
      name: 'a',
      labels: { x: '1', y: '2' },
    });
  });

  it('are refused for the first value that does not fit', () => {
    expect(refusal('{"spec":{"parallelism":{},"parallelism":1}}', kindOf('jobs.batch'))).toContain(
      'cannot unmarshal object into Go struct field',
    );
  });

  it('cost no more than their length', () => {
    const many = (count: number): string =>
      `{"metadata":{"name":"a"},"data":{${'"k":"v",'.repeat(count)}"last":""}${',"data":{"z":"1"}'.repeat(count)}}`;
    const labels = Array.from({ length: 20_000 }, (_, index) => `"k${index}":"v"`).join(',');
    expect(refusal(many(20_000))).toBe('taken');
    expect(refusal(`{"metadata":{"name":"a"},"data":{${labels}}${',"data":{"z":"1"}'.repeat(20_000)}}`)).toBe('taken');
  });
});

describe('owners', () => {
  it('that are named twice are kept once, however many there are', () => {
    const owner = (uid: string): string => `{"apiVersion":"v1","kind":"Pod","name":"p","uid":"${uid}"}`;
    const uids = Array.from({ length: 30_000 }, (_, index) => `u${index}`);
    const list = [...uids.map(owner), '{"uid":"u7","kind":"Pod","apiVersion":"v1","name":"p"}'];
    const result = decodeObject(configMaps, `{"metadata":{"name":"x","ownerReferences":[${list.join(',')}]}}`);
    if (!result.ok) throw new Error(result.status.message);
    expect(result.object.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual(uids);
    expect(result.warnings).toEqual([expect.stringMatching(/duplicate UID\(s\) observed: u7$/)]);
  });
});

describe('hostile keys', () => {
  it('stay what they are: data', () => {
    const body = '{"metadata":{"name":"a"},"data":{"__proto__":"x","constructor":"y"},"__proto__":{"polluted":true}}';
    const result = decodeObject(configMaps, body);
    expect(result.ok && result.warnings).toEqual(['unknown field "__proto__"']);
    expect(result.ok && JSON.stringify(result.object.data)).toBe('{"__proto__":"x","constructor":"y"}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(result.ok && Object.getPrototypeOf(result.object.data)).toBe(Object.prototype);
  });

  it('are counted when they come twice', () => {
    const result = decodeObject(configMaps, '{"data":{"__proto__":"1","__proto__":"2"}}');
    expect(result.ok && result.warnings).toEqual(['duplicate field "data.__proto__"']);
    expect(result.ok && JSON.stringify(result.object.data)).toBe('{"__proto__":"2"}');
  });
});

describe('null', () => {
  it('is absent in a struct, zero in a map or list, as in Go', () => {
    const pod = decodeObject(pods, '{"metadata":{"name":"a","labels":{"x":null}},"spec":{"nodeName":null,"containers":[null]}}');
    expect(pod.ok && pod.object.metadata.labels).toEqual({ x: '' });
    expect(pod.ok && pod.object.spec).toEqual({ containers: [{ name: '', resources: {} }] });
    const secret = decodeObject(kindOf('secrets'), '{"data":{"a":null,"b":""}}');
    expect(secret.ok && secret.object.data).toEqual({ a: '', b: '' });
  });
});

describe('numbers', () => {
  const spec = (text: string): string => refusal(`{"spec":{"containers":[],${text}}}`, pods);

  it('must fit their field', () => {
    expect(spec('"priority":2147483648')).toContain('number 2147483648 into Go struct field PodSpec.spec.priority of type int32');
    expect(spec('"priority":1e3')).toContain('number 1e3 into Go struct field PodSpec.spec.priority of type int32');
    expect(spec('"priority":1.0')).toContain('number 1.0 into');
    expect(spec('"activeDeadlineSeconds":9223372036854775808')).toContain('number 9223372036854775808 into');
    expect(spec('"activeDeadlineSeconds":9223372036854775807')).toBe('taken');
    expect(spec('"activeDeadlineSeconds":true')).toContain(
      'cannot unmarshal bool into Go struct field PodSpec.spec.activeDeadlineSeconds of type int64',
    );
  });

  it('are quantities by their text', () => {
    const pod = decodeObject(pods, '{"spec":{"containers":[{"resources":{"limits":{"cpu":0.10,"memory":1e3,"x":1234567890123456789}}}]}}');
    expect(pod.ok && pod.object.spec.containers[0].resources.limits).toEqual({ cpu: '100m', memory: '1e3', x: '1234567890123456789' });
  });
});

describe('strict findings', () => {
  it('are at most a hundred, each once', () => {
    const many = JSON.stringify(Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`x${index}`, 1])));
    const result = decodeObject(configMaps, many);
    expect(result.ok && result.warnings).toHaveLength(100);
  });
});

describe('scalars', () => {
  it('reads times as Go does', () => {
    expect(readTime('2026-01-01T02:00:00.5+02:00')).toBe('2026-01-01T00:00:00Z');
    expect(readTime('0001-01-01T00:00:00Z')).toBeNull();
    expect(readMicroTime('2026-01-01T00:00:00.123456Z')).toBe('2026-01-01T00:00:00.123456Z');
    expect(() => readTime('2026-13-01T00:00:00Z')).toThrow('parsing time "2026-13-01T00:00:00Z": month out of range');
    expect(() => readTime('2026-02-30T00:00:00Z')).toThrow('day out of range');
    expect(() => readTime('2026-01-01T00:00:00')).toThrow('cannot parse "" as "Z07:00"');
    expect(() => readTime('2026-01-01')).toThrow('cannot parse "" as "T"');
    expect(() => readTime('2026-01-01T00:00:00Zz')).toThrow('extra text: "z"');
    expect(() => readMicroTime('2026-01-01T00:00:00.1234567Z')).toThrow('as ".000000"');
  });

  it('writes quantities canonically', () => {
    expect(['1000m', '0.5', '0.5Gi', '1e3', '1024', ' 2 '].map(readQuantity)).toEqual(['1', '500m', '512Mi', '1e3', '1024', '2']);
    expect(() => readQuantity('1x')).toThrow('quantities must match');
    expect(() => readQuantity('1Kx')).toThrow('quantities must match');
    expect(() => readQuantity('1Mm')).toThrow("unable to parse quantity's suffix");
    expect(() => readQuantity('')).toThrow('quantities must match');
  });

  it('reads base64 and says where it breaks', () => {
    expect(readBytes('AA\n==')).toBe('AA==');
    expect(readBytes('AB==')).toBe('AA==');
    expect(() => readBytes('AAA')).toThrow('illegal base64 data at input byte 0');
    expect(() => readBytes('AA=A')).toThrow('illegal base64 data at input byte 2');
    expect(() => readBytes('AA==A')).toThrow('illegal base64 data at input byte 4');
    expect(() => readBytes('A===')).toThrow('illegal base64 data at input byte 1');
  });
});

describe('YAML', () => {
  it('is of version 1.1 as Go reads it', () => {
    const { value } = parseYaml('mode: 0644\nyes: on\nwhen: 2026-01-01\ntime: 12:30\nport: 80\n1: x\n');
    expect(value).toEqual({ mode: 420, true: true, when: '2026-01-01', time: '12:30', port: 80, 1: 'x' });
  });

  it('takes the first document and refuses what is none', () => {
    expect(parseYaml('a: 1\n---\nb: 2\n').value).toEqual({ a: 1 });
    expect(parseYaml('a: [1\n').error).toContain('error converting YAML to JSON: yaml: line');
    expect(parseYaml('a: &x [1]\nb: *x\n').value).toEqual({ a: [1], b: [1] });
  });

  it('is bounded in depth and aliases', () => {
    expect(parseYaml('['.repeat(20_000)).error).toContain('error converting YAML to JSON');
    const bomb = `a: &a [${'x,'.repeat(9)}x]\n${['b', 'c', 'd', 'e', 'f', 'g'].map((name, index) => `${name}: &${name} [${`*${'abcdefg'[index]},`.repeat(9)}x]`).join('\n')}\n`;
    expect(parseYaml(bomb).error).toContain('excessive aliasing');
  });

  it('is bounded in size and in what nests on one line', () => {
    expect(parseYaml(`a: ${'x'.repeat(yamlTextMax)}`).error).toContain('exceeds the limit');
    expect(parseYaml(`${'- '.repeat(100)}x`).error).toContain('exceeded max depth');
    expect(parseYaml(`a: ${'!!str '.repeat(100)}x`).error).toContain('exceeded max depth');
    expect(parseYaml('a: [[1, {b: [2]}]]\n').value).toEqual({ a: [[1, { b: [2] }]] });
  });

  it('reports duplicate keys when strict', () => {
    const body = 'metadata:\n  name: a\ndata:\n  a: "1"\n  a: "2"\n';
    const strict = decodeObject(configMaps, body, { format: 'yaml', fieldValidation: 'Strict' });
    expect(!strict.ok && strict.status.message).toContain('line 5: key "a" already set in map');
    const warned = decodeObject(configMaps, body, { format: 'yaml' });
    expect(warned.ok && warned.object.data).toEqual({ a: '2' });
  });
});

describe('options of a delete', () => {
  it('may be absent, of any group, and of a wrong kind', () => {
    expect(decodeDeleteOptions('')).toEqual({ ok: true, options: {} });
    const given = decodeDeleteOptions('{"kind":"DeleteOptions","apiVersion":"apps/v1","gracePeriodSeconds":0}');
    expect(given.ok && given.options['gracePeriodSeconds']).toBe(0);
    expect(decodeDeleteOptions('{"propagationPolicy":"Orphan"}')).toMatchObject({ ok: true, options: { propagationPolicy: 'Orphan' } });
    const wrong = decodeDeleteOptions('{"kind":"Nope","apiVersion":"v1"}');
    expect(!wrong.ok && wrong.status).toMatchObject({
      code: 500,
      message: 'no kind "Nope" is registered for version "v1" in scheme "pkg/runtime/scheme.go:110"',
    });
  });
});

describe('evictions', () => {
  it('are taken in their former version', () => {
    const eviction = findSubresource(kindOf('pods'), 'eviction') as Subresource;
    const result = decodeObject(eviction, '{"kind":"Eviction","apiVersion":"policy/v1beta1","metadata":{"name":"p"}}');
    expect(result.ok && result.object).toMatchObject({ apiVersion: 'policy/v1', metadata: { name: 'p' } });
  });
});
