import { validateSync } from 'class-validator';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#libs/kernel';
import { eventClasses } from './catalogue';
import { getMetadataStorage } from './class-validator';
import { compiledCheck } from './compiled-check';

const values: JsonObject[string][] = [
  'text',
  'Unschedulable',
  '2026-01-01T00:00:00Z',
  3,
  -1,
  1.5,
  Number.NaN,
  true,
  null,
  undefined,
  [],
  ['a'],
  {},
  { a: 1 },
];

/** What class-validator itself says. */
function accepts(eventClass: new () => object, data: JsonObject): boolean {
  const instance = Object.assign(new eventClass(), data);
  return validateSync(instance, { forbidUnknownValues: false, whitelist: true, forbidNonWhitelisted: true }).length === 0;
}

describe('compiledCheck', () => {
  it.each([...eventClasses.entries()])('%s: accepts what class-validator accepts, and nothing else', (_type, eventClass) => {
    const check = compiledCheck(eventClass);
    const properties = new Set(
      getMetadataStorage()
        .getTargetValidationMetadatas(eventClass, '', false, false)
        .map(({ propertyName }) => propertyName),
    );
    expect(check(valid(eventClass))).toBe(true);
    for (const property of properties) {
      for (const value of values) {
        const data = { ...valid(eventClass), [property]: value };
        expect(check(data), `${property} = ${JSON.stringify(value)}`).toBe(accepts(eventClass, data));
      }
    }
  });

  it('refuses properties that the class does not have, prototypes among them', () => {
    const check = compiledCheck(eventClasses.get('PodNominated') as new () => object);
    expect(check({ node: 'a' })).toBe(true);
    expect(check({ node: 'a', more: 1 })).toBe(false);
    expect(check(JSON.parse('{"node":"a","__proto__":{}}') as JsonObject)).toBe(false);
    expect(check({ node: 'a', constructor: 'x' })).toBe(false);
  });
});

/** A payload that the class accepts: for each property the first value that leaves no complaint about it. */
function valid(eventClass: new () => object): JsonObject {
  const data: JsonObject = {};
  const choices = [...values, 'CREATE', 'Normal', 'Succeeded', 'unschedulable', 'filter'];
  for (let round = 0; round < 20; round++) {
    const errors = validateSync(Object.assign(new eventClass(), data), {
      forbidUnknownValues: false,
      whitelist: true,
      forbidNonWhitelisted: true,
    });
    if (errors.length === 0) return data;
    for (const { property } of errors) {
      data[property] = choices.find((value) => {
        const complaints = validateSync(Object.assign(new eventClass(), { ...data, [property]: value }), { forbidUnknownValues: false });
        return !complaints.some((complaint) => complaint.property === property);
      });
    }
  }
  return data;
}
