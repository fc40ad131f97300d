import { expect, it } from 'vitest';
import { compactJson, writable } from './bodies';

const secrets = { group: '', resource: 'secrets', subresource: '' };
const ofAccount = { type: 'kubernetes.io/service-account-token', data: { namespace: 'ZA==', token: 'ZXlK' } };
const other = { type: 'Opaque', data: { token: 'aGk=' } };

it('leaves the tokens of accounts out of Secrets, of lists and of Tables, and nothing else', () => {
  const written = (body: object): unknown => JSON.parse(writable(JSON.stringify(body), secrets, false));
  const kept = { type: ofAccount.type, data: { namespace: 'ZA==' } };
  expect(written(ofAccount)).toEqual(kept);
  expect(written({ items: [other, ofAccount] })).toEqual({ items: [other, kept] });
  expect(written({ rows: [{ cells: [], object: ofAccount }, { object: other }] })).toEqual({
    rows: [{ cells: [], object: kept }, { object: other }],
  });
  // A patch does not say of which kind its Secret is.
  expect(written({ stringData: { token: 'eyJ', a: 'b' } })).toEqual({ stringData: { a: 'b' } });
  const maps = { ...secrets, resource: 'configmaps' };
  expect(writable(JSON.stringify({ data: { token: 'x' } }), maps, false)).toBe('{"data":{"token":"x"}}');
});

it('leaves owners of fields out where they are not wanted, and the largest number as it was', () => {
  const body = '{"metadata":{"name":"a","managedFields":[{"manager":"m"}]},"spec":{"seconds":9223372036854775807}}';
  const about = { group: 'apps', resource: 'deployments', subresource: '' };
  expect(writable(body, about, true)).toBe('{"metadata":{"name":"a"},"spec":{"seconds":9223372036854775807}}');
  expect(writable(body, about, false)).toBe(body);
});

it('takes the space between the parts of JSON away, and none within', () => {
  expect(compactJson('{ "a b" : [ 1.50 ,\n "x \\" y" ] }\n')).toBe('{"a b":[1.50,"x \\" y"]}');
});
