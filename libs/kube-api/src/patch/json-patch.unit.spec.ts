import { expect, it } from 'vitest';
import { applyJsonPatch } from './json-patch';

it('what two parts of an object share is changed where the operation says, and nowhere else', () => {
  const labels = { a: 'b' };
  const document = { metadata: { labels }, spec: { template: { metadata: { labels } } } };
  const operations = [{ op: 'add', path: '/metadata/labels/x', value: 'y' }];
  expect(applyJsonPatch(document, operations)).toEqual({
    metadata: { labels: { a: 'b', x: 'y' } },
    spec: { template: { metadata: { labels: { a: 'b' } } } },
  });
  expect(labels).toEqual({ a: 'b' });
});
