import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { uuidText, wireUuid } from './uuid';

describe('UUIDs on the wire', () => {
  it('two signed halves, big endian', () => {
    const text = 'fedcba98-7654-3210-8000-000000000001';
    const structured = { most_significant_bits: '-81985529216486896', least_significant_bits: '-9223372036854775807' };
    expect(wireUuid(text, true)).toEqual({ structured });
    expect(uuidText({ structured }, 'id')).toBe(text);
    expect(uuidText({ structured: {} }, 'id')).toBe('00000000-0000-0000-0000-000000000000');
  });

  it('there and back', () => {
    for (let i = 0; i < 200; i++) {
      const text = randomUUID();
      expect(uuidText(wireUuid(text, true), 'id')).toBe(text);
      expect(uuidText({ string: text.toUpperCase() }, 'id')).toBe(text);
    }
  });

  it('refuses what is none, and gives foreign ids as text', () => {
    for (const bad of [undefined, {}, { string: '' }, { string: 'x' }, { string: `${randomUUID()}0` }])
      expect(() => uuidText(bad, 'event id')).toThrow(/event id/);
    expect(wireUuid('not a uuid', true)).toEqual({ string: 'not a uuid' });
  });
});
