import { describe, expect, it } from 'vitest';
import { Definitions, definition, releaseDefinitions } from '../schema';
import { compare } from './compare';
import { fieldsOf } from './fields-of';
import { fromFieldsV1, toFieldsV1 } from './fields-v1';
import { merge } from './merge';
import { removeFields } from './remove-fields';
import { schemaErrors } from './schema-errors';
import { fittedTo, withNamedFields } from './typed-sets';
import { typeOf } from './value-type';

const definitions = new Definitions(
  {
    definitions: {
      'example.v1.Thing': ['metadata meta.v1.ObjectMeta', 'spec example.v1.Spec'],
      'example.v1.Spec': [
        'replicas int32 pointer',
        'text string',
        'flag bool',
        'level intOrString',
        'tags []string list=set',
        'plain []string',
        'parts []example.v1.Part list=map:name',
        'ports []example.v1.Port list=map:port,protocol',
        'labels map[]string',
        'whole map[]string map=atomic',
        'block example.v1.Part map=atomic',
        'any raw',
      ],
      'example.v1.Part': ['name string', 'value int32', 'colour string'],
      'example.v1.Port': ['port int32', 'protocol string default="TCP"', 'name string'],
    },
  },
  releaseDefinitions,
);
const thing = typeOf(definitions.get('example.v1.Thing'));
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;
const of = (spec: Loose): Loose => ({ spec });
const mergeSpecs = (live: Loose, config: Loose): Loose => (merge(thing, of(live), of(config)) as Loose)?.spec;

