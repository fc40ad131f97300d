import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccountKeys } from './account-keys';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'keys-'))));
afterEach(() => rmSync(folder, { recursive: true }));

describe('the key of tokens', () => {
  it('is made when it is first needed, readable by its owner alone, and kept', async () => {
    const keyFile = join(folder, 'service-account.key');
    const keys = new AccountKeys({ keyFile });
    expect(existsSync(keyFile)).toBe(false);
    const made = await keys.signingKey();
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(made.privateKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
    expect((await new AccountKeys({ keyFile }).signingKey()).id).toBe(made.id);
    expect(readdirSync(folder)).toEqual(['service-account.key']);
  });

  it('is one though several need it first at once', async () => {
    const keyFile = join(folder, 'service-account.key');
    const made = await Promise.all([1, 2, 3].map(() => new AccountKeys({ keyFile }).signingKey()));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  });

  it('is in memory where there is no file for it', async () => {
    const keys = new AccountKeys();
    expect((await keys.signingKey()).id).toBe((await keys.signingKey()).id);
    expect((await new AccountKeys().signingKey()).id).not.toBe((await keys.signingKey()).id);
  });

  it('may have others beside it that are believed too', async () => {
    const publicFile = join(folder, 'old.pub');
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeFileSync(publicFile, publicKey.export({ type: 'spki', format: 'pem' }));
    const privateFile = join(folder, 'same.key');
    writeFileSync(privateFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const keys = await new AccountKeys({ publicKeyFiles: [publicFile, privateFile] }).verificationKeys();
    expect(keys.slice(1).map(({ publicKey: key }) => key.asymmetricKeyType)).toEqual(['ec', 'ec']);
    expect(keys[1]?.id).toBe(keys[2]?.id);
  });

  it('that cannot be read is told of, and tried again', async () => {
    const keyFile = join(folder, 'service-account.key');
    writeFileSync(keyFile, 'nonsense');
    const keys = new AccountKeys({ keyFile });
    await expect(keys.signingKey()).rejects.toThrow();
    rmSync(keyFile);
    await expect(keys.signingKey()).resolves.toHaveProperty('id');
  });
});
