import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { DerError, itemsOf, oidText, readDer, tags, type DerValue } from './der';
import { pemBlocks } from './pem';

/** A certificate request (PKCS #10, RFC 2986) of which the signature holds. */
export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

interface Algorithm {
  readonly hash: string | null;
  /** Go's words where the signature does not fit. */
  readonly failure: string;
}

const ecdsa = (hash: string): Algorithm => ({ hash, failure: 'x509: ECDSA verification failure' });
const rsa = (hash: string): Algorithm => ({ hash, failure: 'crypto/rsa: verification error' });
const algorithms: Readonly<Record<string, Algorithm>> = {
  '1.2.840.10045.4.3.2': ecdsa('sha256'),
  '1.2.840.10045.4.3.3': ecdsa('sha384'),
  '1.2.840.10045.4.3.4': ecdsa('sha512'),
  '1.2.840.113549.1.1.11': rsa('sha256'),
  '1.2.840.113549.1.1.12': rsa('sha384'),
  '1.2.840.113549.1.1.13': rsa('sha512'),
  '1.3.101.112': { hash: null, failure: 'x509: Ed25519 verification failure' },
};
const unknownAlgorithm = 'x509: cannot verify signature: algorithm unimplemented';
const organization = '2.5.4.10';
const commonName = '2.5.4.3';

/**
 * The request in the first block of a PEM text.
 * @param encoded base64 of the text, as an object carries it
 * @returns or what is wrong with it
 */
export function readCertificateRequest(encoded: string): CertificateRequest | string {
  const [block] = pemBlocks(Buffer.from(encoded, 'base64').toString('latin1'));
  if (block?.label !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST';
  try {
    const request = readDer(block.bytes);
    if (request.whole.length < block.bytes.length) return 'asn1: syntax error: trailing data';
    return readSigned(request);
  } catch (error) {
    if (error instanceof DerError) return error.message;
    throw error;
  }
}

function readSigned(request: DerValue): CertificateRequest | string {
  const [signed, algorithm, signature] = itemsOf(request);
  if (!signed || !algorithm || !signature) throw new DerError('asn1: syntax error: sequence truncated');
  const [, subject, publicKey] = itemsOf(signed);
  const [name] = itemsOf(algorithm);
  if (!subject || !publicKey || !name) throw new DerError('asn1: syntax error: sequence truncated');
  const key = keyOf(publicKey);
  const known = algorithms[oidText(name)];
  if (!known || !key) return unknownAlgorithm;
  // The first byte of a bit string counts the bits that are not used.
  if (!isSignedBy(key, known, signed.whole, signature.contents.subarray(1))) return known.failure;
  return { commonName: namesOf(subject, commonName).at(-1) ?? '', organizations: namesOf(subject, organization) };
}

function keyOf(publicKey: DerValue): KeyObject | undefined {
  try {
    return createPublicKey({ key: publicKey.whole, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

function isSignedBy(key: KeyObject, { hash }: Algorithm, signed: Buffer, signature: Buffer): boolean {
  try {
    return verify(hash, signed, key, signature);
  } catch {
    return false;
  }
}

/** What `O=` or `CN=` says: a sequence of sets of pairs of type and text. */
function namesOf(subject: DerValue, wanted: string): string[] {
  const pairs = itemsOf(subject)
    .flatMap((set) => itemsOf(set, tags.set))
    .map((pair) => itemsOf(pair));
  return pairs.flatMap(([type, text]) => (type && text && oidText(type) === wanted ? [text.contents.toString('utf8')] : []));
}
