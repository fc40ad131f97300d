import { validateSync } from 'class-validator';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#libs/kernel';
import { compiledCheck, getMetadataStorage } from '#libs/validation';
import { eventClasses, validateEvent } from './catalogue';

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
  { a: 'b' },
  { code: 404 },
  { error: 'no answer' },
  { metadata: { name: 'a' } },
  [{ p: ['a', 0], v: null }],
  [{ p: ['a', -1] }],
  [{ p: 'a' }],
  [{ namespace: 'a', name: 'b', uid: 'c', priority: 1 }],
  [{ namespace: 'a', name: 'b', uid: 'c', priority: '1' }],
  [['writer', 1]],
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

describe('validateEvent', () => {
  const victim = { namespace: 'default', name: 'low', uid: 'u1', priority: 1 };
  const decided = {
    act: 'a',
    namespace: 'default',
    pod: 'high',
    uid: 'u2',
    priority: 2,
    node: 'node-1',
    victims: [victim],
    losers: ['default/a'],
    budgetViolations: 0,
    decidedBy: 'single',
  };

  it('takes what is right all through', () => {
    validateEvent('PreemptionDecided', decided);
    validateEvent('Updated', { changes: [{ p: ['spec', 'containers', 0, 'image'], v: 'app:2' }, { p: ['metadata', 'labels'] }] });
  });

  it.each<[string, JsonObject, string]>([
    ['PreemptionDecided', { ...decided, victims: [victim, { ...victim, priority: 'high' }] }, 'victims[1]: priority must be an integer'],
    ['PreemptionDecided', { ...decided, victims: [{ ...victim, more: 1 }] }, 'victims[0]: property more should not exist'],
    ['PreemptionDecided', { ...decided, victims: ['low'] }, 'victims[0] must be an object'],
    ['PreemptionDecided', { ...decided, losers: [1] }, 'each value in losers must be a string'],
    ['Updated', { changes: [{ p: [true] }] }, 'changes[0]: p must be object keys and array indices'],
    ['StatusUpdated', { changes: [{ v: 1 }] }, 'changes[0]: p must be an array'],
    ['Created', { object: { metadata: {} } }, 'object must be an object with metadata.name'],
    ['PodScheduled', { node: 'a', annotations: { a: 1 } }, 'annotations must be an object of strings'],
    ['PodRejected', { review: 'r', status: { message: 'no' } }, 'status must be a Status with its code'],
    ['ExtenderAnswered', { ask: 'a', namespace: 'n', pod: 'p', uid: 'u', answer: { reply: 1 } }, 'answer: property reply should not exist'],
  ])('names what is off inside %s %j', (type, data, text) => {
    expect(() => validateEvent(type, data)).toThrow(text);
  });
});

/** A payload that the class accepts: for each property the first value that leaves no complaint about it. */
function valid(eventClass: new () => object): JsonObject {
  const data: JsonObject = {};
  const choices = [...values, 'CREATE', 'Normal', 'Succeeded', 'unschedulable', 'filter', 'mutating'];
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
