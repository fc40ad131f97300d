import { expect, it } from 'vitest';
import { withManagersInOrder } from './managers';

const entry = (manager: string, fieldsV1: object = {}) => ({ manager, operation: 'Update', fieldsV1 });
const object = (...managers: string[]) => ({ metadata: { managedFields: managers.map((manager) => entry(manager)) } });

it('owners of fields are put in one order, whatever the second they wrote in', () => {
  const shown = (...managers: string[]): string => withManagersInOrder(JSON.stringify(object(...managers)));
  expect(shown('b', 'a')).toBe(shown('a', 'b'));
  expect(shown('b', 'a')).not.toBe(shown('b', 'c'));
});

it('so are those of an object that an error text quotes, of which the moving status is left out', () => {
  const refusal = (document: object, field = 'spec'): string =>
    withManagersInOrder(`The request is invalid: patch: Invalid value: ${JSON.stringify(JSON.stringify(document))}: json: ${field}\n`);
  expect(refusal({ ...object('b', 'a'), status: { replicas: 1 } })).toBe(refusal({ ...object('a', 'b'), status: { replicas: 2 } }));
  expect(refusal(object('a'))).not.toBe(refusal(object('a'), 'other'));
  const owning = (fields: object) => ({ metadata: { managedFields: [entry('a', fields)] } });
  expect(refusal(owning({ 'f:status': {} }))).toBe(refusal(owning({})));
  expect(refusal(owning({ 'f:spec': {} }))).not.toBe(refusal(owning({})));
});

it('other text stays as it is', () => {
  expect(withManagersInOrder('plain {')).toBe('plain {');
  expect(withManagersInOrder('{ managedFields')).toBe('{ managedFields');
});
