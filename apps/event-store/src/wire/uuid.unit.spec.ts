import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { uuidText, wireUuid } from './uuid';

describe('UUIDs on the wire', () => {
  it('two signed halves, big endian', () => {
    const text = 'fedcba98-7654-3210-8000-000000000001';
    const structured = { most_significant_bits: '-81985529216486896', least_significant_bits: '-9223372036854775807' };
    expect(wireUuid(text, true)).toEqual({ structured });
    expect(uuidText({ structured })).toBe(text);
    expect(uuidText({ structured: {} })).toBe('00000000-0000-0000-0000-000000000000');
  });

  it('there and back', () => {
    for (let i = 0; i < 200; i++) {
      const text = randomUUID();
      expect(uuidText(wireUuid(text, true))).toBe(text);
      expect(uuidText({ string: text.toUpperCase() })).toBe(text);
    }
  });

  it('reads the forms that a real server reads', () => {
    const text = randomUUID();
    const struct = '{0x12345678,0x9abc,0xdef,{0x1,0x23,0x45,0x67,0x89,0xab,0xcd,0xef}}';
    expect(uuidText({ string: struct })).toBe('12345678-9abc-0def-0123-456789abcdef');
    for (const form of [text.replaceAll('-', ''), `{${text}}`, `(${text})`, ` ${text} `]) expect(uuidText({ string: form })).toBe(text);
  });

  it('refuses what is none in the words of a real server, and gives foreign ids as text', () => {
    expect(() => uuidText(undefined)).toThrow("Value cannot be null. (Parameter 'dto')");
    expect(() => uuidText({})).toThrow("Invalid argument: None (Parameter 'dto')");
    for (const bad of ['', 'x', `${randomUUID()}0`, `{${randomUUID()}`, randomUUID().replace('-', '')])
      expect(() => uuidText({ string: bad })).toThrow('Unrecognized Guid format.');
    expect(wireUuid('not a uuid', true)).toEqual({ string: 'not a uuid' });
  });
});
