import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { leafOf } from './leaf';

const event = { id: 'e1', stream: 'local.pods-default/web', revision: 3, position: 1_600, metadata: { digest: 'abc' } };

it('the leaf of an event is the hash of its place, its name and its digest', () => {
  const text = '\x001600\n3\n22\n2\nlocal.pods-default/webe1abc';
  expect(leafOf(event)).toBe(createHash('sha256').update(text).digest('base64url'));
});

it('the leaf is another when any of them is, also when one borrows from the next', () => {
  const others = [
    { ...event, id: 'e2' },
    { ...event, stream: 'local.pods-default/we', id: 'be1' },
    { ...event, revision: 31, stream: 'local.pods-default/web' },
    { ...event, position: 16_003, revision: 3 },
    { ...event, id: 'e1a', metadata: { digest: 'bc' } },
    { ...event, metadata: {} },
  ];
  expect(new Set([event, ...others].map(leafOf)).size).toBe(others.length + 1);
});
