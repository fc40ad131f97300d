import { createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import type { Seal } from '#libs/cluster-state';

/** A seal as a line of text, for keeping: `kubereel-seal/1 CLUSTER EVENTS POSITION ROOT [ed25519:SIGNATURE]`. */
export interface SealLine extends Seal {
  cluster: string;
  /** Of what is before it in the line; base64url. */
  signature?: string;
}

/** What is wrong with a line that should be a seal. It is not repeated: whatever stands there may be a secret. */
export class SealLineError extends Error {
  override name = 'SealLineError';

  constructor(
    /** From 1. */
    readonly line: number,
    message: string,
  ) {
    super(message);
  }
}

const name = 'kubereel-seal/1';
const algorithm = 'ed25519:';

/** @param key ed25519, to sign it with; absent: as it was signed */
export function sealLine(seal: SealLine, key?: KeyObject): string {
  const text = signedText(seal);
  const signature = key ? sign(null, Buffer.from(text), key).toString('base64url') : seal.signature;
  return signature === undefined ? text : `${text} ${algorithm}${signature}`;
}

/**
 * The seals in a text, with their line numbers; empty lines and lines that begin with `#` are skipped.
 * @throws SealLineError for the first line that is no seal
 */
export function parseSeals(text: string): { line: number; seal: SealLine }[] {
  return text.split('\n').flatMap((line, index) => {
    const words = line.trim();
    return words === '' || words.startsWith('#') ? [] : [{ line: index + 1, seal: parseSeal(words, index + 1) }];
  });
}

function parseSeal(text: string, line: number): SealLine {
  const [first, cluster = '', events = '', position = '', root = '', signature, ...rest] = text.split(/\s+/);
  if (first !== name) {
    const isOther = first?.startsWith('kubereel-seal/');
    throw new SealLineError(line, isOther ? `it is a seal of another version than ${name}` : `it does not begin with ${name}`);
  }
  if (!/^\d{1,15}$/.test(events) || !/^\d{1,16}$/.test(position) || Number(events) === 0)
    throw new SealLineError(line, 'after the name of the cluster come two numbers: how many events, and the position of the last');
  if (!/^[\w-]{43}$/.test(root)) throw new SealLineError(line, 'its root is no SHA-256 in base64url (43 characters)');
  if (rest.length > 0 || (signature !== undefined && !/^ed25519:[\w-]{86}$/.test(signature)))
    throw new SealLineError(line, `after the root comes nothing, or ${algorithm} and a signature in base64url (86 characters)`);
  return { cluster, events: Number(events), position: Number(position), root, signature: signature?.slice(algorithm.length) };
}

/** Whether the owner of the key has signed it. */
export function isSignedBy(seal: SealLine, publicKey: KeyObject): boolean {
  return seal.signature !== undefined && verify(null, Buffer.from(signedText(seal)), publicKey, Buffer.from(seal.signature, 'base64url'));
}

/** `ed25519:` and the 32 bytes of the key, base64url. */
export function publicKeyText(key: KeyObject): string {
  return `${algorithm}${key.export({ format: 'jwk' }).x ?? ''}`;
}

/** The key of a text that `publicKeyText` gave; undefined when it is none. */
export function parsePublicKey(text: string): KeyObject | undefined {
  const found = /^ed25519:([\w-]{43})$/.exec(text.trim());
  try {
    return found ? createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: found[1] }, format: 'jwk' }) : undefined;
  } catch {
    return undefined;
  }
}

function signedText({ cluster, events, position, root }: SealLine): string {
  return `${name} ${cluster} ${events} ${position} ${root}`;
}
