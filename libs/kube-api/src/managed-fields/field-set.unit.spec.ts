import { describe, expect, it } from 'vitest';
import { FieldSet } from './field-set';
import { fromFieldsV1, toFieldsV1 } from './fields-v1';
import { compareElements, keyElement, readElement, showPath } from './path-element';

const set = (...paths: string[][]): FieldSet => FieldSet.of(...paths);
const paths = (of: FieldSet): string[] => {
  const found: string[] = [];
  of.each((path) => void found.push(showPath(path)));
  return found;
};

const main = keyElement([['name', 'main']]);

describe('path elements', () => {
  it('are keys in one order, whatever order they are given in', () => {
    expect(
      keyElement([
        ['protocol', 'TCP'],
        ['containerPort', 80],
      ]),
    ).toBe('k:{"containerPort":80,"protocol":"TCP"}');
    expect(readElement('k:{"protocol":"TCP","containerPort":80}')).toBe('k:{"containerPort":80,"protocol":"TCP"}');
    expect(readElement('v:"a"')).toBe('v:"a"');
    expect(readElement('i:+1')).toBe('i:1');
    expect(readElement('x:what')).toBeUndefined();
    expect(() => readElement('spec')).toThrow(SyntaxError);
    expect(() => readElement('k:[1]')).toThrow(SyntaxError);
  });

  it('are ordered: fields, keys, values, places; numbers as numbers', () => {
    const ordered = ['f:a', 'f:b', 'k:{"p":9}', 'k:{"p":10}', 'k:{"p":"9"}', 'v:9', 'v:10', 'v:"a"', 'v:true', 'i:2', 'i:10'];
    expect([...ordered].reverse().sort(compareElements)).toEqual(ordered);
  });

  it('are shown as messages show them', () => {
    expect(showPath(['f:spec', 'f:containers', main, 'f:image'])).toBe('.spec.containers[name="main"].image');
    expect(showPath(['f:finalizers', 'v:"a"'])).toBe('.finalizers[="a"]');
    expect(showPath(['f:ports', 'k:{"port":80,"protocol":"TCP"}', 'i:1'])).toBe('.ports[port=80,protocol="TCP"][1]');
  });
});

describe('a set of fields', () => {
  const owned = set(['f:spec', 'f:a'], ['f:spec', 'f:list', main], ['f:spec', 'f:list', main, 'f:name'], ['f:spec', 'f:list']);

  it('is written as fieldsV1, and read from it', () => {
    const written = { 'f:spec': { 'f:a': {}, 'f:list': { '.': {}, [main]: { '.': {}, 'f:name': {} } } } };
    expect(toFieldsV1(owned)).toEqual(written);
    expect(toFieldsV1(fromFieldsV1(written))).toEqual(written);
    expect(fromFieldsV1({ 'f:a': { 'x:new': {} } }).has(['f:a'])).toBe(true);
    expect(toFieldsV1(fromFieldsV1(JSON.parse('{"f:__proto__":{"f:a":{}}}')))).toEqual(JSON.parse('{"f:__proto__":{"f:a":{}}}'));
  });

  it('names its members level by level, in order', () => {
    expect(paths(owned)).toEqual(['.spec.a', '.spec.list', '.spec.list[name="main"]', '.spec.list[name="main"].name']);
  });

  it('loses members and keeps what is inside them; or loses that too', () => {
    const list = set(['f:spec', 'f:list']);
    expect(paths(owned.difference(list))).toEqual(['.spec.a', '.spec.list[name="main"]', '.spec.list[name="main"].name']);
    expect(paths(owned.without(list))).toEqual(['.spec.a']);
    expect(owned.difference(owned).isEmpty).toBe(true);
  });

  it('is joined with another and cut with another', () => {
    const other = set(['f:spec', 'f:a'], ['f:metadata', 'f:labels', 'f:x']);
    expect(paths(owned.intersection(other))).toEqual(['.spec.a']);
    expect(paths(set(['f:spec', 'f:b']).union(other))).toEqual(['.metadata.labels.x', '.spec.a', '.spec.b']);
    expect(owned.equals(fromFieldsV1(toFieldsV1(owned)))).toBe(true);
    expect(owned.equals(other)).toBe(false);
  });
});
