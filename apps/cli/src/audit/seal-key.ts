import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePublicKey } from '#libs/audit';
import { writeWhole } from '#libs/event-log';
import { CliError } from '../cli-error';
import { reasonOf } from '../up/data-folder';

/** The cluster's own key, made when it is first needed; undefined where there is none and none can be written. */
export function clusterKey(folder: string): KeyObject | undefined {
  const path = join(folder, 'seal.key');
  const known = read(path);
  if (known !== undefined) return privateKeyOf(known, path);
  const { privateKey } = generateKeyPairSync('ed25519');
  try {
    writeWhole(path, privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
  } catch {
    return undefined;
  }
  return privateKey;
}

/** @throws CliError when the file is not there, or holds no such key */
export function givenKey(path: string): KeyObject {
  return privateKeyOf(readFileOf(path), path);
}

/**
 * The public key of `--seal-key`: as `kubereel seal --public-key` prints it, or a file that holds it.
 * @throws CliError when it is none
 */
export function givenPublicKey(text: string): KeyObject {
  const key = parsePublicKey(text) ?? publicKeyIn(read(text));
  if (key) return key;
  throw new CliError(
    '--seal-key: this is no public key, nor a file that holds one',
    'It looks like ed25519:… (kubereel seal --public-key prints it).',
    2,
  );
}

/** The text of a file. @throws CliError naming it */
export function readFileOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(`${path} cannot be read: ${readReason(error)}`);
  }
}

function readReason(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'EACCES') return 'you may not read it';
  return reasonOf(error);
}

/** What is in the file is not shown, whatever is wrong with it. */
function privateKeyOf(text: string, path: string): KeyObject {
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Told below.
  }
  throw new CliError(`${path} holds no private ed25519 key`, `Make one with: openssl genpkey -algorithm ed25519 -out FILE`);
}

function publicKeyIn(text: string | undefined): KeyObject | undefined {
  if (text === undefined) return undefined;
  const line = parsePublicKey(text);
  if (line) return line;
  try {
    const key = createPublicKey(text);
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
