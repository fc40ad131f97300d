import { createHash, randomBytes, sign, type KeyObject } from 'node:crypto';
import { bits, explicit, integer, octets, oid, sequence, set, time, utf8, yes, type Der } from './der';

/** What a certificate says (RFC 5280), its names and keys in DER. */
export interface CertificateBody {
  issuer: Der;
  subject: Der;
  /** SPKI. */
  publicKey: Der;
  /** Ms since the epoch. */
  notBefore: number;
  notAfter: number;
  extensions: readonly Der[];
}

const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'));

/** @param key of the issuer, on P-256 */
export function signedCertificate(contents: CertificateBody, key: KeyObject): Der {
  const { issuer, subject, publicKey, notBefore, notAfter, extensions } = contents;
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))),
    // Positive, and not zero: the first byte is fixed.
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ecdsaWithSha256,
    issuer,
    sequence(time(new Date(notBefore)), time(new Date(notAfter))),
    subject,
    publicKey,
    explicit(3, sequence(...extensions)),
  );
  return sequence(body, ecdsaWithSha256, bits(sign('sha256', body, key)));
}

export function extension(id: string, value: Der, critical?: 'critical'): Der {
  return sequence(oid(id), ...(critical ? [yes()] : []), octets(value));
}

/** A name that is a common name alone. */
export function nameOf(commonName: string): Der {
  return sequence(set(sequence(oid('2.5.4.3'), utf8(commonName))));
}

export function spkiOf(key: KeyObject): Der {
  return key.export({ type: 'spki', format: 'der' });
}

/** SHA-1 of the key's bits: the last 65 bytes of what `spki` shows for a point of P-256. */
export function keyId(key: KeyObject): Buffer {
  return createHash('sha1').update(spkiOf(key).subarray(-65)).digest();
}
