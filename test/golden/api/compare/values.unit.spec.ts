import { describe, expect, it } from 'vitest';
import { Bindings } from './bindings';
import { compareBody } from './values';
import type { CompareContext } from './context';
import type { Header } from '../recording';

const header = (over: Partial<Header> = {}): Header => ({
  session: 's',
  title: '',
  area: 'crud',
  server: 'v1.34.4',
  runs: 'apiserver',
  ...over,
});

function differences(
  expected: unknown,
  actual: unknown,
  over: Partial<Header> = {},
  ofCollection = false,
  bindings = new Bindings(),
): string[] {
  const context: CompareContext = { bindings, startedAt: 0, now: () => 0, header: header(over), differences: [] };
  compareBody(context, expected, actual, 'body', ofCollection);
  return context.differences.map(({ path, text }) => `${path}: ${text}`);
}

describe('paths', () => {
  it('name what is different, missing and unexpected', () => {
    const expected = { metadata: { labels: { app: 'x', gone: '1' } }, list: [1, { a: true }], none: null };
    const actual = { metadata: { labels: { app: 'y', more: '2' } }, list: [1, { a: false }], none: 0 };
    expect(differences(expected, actual)).toEqual([
      'body.metadata.labels.app: expected "x", got "y"',
      'body.metadata.labels.gone: missing, expected "1"',
      'body.metadata.labels.more: unexpected, got "2"',
      'body.list[1].a: expected true, got false',
      'body.none: expected null, got 0',
    ]);
  });

  it('name kinds of values that do not go together', () => {
    expect(differences({ a: [] }, { a: {} })).toEqual(['body.a: expected [], got {}']);
    expect(differences({ a: {} }, { a: [] })).toEqual(['body.a: expected {}, got []']);
    expect(differences({ a: '1' }, { a: 1 })).toEqual(['body.a: expected "1", got 1']);
    expect(differences({ a: 1 }, { a: '1' })).toEqual(['body.a: expected 1, got "1"']);
    expect(differences({ a: {} }, { a: null })).toEqual(['body.a: expected {}, got null']);
  });

  it('name missing elements by their names', () => {
    const item = (name: string) => ({ metadata: { name } });
    expect(differences({ l: [item('a'), item('b')] }, { l: [item('b'), item('c'), item('d')] })).toEqual([
      'body.l: expected 2 elements, got 3',
      'body.l[a]: missing',
      'body.l[c]: unexpected, got {"metadata":{"name":"c"}}',
      'body.l[d]: unexpected, got {"metadata":{"name":"d"}}',
    ]);
  });

  it('do not mistake prototype members for fields', () => {
    expect(differences({ constructor: 'a' }, {})).toEqual(['body.constructor: missing, expected "a"']);
    expect(differences({}, JSON.parse('{"__proto__":1}'))).toEqual(['body.__proto__: unexpected, got 1']);
  });
});

