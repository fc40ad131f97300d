import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exposedPassword, givenStore, hasPassword, rememberedStore, withoutPassword } from './store-address';

const secret = 'esdb://admin:s3cret@store-1:2113,store-2:2113?tls=true';

describe('the address of a store', () => {
  it('comes from the command line, a file or the environment, in this order', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubereel-store-'));
    const file = join(folder, 'url');
    writeFileSync(file, `${secret}\n`);
    const env = { KUBEREEL_EVENT_STORE: 'esdb://env:2113' };
    expect(givenStore({ eventStore: 'esdb://flag:2113' }, env)).toEqual({ url: 'esdb://flag:2113', from: 'flag' });
    expect(givenStore({ eventStoreFile: file }, env)).toEqual({ url: secret, from: 'file' });
    expect(givenStore({}, env)).toEqual({ url: 'esdb://env:2113', from: 'environment' });
    expect(givenStore({}, {})).toBeUndefined();
    expect(() => givenStore({ eventStore: 'esdb://a', eventStoreFile: file }, {})).toThrow('exclude each other');
    expect(() => givenStore({ eventStoreFile: join(folder, 'absent') }, {})).toThrow('no such file');
    rmSync(folder, { recursive: true });
  });

  it('is refused when it is none, without its password', () => {
    expect(() => givenStore({ eventStore: 'http://admin:s3cret@host:2113' }, {})).toThrow(
      /no address of an event store: http:\/\/admin@host:2113$/,
    );
  });

  it('is remembered and shown without its password', () => {
    expect(withoutPassword(secret)).toBe('esdb://admin@store-1:2113,store-2:2113?tls=true');
    expect(withoutPassword('esdb://a:1?tls=false')).toBe('esdb://a:1?tls=false');
    expect(withoutPassword('esdb://admin:a@b:c@store-1:2113')).toBe('esdb://admin@store-1:2113');
    expect([secret, withoutPassword(secret)].map(hasPassword)).toEqual([true, false]);
  });

  it('with a password on the command line is warned of, elsewhere not', () => {
    expect(exposedPassword({ url: secret, from: 'flag' })).toContain('KUBEREEL_EVENT_STORE');
    expect(exposedPassword({ url: secret, from: 'environment' })).toBeUndefined();
    expect(exposedPassword({ url: 'esdb://a:1', from: 'flag' })).toBeUndefined();
  });

  it('that is remembered asks for the password its user has', () => {
    const remembered = withoutPassword(secret);
    expect(() => rememberedStore(remembered, undefined)).toThrow('asks for the password of admin');
    expect(rememberedStore(remembered, { url: secret, from: 'environment' }).url).toBe(secret);
    expect(rememberedStore('esdb://a:1', undefined)).toEqual({ url: 'esdb://a:1', from: 'folder' });
  });
});