describe('what keeps a configuration from being one of its type', () => {
  const problem = (spec: Loose): string | undefined => schemaErrors(thing, of(spec));

  it('is told in upstream’s words', () => {
    expect(problem({ replicas: 1, any: { x: [1, { y: null }] }, level: '5%' })).toBeUndefined();
    expect(problem({ bogus: 1 })).toBe('.spec.bogus: field not declared in schema');
    expect(problem({ labels: 'x' })).toBe('.spec.labels: expected map, got &{x}');
    expect(problem({ plain: { a: 'b' } })).toBe('.spec.plain: expected list, got &{map[a:b]}');
    expect(problem({ replicas: 'two' })).toBe('.spec.replicas: expected numeric (int or float), got string');
    expect(problem({ text: 5 })).toBe('.spec.text: expected string, got &value.valueUnstructured{Value:5}');
    expect(problem({ flag: 'yes' })).toBe('.spec.flag: expected boolean, got &{yes}');
    expect(problem({ level: [1] })).toBe('.spec.level: expected any scalar, got &{[1]}');
    expect(problem({ ports: [{ port: 80 }, { port: 80, protocol: 'TCP' }] })).toBe(
      '.spec.ports: duplicate entries for key [port=80,protocol="TCP"]',
    );
    expect(problem({ tags: ['a', 'a'] })).toBe('.spec.tags: duplicate entries for key [="a"]');
    expect(problem({ tags: [{}] })).toBe(".spec.tags: element 0: associative list without keys has an element that's a map type");
    expect(problem({ parts: [{ name: 'a', value: 'x' }, null] })).toBe(
      'errors:\n  .spec.parts[name="a"].value: expected numeric (int or float), got string\n  .spec.parts: element 1: associative list with keys may not have a null element',
    );
  });

  it('is a missing key, unless it has a default', () => {
    expect(problem({ parts: [{ value: 1 }] })).toBe(
      '.spec.parts: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    );
    expect(problem({ ports: [{ name: 'a' }] })).toBeUndefined();
    // What Go always writes is empty where it is not given.
    expect(schemaErrors(typeOf(definition('core.v1.PodSpec')), { containers: [{ image: 'a' }] })).toBeUndefined();
  });
});

describe('the fields of a configuration', () => {
  it('are its leaves, the keys of its maps and the elements of its lists; what is atomic is one', () => {
    const fields = fieldsOf(
      thing,
      of({
        tags: ['a'],
        plain: ['x'],
        parts: [{ name: 'p' }],
        ports: [{ port: 80 }],
        labels: { a: 'b' },
        whole: { a: 'b' },
        block: { name: 'x' },
        any: { deep: { a: 1 }, list: [1] },
      }),
    );
    expect(toFieldsV1(fields)).toEqual({
      'f:spec': {
        'f:tags': { 'v:"a"': {} },
        'f:plain': {},
        'f:parts': { 'k:{"name":"p"}': { '.': {}, 'f:name': {} } },
        'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } },
        'f:labels': { 'f:a': {} },
        'f:whole': {},
        'f:block': {},
        'f:any': { 'f:deep': { '.': {}, 'f:a': {} }, 'f:list': {} },
      },
    });
  });
});

describe('a comparison', () => {
  it('tells what is new, other and gone, whole subtrees with their roots', () => {
    const before = of({ text: 'a', labels: { a: '1', b: '2' }, parts: [{ name: 'p', value: 1 }], plain: ['x'] });
    const after = of({ text: 'b', labels: { a: '1', c: '3' }, parts: [{ name: 'p', value: 1 }, { name: 'q' }], tags: ['t'] });
    const { added, modified, removed } = compare(thing, before, after);
    expect(toFieldsV1(added)).toEqual({
      'f:spec': {
        'f:labels': { 'f:c': {} },
        'f:parts': { 'k:{"name":"q"}': { '.': {}, 'f:name': {} } },
        'f:tags': { '.': {}, 'v:"t"': {} },
      },
    });
    expect(toFieldsV1(modified)).toEqual({ 'f:spec': { 'f:text': {} } });
    expect(toFieldsV1(removed)).toEqual({ 'f:spec': { 'f:labels': { 'f:b': {} }, 'f:plain': {} } });
  });

  it('takes what is there twice for one value, and the doubling for a mark that comes and goes', () => {
    const twice = of({
      parts: [
        { name: 'p', value: 1 },
        { name: 'p', value: 2 },
      ],
    });
    const once = of({ parts: [{ name: 'p', value: 1 }] });
    expect(toFieldsV1(compare(thing, once, twice).added)).toEqual({ 'f:spec': { 'f:parts': { 'k:{"name":"p"}': {} } } });
    const { removed } = compare(thing, once, twice);
    expect(removed.has(['f:spec', 'f:parts', 'k:{"name":"p"}', 'f:value'])).toBe(true);
    const other = of({
      parts: [
        { name: 'p', value: 1 },
        { name: 'p', value: 3 },
      ],
    });
    expect(toFieldsV1(compare(thing, twice, other).modified)).toEqual({ 'f:spec': { 'f:parts': { 'k:{"name":"p"}': {} } } });
  });
});

describe('a merge', () => {
  it('adds and replaces, and removes nothing', () => {
    expect(mergeSpecs({ text: 'a', labels: { a: '1' }, whole: { a: '1' } }, { labels: { b: '2' }, whole: { b: '2' } })).toEqual({
      text: 'a',
      labels: { a: '1', b: '2' },
      whole: { b: '2' },
    });
    expect(mergeSpecs({ parts: [{ name: 'p', value: 1 }] }, { parts: [{ name: 'p', colour: 'red' }] })).toEqual({
      parts: [{ name: 'p', value: 1, colour: 'red' }],
    });
    expect(
      mergeSpecs(
        { ports: [{ port: 80, protocol: 'TCP' }] },
        {
          ports: [
            { port: 80, name: 'h' },
            { port: 80, protocol: 'UDP' },
          ],
        },
      ),
    ).toEqual({
      ports: [
        { port: 80, protocol: 'TCP', name: 'h' },
        { port: 80, protocol: 'UDP' },
      ],
    });
    expect(mergeSpecs({ labels: {} }, { labels: null })).toEqual({ labels: null });
  });

  it.each([
    ['abc', 'b', 'abc'],
    ['abc', 'cb', 'acb'],
    ['abc', 'xa', 'xabc'],
    ['ab', 'xyb', 'axyb'],
    ['abc', 'cxa', 'bcxa'],
  ])('puts elements in the order of the configuration: %s with %s is %s', (live, config, merged) => {
    expect(mergeSpecs({ tags: [...live] }, { tags: [...config] }).tags.join('')).toBe(merged);
  });
});

describe('a removal', () => {
  it('takes fields and elements; what has nothing left is null', () => {
    const value = of({ text: 'a', tags: ['a', 'b'], parts: [{ name: 'p', value: 1 }], labels: { a: '1' } });
    const gone = fromFieldsV1({
      'f:spec': { 'f:text': {}, 'f:tags': { 'v:"a"': {} }, 'f:parts': { 'k:{"name":"p"}': { 'f:value': {} } }, 'f:labels': { 'f:a': {} } },
    });
    expect(removeFields(thing, value, gone)).toEqual(of({ tags: ['b'], parts: [{ name: 'p' }], labels: null }));
  });
});

describe('sets and types', () => {
  it('a struct belongs to a set that has something of it, a map does not', () => {
    const named = withNamedFields(thing, fromFieldsV1({ 'f:spec': { 'f:labels': { 'f:a': {} }, 'f:any': { 'f:x': { 'f:y': {} } } } }));
    expect(toFieldsV1(named)).toEqual({
      'f:spec': { '.': {}, 'f:labels': { '.': {}, 'f:a': {} }, 'f:any': { '.': {}, 'f:x': { 'f:y': {} } } },
    });
  });

  it('who owned a part of what is one value by now owns the whole', () => {
    const old = fromFieldsV1({ 'f:spec': { 'f:whole': { 'f:a': {} }, 'f:plain': { 'i:0': {} }, 'f:text': {} } });
    expect(toFieldsV1(fittedTo(thing, old))).toEqual({ 'f:spec': { 'f:whole': {}, 'f:plain': {}, 'f:text': {} } });
  });
});
