import { expect, it } from 'vitest';
import { releaseKinds } from '../kinds';
import { decodeObject } from './decode-object';

const pods = releaseKinds.kindOf('pods');
const textOf = (body: object): string => {
  const decoded = decodeObject(pods, JSON.stringify(body));
  return decoded.ok ? 'read' : decoded.status.message;
};

it('a quantity that is none is told before a value of the wrong type, wherever that is', () => {
  const containers = [{ name: 'c', resources: { limits: { cpu: 'x' } } }];
  expect(textOf({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 1 }, spec: { containers } })).toContain('quantities must match');
  expect(textOf({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 1 } })).toContain('cannot unmarshal number');
});

it('bytes may come one by one', () => {
  const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { a: [97, 98], b: [] } };
  const decoded = decodeObject(releaseKinds.kindOf('secrets'), JSON.stringify(body));
  expect(decoded.ok && decoded.object.data).toEqual({ a: 'YWI=', b: '' });
  const wrong = decodeObject(releaseKinds.kindOf('secrets'), JSON.stringify({ ...body, data: { a: [256] } }));
  expect(wrong.ok).toBe(false);
});

it('version and kind are found however their names are spelled, the last of them', () => {
  expect(textOf({ apiVersion: 'v1', Kind: 'Pod', metadata: {} })).toBe('read');
  expect(textOf({ apiVersion: 'v1', kind: 'Pod', Kind: 'Other', metadata: {} })).toContain('no kind "Other" is registered');
});
