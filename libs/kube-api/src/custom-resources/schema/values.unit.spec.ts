import { describe, expect, it } from 'vitest';
import type { Json } from '#libs/kernel';
import { fieldErrorText } from '../../status/field-error';
import { Correlation } from './correlation';
import { validateEmbedded } from './embedded';
import { validateListTypes } from './list-types';
import { validateRules } from './rules';
import type { Schema } from './schema';
import { validateValue } from './validate-value';

const objectOf = (properties: Record<string, Schema>, more: Schema = {}): Schema => ({ type: 'object', properties, ...more });
const texts = (schema: Schema, value: Json): string[] => validateValue(schema, value).map(fieldErrorText);

describe('values', () => {
  it.each<[string, Schema, Json, string]>([
    ['type', { type: 'integer' }, 'x', 'a: Invalid value: "string": a in body must be of type integer: "string"'],
    ['null', { type: 'string' }, null, 'a: Invalid value: "null": a in body must be of type string: "null"'],
    ['maximum', { type: 'integer', maximum: 3 }, 4, 'a: Invalid value: 4: a in body should be less than or equal to 3'],
    [
      'exclusive minimum',
      { type: 'number', minimum: 0.5, exclusiveMinimum: true },
      0.5,
      'a: Invalid value: 0.5: a in body should be greater than 0.5',
    ],
    ['multiple', { type: 'number', multipleOf: 0.5 }, 0.7, 'a: Invalid value: 0.7: a in body should be a multiple of 0.5'],
    ['pattern', { type: 'string', pattern: '^[a-z]+$' }, 'A', 'a: Invalid value: "A": a in body should match \'^[a-z]+$\''],
    ['length', { type: 'string', maxLength: 2 }, '😀😀😀', 'a: Too long: may not be more than 2 bytes'],
    ['enum', { type: 'string', enum: ['x', 'y'] }, 'z', 'a: Unsupported value: "z": supported values: "x", "y"'],
    ['items', { type: 'array', items: {}, maxItems: 1 }, [1, 2], 'a: Too many: 2: must have at most 1 item'],
    ['format', { type: 'string', format: 'date-time' }, 'now', 'a: Invalid value: "now": a in body must be of type date-time: "now"'],
    ['not', { not: { type: 'string' } }, 'x', '<nil>: Invalid value: "": "a" must not validate the schema (not)'],
  ])('are held to their %s', (_, schema, value, text) => {
    expect(texts(objectOf({ a: schema }), { a: value })).toEqual([text]);
  });

  it('take a whole number where any number will do, and either form of an int-or-string', () => {
    const schema = objectOf({ a: { type: 'number' }, b: { 'x-kubernetes-int-or-string': true }, c: { type: 'string', nullable: true } });
    expect(texts(schema, { a: 1, b: '50%', c: null })).toEqual([]);
    expect(texts(schema, { b: true })).toEqual(['b: Invalid value: "boolean": b in body must be of type integer,string: "boolean"']);
  });

  it('say what is missing, and of several choices what the nearest one lacks', () => {
    const schema = objectOf({ a: { type: 'integer' } }, { required: ['a'], oneOf: [{ required: ['b'] }, { required: ['b', 'c'] }] });
    expect(texts(schema, {})).toEqual([
      '<nil>: Invalid value: "": "" must validate one and only one schema (oneOf). Found none valid',
      'b: Required value',
      'a: Required value',
    ]);
  });

  it('may stay as wrong as they were, and no part of them that changes', () => {
    const list: Schema = {
      type: 'array',
      items: objectOf({ k: { type: 'string' }, v: { type: 'integer', minimum: 5 } }),
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    };
    const schema = objectOf({ list });
    const old = {
      list: [
        { k: 'a', v: 1 },
        { k: 'b', v: 2 },
      ],
    };
    const value = {
      list: [
        { k: 'b', v: 2 },
        { k: 'a', v: 3 },
      ],
    };
    const found = validateValue(schema, value, { correlation: new Correlation(value, old, schema) });
    expect(found.map(({ field }) => field)).toEqual(['list[1].v']);
  });
});

describe('lists', () => {
  it('hold each item, or each key, once', () => {
    const set: Schema = { type: 'array', items: {}, 'x-kubernetes-list-type': 'set' };
    const map: Schema = { type: 'array', items: {}, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
    const found = validateListTypes(objectOf({ set, map }), { set: [1, '1', 1, 1], map: [{ k: 'a', v: 1 }, { k: 'a' }] });
    expect(found.map(fieldErrorText)).toEqual(['set[2]: Duplicate value: 1', 'map[1]: Duplicate value: {"k":"a"}']);
  });

  it('are compared by what they hold, whatever the order of its keys', () => {
    const set: Schema = { type: 'array', items: {}, 'x-kubernetes-list-type': 'set' };
    const values = [
      { a: 1, b: [{ c: null, d: '1' }] },
      { b: [{ d: '1', c: null }], a: 1 },
      { a: 1, b: [{ c: null, d: 1 }] },
    ];
    expect(validateListTypes(objectOf({ set }), { set: values }).map(({ field }) => field)).toEqual(['set[1]']);
  });
});

describe('what is embedded', () => {
  it('says what it is', () => {
    const schema = objectOf({ template: { type: 'object', 'x-kubernetes-embedded-resource': true } });
    const found = validateEmbedded(schema, { template: { kind: '', metadata: { labels: { a: '-' } } } });
    expect(found.map(({ field, type }) => `${field} ${type}`)).toEqual([
      'template.apiVersion FieldValueRequired',
      'template.kind FieldValueInvalid',
      'template.metadata.labels FieldValueInvalid',
    ]);
  });
});

describe('rules', () => {
  const schema = objectOf({
    n: {
      type: 'integer',
      'x-kubernetes-validations': [
        { rule: 'self > 5', message: 'too small' },
        { rule: 'self >= oldSelf', message: 'shrinks' },
      ],
    },
    m: {
      type: 'object',
      additionalProperties: {
        type: 'integer',
        'x-kubernetes-validations': [{ rule: 'self != 0', reason: 'FieldValueForbidden', message: 'zero' }],
      },
    },
  });

  it('are asked of a value and of what is in it', () => {
    const { errors } = validateRules(schema, { n: 1, m: { a: 0, b: 1 } });
    expect(errors.map(fieldErrorText).sort()).toEqual(['m[a]: Forbidden: zero', 'n: Invalid value: "integer": too small']);
  });

  it('compare with what was before, and only warn of what was as wrong then', () => {
    const [value, old] = [{ n: 2 }, { n: 3 }];
    const changed = validateRules(schema, value, { old, correlation: new Correlation(value, old, schema) });
    expect(changed.errors.map(({ body }) => body)).toEqual(['Invalid value: "integer": too small', 'Invalid value: "integer": shrinks']);
    const same = validateRules(schema, old, { old, correlation: new Correlation(old, old, schema) });
    expect(same).toMatchObject({ errors: [], warnings: ['n: Invalid value: "integer": too small'] });
  });

  it('are asked no more when they have cost too much', () => {
    const dear = 'self.all(a, self.all(b, self.all(c, a + b + c >= 0)))';
    const list: Schema = { type: 'array', items: { type: 'integer' }, 'x-kubernetes-validations': [{ rule: dear }, { rule: 'false' }] };
    const { errors } = validateRules(objectOf({ list }), { list: Array.from({ length: 300 }, (_, index) => index) });
    expect(errors).toHaveLength(1);
    expect(errors[0]?.body).toContain('no further validation rules will be run');
  });
});
