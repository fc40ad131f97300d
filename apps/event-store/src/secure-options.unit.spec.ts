import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { secureOptions } from './secure-options';

describe('TLS and the user of the event store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubereel-secure-'));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const tlsCertificate = file('store.crt', 'the certificate');
  const tlsKey = file('store.key', 'the key');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('come from files, the password also from the environment', () => {
    const passwordFile = file('password', 'from the file\n');
    const tls = { certificate: 'the certificate', key: 'the key' };
    expect(secureOptions({ tlsCertificate, tlsKey, passwordFile }, { KUBEREEL_STORE_PASSWORD: 'x' })).toEqual({
      tls,
      users: [{ name: 'admin', password: 'from the file' }],
    });
    expect(secureOptions({ tlsCertificate, tlsKey, user: 'kubereel' }, { KUBEREEL_STORE_PASSWORD: 'x' })).toEqual({
      tls,
      users: [{ name: 'kubereel', password: 'x' }],
    });
    expect(secureOptions({}, { KUBEREEL_STORE_PASSWORD: 'x' })).toEqual({});
  });

  it('are refused in halves', () => {
    expect(() => secureOptions({ tlsCertificate }, {})).toThrow('--tls-certificate and --tls-key go together');
    expect(() => secureOptions({ tlsKey }, {})).toThrow('--tls-certificate and --tls-key go together');
    expect(() => secureOptions({ user: 'a' }, {})).toThrow(/need TLS/);
    expect(() => secureOptions({ tlsCertificate, tlsKey }, {})).toThrow(/--password-file or in KUBEREEL_STORE_PASSWORD/);
    expect(() => secureOptions({ tlsCertificate, tlsKey, passwordFile: file('empty', '\n') }, {})).toThrow(/a password is asked/);
    expect(() => secureOptions({ tlsCertificate: join(folder, 'none'), tlsKey, passwordFile: tlsKey }, {})).toThrow(/none cannot be read/);
  });
});
