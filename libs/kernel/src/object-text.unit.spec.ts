import { expect, it } from 'vitest';
import { int64Max } from './int64';
import type { KubeObject } from './kube-object';
import { objectText, passingText } from './object-text';

const owned = (entries: object[]): KubeObject => ({
  metadata: {
    name: 'a',
    uid: 'u',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: undefined,
    managedFields: {
      toJSON: () => (entries.length > 0 ? (entries as never) : undefined),
      json: entries.length > 0 ? JSON.stringify(entries) : '',
    },
  },
  'a "key"': { deep: ['ü', 1, null] },
  spec: undefined,
  status: {},
});

it.each([
  ['without owners', { metadata: { name: 'a' }, data: { x: '1' } } as unknown as KubeObject],
  ['with owners that are a list', { metadata: { name: 'a', managedFields: [{ manager: 'm' }] } } as unknown as KubeObject],
  ['with owners that are found out', owned([{ manager: 'm', fieldsV1: { 'f:data': {} } }])],
  ['with owners that turn out to be nobody', owned([])],
  ['without metadata', { content: 1 } as unknown as KubeObject],
])('writes an object %s as JSON.stringify does', (_, object) => {
  expect(passingText(object)).toBe(JSON.stringify(object));
  expect(objectText(object)).toBe(JSON.stringify(object));
});

it('writes an object out once', () => {
  let asked = 0;
  const object = { metadata: { name: 'a' }, data: { toJSON: () => ++asked } } as unknown as KubeObject;
  passingText(object);
  expect([objectText(object), objectText(object), passingText(object)]).toEqual(Array(3).fill('{"metadata":{"name":"a"},"data":2}'));
});

it('numbers at the ends of int64 are whole for clients, and for who reads the text again the ones that they were', () => {
  const object = { metadata: { name: 'x' }, spec: { seconds: int64Max } } as unknown as KubeObject;
  for (const text of [objectText(object), objectText(object)])
    expect(text).toBe('{"metadata":{"name":"x"},"spec":{"seconds":9223372036854775807}}');
  expect(JSON.parse(passingText(object))).toEqual(object);
});