describe('order', () => {
  it('of lists counts', () => {
    expect(differences({ l: ['a', 'b'] }, { l: ['b', 'a'] })).toHaveLength(2);
    expect(differences({ items: [{ n: 1 }, { n: 2 }] }, { items: [{ n: 2 }, { n: 1 }] })).toHaveLength(2);
  });

  const status = (causes: unknown[]) => ({ kind: 'Status', details: { causes } });
  const cause = (field: string, message = 'Required value') => ({ reason: 'R', message, field });

  it('of causes does not, their number does', () => {
    expect(differences(status([cause('a'), cause('b')]), status([cause('b'), cause('a')]))).toEqual([]);
    expect(differences(status([cause('a'), cause('a')]), status([cause('a'), cause('b')]))).toEqual([
      'body.details.causes[1].field: expected "a", got "b"',
    ]);
    expect(differences(status([cause('a')]), status([cause('a'), cause('a')]))).toHaveLength(1);
  });

  it('of componentstatuses and of rules in reviews does not', () => {
    const list = (kind: string, items: unknown[]) => ({ kind, items });
    expect(differences(list('ComponentStatusList', [1, 2]), list('ComponentStatusList', [2, 1]))).toEqual([]);
    expect(differences(list('PodList', [1, 2]), list('PodList', [2, 1]))).toHaveLength(2);
    const review = (rules: unknown[]) => ({ resourceRules: rules, incomplete: false });
    expect(differences(review([{ v: 1 }, { v: 2 }]), review([{ v: 2 }, { v: 1 }]))).toEqual([]);
    expect(differences({ resourceRules: [{ v: 1 }, { v: 2 }] }, { resourceRules: [{ v: 2 }, { v: 1 }] })).toHaveLength(2);
  });

  it('in an unordered list tries each with the bindings of the others taken back', () => {
    const uid = (digit: string) => `${digit.repeat(8)}-0000-0000-0000-000000000000`;
    const review = (rules: unknown[]) => ({ resourceRules: rules, incomplete: false });
    const expected = {
      uid: '<uid:1>',
      ...review([
        { a: 1, of: '<uid:2>' },
        { a: 2, of: '<uid:1>' },
      ]),
    };
    expect(
      differences(expected, {
        uid: uid('1'),
        ...review([
          { a: 2, of: uid('1') },
          { a: 1, of: uid('2') },
        ]),
      }),
    ).toEqual([]);
    expect(
      differences(expected, {
        uid: uid('1'),
        ...review([
          { a: 2, of: uid('2') },
          { a: 1, of: uid('2') },
        ]),
      }),
    ).not.toEqual([]);
  });
});

describe('the message of an invalid object', () => {
  const refusal = (...parts: [field: string, message: string][]) => ({
    kind: 'Status',
    message: `Pod "p" is invalid: [${parts.map(([field, message]) => `${field}: ${message}`).join(', ')}]`,
    details: { causes: parts.map(([field, message]) => ({ message, field })) },
  });
  const a: [string, string] = ['spec.hard[cpu]', 'Invalid value: "x": must match, really'];
  const b: [string, string] = ['spec.hard[pods]', 'Required value'];
  const c: [string, string] = ['spec.name', 'Required value'];
  const d: [string, string] = ['metadata.labels', 'Invalid value: "a"'];
  const e: [string, string] = ['metadata.labels', 'Invalid value: "b"'];

  it('may name parts of one map in any order', () => {
    expect(differences(refusal(a, b, c), refusal(b, a, c))).toEqual([]);
    expect(differences(refusal(d, e), refusal(e, d))).toEqual([]);
  });

  it('has to keep every other order', () => {
    expect(differences(refusal(c, d), refusal(d, c))).toHaveLength(1);
    expect(differences(refusal(a, b, c), refusal(a, c, b))).toHaveLength(1);
    expect(differences(refusal(a, c, b), refusal(b, c, a))).toHaveLength(1);
    expect(differences(refusal(['x', '1'], ['y', '2']), refusal(['y', '2'], ['x', '1']))).toHaveLength(1);
  });

  it('has to have the same parts', () => {
    expect(differences(refusal(a, b), refusal(a, a))).not.toEqual([]);
    expect(differences(refusal(a, b), { ...refusal(b, a), message: refusal(b, a).message.replace('"p"', '"q"') })).toHaveLength(1);
  });
});

