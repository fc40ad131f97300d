import { describe, expect, it } from 'vitest';
import { Bindings } from './bindings';

describe('numbered values', () => {
  it('are equal for equal numbers and different for different numbers', () => {
    const bindings = new Bindings();
    expect(bindings.same('uid', '1', 'a')).toBeUndefined();
    expect(bindings.same('uid', '1', 'a')).toBeUndefined();
    expect(bindings.same('uid', '1', 'b')).toContain('<uid:1> was "a"');
    expect(bindings.same('uid', '2', 'a')).toContain('<uid:1> has this value already');
    expect(bindings.same('rand', '2', 'a')).toBeUndefined();
  });

  it('can be taken back', () => {
    const bindings = new Bindings();
    bindings.same('uid', '1', 'a');
    const mark = bindings.mark();
    bindings.same('uid', '2', 'b');
    bindings.version(1, 5n);
    bindings.listVersion(2, 9n);
    bindings.remember('continue', '1', 't');
    bindings.rollback(mark);
    expect(bindings.valueOf('uid', '2')).toBeUndefined();
    expect(bindings.valueOf('rv', '1')).toBeUndefined();
    expect(bindings.valueOf('rv', '2')).toBeUndefined();
    expect(bindings.lastOf('continue')).toBeUndefined();
    expect(bindings.same('uid', '2', 'c')).toBeUndefined();
  });
});

describe('versions', () => {
  it('keep the order of their numbers', () => {
    const bindings = new Bindings();
    expect(bindings.version(3, 30n)).toBeUndefined();
    expect(bindings.version(7, 30n)).toContain('<rv:3> is 30');
    expect(bindings.version(7, 31n)).toBeUndefined();
    expect(bindings.version(5, 31n)).toContain('order');
    expect(bindings.version(2, 99n)).toContain('order');
    expect(bindings.version(3, 29n)).toContain('<rv:3> was 30');
  });

  it('compare as numbers, not as text', () => {
    const bindings = new Bindings();
    bindings.version(1, 9n);
    expect(bindings.version(2, 10n)).toBeUndefined();
  });

  it('of a list may be larger than the last write, but not larger than the next', () => {
    const bindings = new Bindings();
    bindings.version(1, 10n);
    expect(bindings.listVersion(1, 12n)).toBeUndefined();
    expect(bindings.listVersion(1, 9n)).toContain('<rv:1> is 10');
    expect(bindings.version(2, 12n)).toContain('a list at <rv:1> had 12');
    expect(bindings.version(2, 13n)).toBeUndefined();
    expect(bindings.listVersion(1, 13n)).toContain('<rv:2> is 13');
    expect(bindings.listVersion(2, 12n)).toContain('<rv:2> is 13');
  });

  it('of lists do not go back', () => {
    const bindings = new Bindings();
    bindings.listVersion(3, 20n);
    expect(bindings.listVersion(4, 19n)).toContain('a list at <rv:3> had 20');
    expect(bindings.listVersion(4, 20n)).toBeUndefined();
    expect(bindings.version(3, 21n)).toContain('a list at <rv:3>');
  });

  it('without order are still different', () => {
    const bindings = new Bindings((a, b) => a < 10 && b < 10);
    bindings.version(2, 5n);
    expect(bindings.version(1, 6n)).toBeUndefined();
    expect(bindings.version(3, 6n)).toContain('<rv:1> has this value');
    expect(bindings.version(11, 4n)).toContain('order');
  });

  it("are given to requests: an object's before a list's, the last token", () => {
    const bindings = new Bindings();
    bindings.listVersion(4, 40n);
    expect(bindings.valueOf('rv', '4')).toBe('40');
    bindings.version(4, 39n);
    expect(bindings.valueOf('rv', '4')).toBe('39');
    bindings.remember('continue', '1', 'a');
    bindings.remember('continue', '1', 'b');
    expect(bindings.valueOf('continue', '1')).toBe('b');
  });
});
