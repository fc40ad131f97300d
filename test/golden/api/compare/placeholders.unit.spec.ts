import { describe, expect, it } from 'vitest';
import { Bindings } from './bindings';
import { mismatch } from './match';
import { placeholdersIn, templateOf } from './placeholders';

const context = (startedAt = Date.parse('2026-03-01T10:00:00Z')) => ({
  bindings: new Bindings(),
  startedAt,
  now: () => startedAt + 5_000,
});
const fits = (expected: string, actual: string, transcript = false) => mismatch(context(), expected, actual, { transcript }) === undefined;
const uuid = '0a51755d-94be-c8cb-3fac-8f9110f4c4f6';

describe('placeholders', () => {
  it('are told from other words in angle brackets', () => {
    expect(placeholdersIn('<none> <unknown> <input> <IntOrString> <nil>')).toEqual([]);
    expect(placeholdersIn('a-<rand:3>.<time+30s>')).toEqual([
      { text: '<rand:3>', kind: 'rand', number: '3' },
      { text: '<time+30s>', kind: 'time', afterDeletion: 30 },
    ]);
    expect(fits('<none>', '<none>')).toBe(true);
    expect(fits('<none>', 'x')).toBe(false);
  });

  it('match only what they stand for', () => {
    expect(fits('<uid:1>', uuid)).toBe(true);
    expect(fits('<uid:1>', uuid.toUpperCase())).toBe(false);
    expect(fits('<uid:1>', `${uuid}x`)).toBe(false);
    expect(fits('shop-<rand:1>', 'shop-bcdf2')).toBe(true);
    expect(fits('shop-<rand:1>', 'shop-abcde')).toBe(false);
    expect(fits('<time>', '2026-03-01T10:00:00Z')).toBe(true);
    expect(fits('<time>', '2026-03-01T10:00:00.5Z')).toBe(false);
    expect(fits('<microtime>', '2026-03-01T10:00:00.123456Z')).toBe(true);
    expect(fits('<microtime>', '2026-03-01T10:00:00.123Z')).toBe(false);
    expect(fits('<nanotime>', '2026-03-01T10:00:00.123456Z')).toBe(false);
    expect(fits('<nanotime>', '2026-03-01T10:00:00.123456789Z')).toBe(true);
    expect(fits('<age>', '2m5s')).toBe(true);
    expect(fits('<age>', '<unknown>')).toBe(false);
    expect(fits('/openapi/v3/api/v1?hash=<hash>', '/openapi/v3/api/v1?hash=0123456789ABCDEF0123')).toBe(true);
    expect(fits('/openapi/v3/api/v1?hash=<hash>', '/openapi/v3/api/v1?hash=bcdfg')).toBe(false);
    expect(fits('app-<hash>-<rand>', 'app-7d8f9b6c5-x2z4q')).toBe(true);
  });

  it('keep literal text literal', () => {
    expect(fits('a.b (<uid:1>)', `a.b (${uuid})`)).toBe(true);
    expect(fits('a.b (<uid:1>)', `axb (${uuid})`)).toBe(false);
    expect(templateOf('[+]ping <age>').whole.test('[+]ping 3s')).toBe(true);
  });

  it('hold within one value too', () => {
    const other = uuid.replace('0', '1');
    expect(fits('<uid:1> and <uid:1>', `${uuid} and ${uuid}`)).toBe(true);
    expect(fits('<uid:1> and <uid:1>', `${uuid} and ${other}`)).toBe(false);
    expect(fits('<uid:1> and <uid:2>', `${uuid} and ${uuid}`)).toBe(false);
  });

  it('of a deletion lie in the session, plus the grace', () => {
    expect(fits('<time+30s>', '2026-03-01T10:00:32Z')).toBe(true);
    expect(fits('<time+30s>', '2026-03-01T10:00:02Z')).toBe(false);
    expect(fits('<time+30s>', '2026-03-01T10:00:45Z')).toBe(false);
    expect(fits('<time+0s>', '2026-03-01T10:00:03Z')).toBe(true);
  });

  it('of times are printed by kubectl in its own ways', () => {
    expect(fits('CreationTimestamp: <time>', 'CreationTimestamp: Sun, 01 Mar 2026 10:00:00 +0000', true)).toBe(true);
    expect(fits('CreationTimestamp: <time>', 'CreationTimestamp: Sun, 01 Mar 2026 10:00:00 +0000')).toBe(false);
  });
});
