import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import { makeFolder } from '#libs/event-log';
import { signingKeyOf, verificationKeyOf, type SigningKey, type VerificationKey } from '#libs/kube-api/tokens';
import { dirname } from 'node:path';
import type { ServiceAccountOptions } from '../options';

const generate = promisify(generateKeyPair);
const bits = 2_048;
const privateFile = 0o600;

/**
 * The keys of the tokens of service accounts, for all apps of a process. An RSA key takes 50–200 ms to be made, so it is made beside
 * everything else when somebody first needs one, and no start waits for it.
 */
@Injectable()
export class AccountKeys {
  private signing: Promise<SigningKey> | undefined;
  private verifying: Promise<readonly VerificationKey[]> | undefined;

  constructor(private readonly options: Pick<ServiceAccountOptions, 'keyFile' | 'publicKeyFiles'> = {}) {}

  /** The key that tokens are signed with. @throws what the file system says, or Error where the file holds no such key */
  signingKey(): Promise<SigningKey> {
    this.signing ??= this.makeOrRead().catch((error: unknown) => {
      // The next token tries again.
      this.signing = undefined;
      throw error;
    });
    return this.signing;
  }

  /** Every key whose tokens are believed, the signing one first. */
  verificationKeys(): Promise<readonly VerificationKey[]> {
    this.verifying ??= this.signingKey()
      .then((own) => {
        const others = (this.options.publicKeyFiles ?? []).map((path) => verificationKeyOf(createPublicKey(readFileSync(path, 'utf8'))));
        return [own, ...others.filter(({ id }) => id !== own.id)];
      })
      .catch((error: unknown) => {
        this.verifying = undefined;
        throw error;
      });
    return this.verifying;
  }

  private async makeOrRead(): Promise<SigningKey> {
    const { keyFile } = this.options;
    const known = keyFile === undefined ? undefined : read(keyFile);
    if (known !== undefined) return signingKeyOf(createPrivateKey(known));
    const { privateKey } = await generate('rsa', { modulusLength: bits });
    return signingKeyOf(keyFile === undefined ? privateKey : keep(keyFile, privateKey));
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Keeps a new key, unless another process of the cluster has kept one meanwhile: that is the cluster's then. */
function keep(path: string, key: KeyObject): KeyObject {
  const beside = `${path}.${process.pid}.new`;
  makeFolder(dirname(path));
  rmSync(beside, { force: true });
  try {
    writeFileSync(beside, key.export({ type: 'pkcs8', format: 'pem' }), { mode: privateFile, flag: 'wx' });
    linkSync(beside, path);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return createPrivateKey(readFileSync(path, 'utf8'));
  } finally {
    rmSync(beside, { force: true });
  }
}