describe('what the README leaves open', () => {
  it('managedFields, except in the sessions that keep them', () => {
    const actual = { metadata: { name: 'a', managedFields: [1] } };
    expect(differences({ metadata: { name: 'a' } }, actual)).toEqual([]);
    expect(differences({ metadata: { name: 'a' } }, actual, { session: 'configmap-crud' })).toHaveLength(1);
    expect(differences({ spec: {} }, { spec: { managedFields: [1] } })).toHaveLength(1);
    expect(differences({ metadata: { managedFields: [2] } }, { metadata: { managedFields: [1] } })).toHaveLength(1);
  });

  it('messages that quote Go types, from there on', () => {
    const status = (message: string) => ({ kind: 'Status', message });
    const expected = status('metadata.finalizers: Forbidden: found new finalizers []string{"example.com/c"}');
    expect(differences(expected, status('metadata.finalizers: Forbidden: found new finalizers [example.com/c]'))).toEqual([]);
    expect(differences(expected, status('metadata.finalizers: Forbidden: found'))).toHaveLength(1);
    const scheme = status('no kind "Nope" is registered for version "v1" in scheme "pkg/runtime/scheme.go:110"');
    expect(differences(scheme, status('no kind "Nope" is registered for version "v1" in scheme "x"'))).toEqual([]);
    expect(differences(scheme, status('no kind "Nope" is registered for version "v2" in scheme "pkg/runtime/scheme.go:110"'))).toHaveLength(
      1,
    );
    expect(differences({ text: '[]string{"a"}' }, { text: '[]string{"b"}' })).toHaveLength(1);
  });

  it('the role that RBAC names, not that it allows', () => {
    const reason = (role: string) => ({ reason: `RBAC: allowed by ClusterRoleBinding "${role}" of ClusterRole "${role}" to Group "g"` });
    expect(differences(reason('a'), reason('b'))).toEqual([]);
    expect(differences(reason('a'), { reason: 'RBAC: allowed' })).toHaveLength(1);
  });

  it("a list's own version, by order only", () => {
    const bindings = new Bindings();
    bindings.version(3, 10n);
    bindings.version(4, 20n);
    const list = (version: string) => ({ kind: 'PodList', metadata: { resourceVersion: version }, items: [] });
    expect(differences(list('<rv:3>'), list('15'), {}, true, bindings)).toEqual([]);
    expect(differences(list('<rv:3>'), list('20'), {}, true, bindings)).toHaveLength(1);
    const table = (version: string) => ({ kind: 'Table', metadata: { resourceVersion: version }, rows: [] });
    expect(differences(table('<rv:3>'), table('15'), {}, true, bindings)).toEqual([]);
    expect(differences(table('<rv:3>'), table('15'), {}, false, bindings)).toHaveLength(1);
    const item = (version: string) => ({ kind: 'PodList', metadata: {}, items: [{ metadata: { resourceVersion: version } }] });
    expect(differences(item('<rv:3>'), item('15'), {}, true, bindings)).toHaveLength(1);
    const message = (text: string) => ({ kind: 'Status', message: text });
    expect(differences(message('Too large: 9, current: <rv:4>'), message('Too large: 9, current: 25'), {}, false, bindings)).toEqual([]);
    expect(differences(message('too old: <rv:4> (<rv:oldest>)'), message('too old: 25 (7)'), {}, false, bindings)).toHaveLength(1);
  });

  it('keys and numbers that are placeholders', () => {
    const uid = '00000000-0000-0000-0000-000000000001';
    expect(differences({ a: '<uid:1>', 'k:{"uid":"<uid:1>"}': { x: 1 } }, { a: uid, [`k:{"uid":"${uid}"}`]: { x: 1 } })).toEqual([]);
    expect(differences({ a: '<uid:1>', 'k:{"uid":"<uid:1>"}': 1 }, { a: uid, 'k:{"uid":"other"}': 1 })).toHaveLength(2);
    expect(differences({ nodePort: '<nodePort:1>' }, { nodePort: 30080 })).toEqual([]);
    expect(differences({ nodePort: '<nodePort:1>' }, { nodePort: 80 })).toHaveLength(1);
    expect(differences({ time: '<time>' }, { time: 5 })).toHaveLength(1);
  });

  it('in live sessions the order of listed objects', () => {
    const list = (...names: string[]) => ({ items: names.map((name) => ({ name })) });
    expect(differences(list('a', 'b'), list('b', 'a'), { session: 'deployment-live' })).toEqual([]);
    expect(differences(list('a', 'b'), list('b', 'a'), { session: 'quota' })).toHaveLength(2);
  });
});
