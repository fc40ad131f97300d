import { createPublicKey, hash, sign, verify, type KeyObject } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '#libs/kernel';

/** A public key that tokens are checked with, by the name that tokens call it by. */
export interface VerificationKey {
  /** SHA-256 of the key's SPKI, base64url: it names the key and does not tell it. */
  readonly id: string;
  readonly publicKey: KeyObject;
}

export interface SigningKey extends VerificationKey {
  readonly privateKey: KeyObject;
}

/** A token taken apart (RFC 7519, compact form), its signature not looked at. */
export interface Jwt {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  /** What the signature is of. */
  readonly signed: string;
  readonly signature: Buffer;
}

interface Algorithm {
  readonly name: string;
  readonly hash: string;
  /** ECDSA signatures are two numbers side by side here (RFC 7518, 3.4), not the usual DER. */
  readonly isEcdsa?: boolean;
}

const curves: Readonly<Record<string, Algorithm>> = {
  prime256v1: { name: 'ES256', hash: 'sha256', isEcdsa: true },
  secp384r1: { name: 'ES384', hash: 'sha384', isEcdsa: true },
  secp521r1: { name: 'ES512', hash: 'sha512', isEcdsa: true },
};

/** The one algorithm that a key is used with: what a token says of its algorithm chooses nothing. @throws Error for a key of another kind */
function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): Algorithm {
  if (asymmetricKeyType === 'rsa') return { name: 'RS256', hash: 'sha256' };
  const known = asymmetricKeyType === 'ec' ? curves[asymmetricKeyDetails?.namedCurve ?? ''] : undefined;
  if (!known) throw new Error('tokens are signed with RSA, or with ECDSA on P-256, P-384 or P-521');
  return known;
}

export function verificationKeyOf(publicKey: KeyObject): VerificationKey {
  algorithmOf(publicKey);
  return { id: hash('sha256', publicKey.export({ type: 'spki', format: 'der' }), 'base64url'), publicKey };
}

export function signingKeyOf(privateKey: KeyObject): SigningKey {
  return { ...verificationKeyOf(createPublicKey(privateKey)), privateKey };
}

export function signJwt(claims: JsonObject, { id, privateKey }: SigningKey): string {
  const { name, hash: digest, isEcdsa } = algorithmOf(privateKey);
  const signed = `${encoded({ alg: name, kid: id })}.${encoded(claims)}`;
  const key = isEcdsa ? { key: privateKey, dsaEncoding: 'ieee-p1363' as const } : privateKey;
  return `${signed}.${sign(digest, Buffer.from(signed), key).toString('base64url')}`;
}

/** Undefined: the text is no token of three parts. Nothing in it is to be believed before `isSignedBy`. */
export function readJwt(text: string): Jwt | undefined {
  const [head = '', body = '', tail = '', ...more] = text.split('.');
  if (more.length > 0 || tail === '') return undefined;
  const header = decoded(head);
  const claims = decoded(body);
  return header && claims && { header, claims, signed: `${head}.${body}`, signature: Buffer.from(tail, 'base64url') };
}

/** Whether this key signed the token, with the algorithm that belongs to the key. */
export function isSignedBy({ header, signed, signature }: Jwt, { publicKey }: VerificationKey): boolean {
  const { name, hash: digest, isEcdsa } = algorithmOf(publicKey);
  // What a `crit` header asks for is not known here.
  if (header.alg !== name || header.crit !== undefined) return false;
  const key = isEcdsa ? { key: publicKey, dsaEncoding: 'ieee-p1363' as const } : publicKey;
  return verify(digest, Buffer.from(signed), key, signature);
}

/** The key as others get it to check tokens (RFC 7517). */
export function jwkOf({ id, publicKey }: VerificationKey): JsonObject {
  const { kty, ...rest } = publicKey.export({ format: 'jwk' }) as JsonObject;
  return { use: 'sig', kty: kty as Json, kid: id, alg: algorithmOf(publicKey).name, ...rest };
}

function encoded(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decoded(text: string): JsonObject | undefined {
  if (!/^[\w-]+$/.test(text)) return undefined;
  try {
    const value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
