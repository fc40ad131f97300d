import { describe, expect, it } from 'vitest';
import { firstReadable, lowestReadable, settingsOf, SOFT_DELETE_DIGITS, withTruncateBefore } from './stream-settings';

describe('stream metadata', () => {
  it('hide events by count, by revision, or all of them', () => {
    expect(firstReadable(undefined, 9)).toBe(0);
    expect(firstReadable(settingsOf('{"$maxCount":3}'), 9)).toBe(7);
    expect(firstReadable(settingsOf('{"$maxCount":30}'), 9)).toBe(0);
    expect(firstReadable(settingsOf('{"$tb":5}'), 9)).toBe(5);
    expect(firstReadable(settingsOf('{"$tb":5,"$maxCount":2}'), 9)).toBe(8);
    expect(firstReadable(settingsOf('{"$tb":12}'), 9)).toBe(12);
    expect(settingsOf('{"$maxAge":60}').maxAgeMs).toBe(60_000);
  });

  it('keep numbers beyond 2^53 exactly; the largest alone is a soft delete', () => {
    expect(settingsOf(`{"$tb":${SOFT_DELETE_DIGITS}}`).softDeleted).toBe(true);
    const almost = settingsOf('{"$tb":9223372036854775806}');
    expect([almost.softDeleted, lowestReadable(almost, 9)]).toEqual([false, 9223372036854775806n]);
    expect(firstReadable(almost, 9)).toBe(Number.MAX_SAFE_INTEGER);
    expect(settingsOf('{"$tb":9007199254740993}').truncateBefore).toBe(9007199254740993n);
  });

  it.each([
    ['single quotes, bare names, a comma at the end', "{'$maxCount':3, $tb:1,}"],
    ['a byte order mark and text behind', '\ufeff {"$maxCount":3} and so on'],
    ['hexadecimal', '{"$maxCount":0x3}'],
    ['octal', '{"$maxCount":03}'],
    ['values of other keys, whatever they are', '{"a":[1.5,{"b":null /* c */}],"$maxCount":3}'],
    ['the last of several', '{"$maxCount":9,"$maxCount":3}'],
  ])('are read leniently as JSON: %s', (_what, text) => {
    expect(settingsOf(text).maxCount).toBe(3n);
  });

  it.each([
    '{"$maxCount":3,"$maxAge":"x"}',
    '{"$maxCount":3.0}',
    '{"$maxCount":+3}',
    '{"$maxCount":08}',
    '{"$maxCount":3e0}',
    '{"$maxCount":9223372036854775808}',
    '{"$maxCount":3,"$maxAge":922337203686}',
    '{"$maxCount":3,"$cacheControl":"no"}',
    '{"$maxCount":3,"$acl":[]}',
    '{"$maxCount":3,"$acl":{"$x":"a"}}',
    '{/* c */"$maxCount":3}',
    '["$maxCount"]',
    '{"$maxCount":3',
    'null',
    '',
  ])('are void as a whole where one value is of a wrong type, or they are no JSON: %s', (text) => {
    const settings = settingsOf(text);
    expect([settings.softDeleted, firstReadable(settings, 9), settings.maxAgeMs, settings.maxCount]).toEqual([
      false,
      0,
      undefined,
      undefined,
    ]);
  });

  it('values that bound nothing count for nothing', () => {
    expect(firstReadable(settingsOf('{"$maxCount":0,"$tb":-3,"$maxAge":0}'), 9)).toBe(0);
    expect(settingsOf('{"$maxAge":-1}').maxAgeMs).toBeUndefined();
  });

  it('tell who may do what', () => {
    expect(settingsOf('{"$acl":{"$r":"ops","$w":["a","b"]}}').acl).toEqual({ $r: ['ops'], $w: ['a', 'b'] });
  });

  it('get another $tb in its place, all else as it was', () => {
    expect(withTruncateBefore(`{"$tb":${SOFT_DELETE_DIGITS}}`, '5')).toBe('{"$tb":5}');
    expect(withTruncateBefore('{ "owner" : \'me\', "$tb" : 3, "x": [1.50, 1e3, true, null] }', '7')).toBe(
      '{"owner":"me","$tb":7,"x":[1.5,1000.0,true,null]}',
    );
    expect(withTruncateBefore('{"$maxCount":5}', '3')).toBe('{"$maxCount":5,"$tb":3}');
    expect(withTruncateBefore('{"x":[0.0001,0.00001,1e15,123456.5e0,12345678901234567890]}', '3')).toBe(
      '{"x":[0.0001,1E-05,1E+15,123456.5,12345678901234567890],"$tb":3}',
    );
    expect(withTruncateBefore('no JSON', '3')).toBeUndefined();
    expect(withTruncateBefore('{} and more', '3')).toBeUndefined();
  });
});
