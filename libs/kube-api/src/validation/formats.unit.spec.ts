import { describe, expect, it } from 'vitest';
import { inCidr, parseAddress, parseCidr } from './addresses';
import { validateLegacyCidr, validateLegacyIP } from './legacy-addresses';
import type { FieldError } from '../status';
import * as formats from './formats';
import { jsonDiff, unifiedDiff } from './text-diff';

describe('names and values', () => {
  const valid: [keyof typeof formats, string[], string[]][] = [
    ['isDnsLabel', ['a', '1a', 'a-b', 'a'.repeat(63)], ['', 'A', '-a', 'a-', 'a_b', 'a.b', 'a'.repeat(64)]],
    ['isDnsSubdomain', ['a', 'a.b', '1.2-3.x', 'a'.repeat(253)], ['', '.a', 'a..b', 'a_b', 'A.b', 'a'.repeat(254)]],
    ['isDns1035Label', ['a', 'a1'], ['1a', 'A', 'a.b']],
    ['isQualifiedName', ['a', 'MyName', 'my.name', 'x.y/n', 'A_b'], ['', 'a b', '/a', 'X.y/n', 'a/b/c', 'a/', '-a', 'a'.repeat(64)]],
    ['isLabelValue', ['', 'a', '1.2_3-x'], ['-a', 'a b', 'a'.repeat(64)]],
    ['isConfigMapKey', ['a', 'A_b.c-d', '.hidden'], ['', 'a b', '.', '..', '..a', 'a'.repeat(254)]],
    ['isPathSegmentName', ['a', 'A_b', 'x:y'], ['.', '..', 'a/b', 'a%b']],
    ['isPortName', ['http', 'a-1'], ['', 'HTTP', '80', 'a--b', '-a', 'a-', 'a'.repeat(16)]],
    ['isEnvVarName', ['A', 'a.b', 'with space', '1', '~'], ['', 'a=b', 'é', 'a\n']],
    ['isPercent', ['0%', '150%'], ['%', '1.5%', '-1%', '50']],
    ['isHttpHeaderName', ['X-A'], ['', 'X A', 'X_A']],
    ['isDnsSubdomainWithUnderscore', ['_a.b'], ['A', 'a..b']],
  ];

  it.each(valid)('%s', (rule, good, bad) => {
    const check = formats[rule] as (text: string) => string[];
    for (const text of good) expect(check(text), text).toEqual([]);
    for (const text of bad) expect(check(text).length, text).toBeGreaterThan(0);
  });

  it('count bytes, not characters', () => {
    expect(formats.byteLength('aé€😀')).toBe(1 + 2 + 3 + 4);
    expect(formats.isLabelValue('é'.repeat(32))).toContain('must be no more than 63 characters');
  });

  it('say precisely what is wrong', () => {
    expect(formats.isDnsLabel('a.b')).toEqual(['must not contain dots']);
    expect(formats.isQualifiedName('/n')).toEqual(['prefix part must be non-empty']);
    expect(formats.isQualifiedName('A_b/n')[0]).toMatch(/^prefix part a lowercase RFC 1123 subdomain must consist/);
    expect(formats.isQualifiedName('a/b/c')[0]).toMatch(/^a qualified name must consist .* with an optional DNS subdomain prefix and '\/'/);
    expect(formats.isConfigMapKey('..a')).toEqual([`must not start with '..'`]);
    expect(formats.asPrefix('shop-')).toBe('shoa');
  });
});

describe('addresses', () => {
  it('are read strictly', () => {
    for (const text of ['10.9.8.7', '0.0.0.0', '::', '::1', '2001:db8::ffff', '1:2:3:4:5:6:7:8', '::ffff:1.2.3.4'])
      expect(parseAddress(text), text).toBeDefined();
    for (const text of ['', '1.2.3', '256.1.1.1', '01.2.3.4', '1.2.3.4.5', ':::', '1::2::3', 'g::', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9']) {
      expect(parseAddress(text), text).toBeUndefined();
    }
    const errors: FieldError[] = [];
    validateLegacyIP('x', 'f', errors);
    expect(errors[0]?.body).toBe('Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)');
    validateLegacyCidr('10.0.0.0/33', 'f', errors);
    validateLegacyCidr('010.0.0.0/024', 'f', errors);
    expect(errors).toHaveLength(2);
  });

  it('lie in ranges of their family', () => {
    const range = parseCidr('10.0.0.0/24');
    const within = (text: string) => {
      const address = parseAddress(text);
      return address !== undefined && range !== undefined && inCidr(address, range);
    };
    expect([within('10.0.0.255'), within('10.0.1.0'), within('::1')]).toEqual([true, false, false]);
  });
});

describe('differences', () => {
  it('are shown with three lines of context', () => {
    const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    expect(unifiedDiff(before, before)).toBe('');
    expect(unifiedDiff(before, before.with(4, 'X'))).toBe('@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+X\n f\n g\n h\n');
    expect(unifiedDiff(['a'], ['a', 'b'])).toBe('@@ -1,1 +1,2 @@\n a\n+b\n');
  });

  it('that are far apart make hunks of their own', () => {
    const before = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    const text = unifiedDiff(before, before.with(2, 'X').with(25, 'Y'));
    expect(text.match(/^@@ /gm)).toHaveLength(2);
    expect(unifiedDiff(before, before.with(2, 'X').with(7, 'Y')).match(/^@@ /gm)).toHaveLength(1);
    expect(jsonDiff({ a: 1 }, { a: 2 })).toBe('@@ -1,3 +1,3 @@\n {\n- "a": 1\n+ "a": 2\n }\n');
  });
});
