import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { DerError, itemsOf, oidText, readDer, tags, type DerValue } from './der';
import { pemBlocks } from './pem';

/** A certificate request (PKCS #10, RFC 2986) of which the signature holds. */
export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** The whole name, in DER. */
  readonly subject: Buffer;
  /** The key that the certificate is to be of, SPKI in DER. */
  readonly publicKey: Buffer;
  readonly alternativeNames: AlternativeNames;
}

/** How many other names of each kind are asked for, and all of them in DER (`SubjectAltName`); without DER: none. */
export interface AlternativeNames {
  readonly dns: number;
  readonly email: number;
  readonly ip: number;
  readonly uri: number;
  readonly whole?: Buffer;
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
const extensionRequest = '1.2.840.113549.1.9.14';
const subjectAltName = '2.5.29.17';

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
  const [, subject, publicKey, attributes] = itemsOf(signed);
  const [name] = itemsOf(algorithm);
  if (!subject || !publicKey || !name) throw new DerError('asn1: syntax error: sequence truncated');
  const key = keyOf(publicKey);
  const known = algorithms[oidText(name)];
  if (!known || !key) return unknownAlgorithm;
  // The first byte of a bit string counts the bits that are not used.
  if (!isSignedBy(key, known, signed.whole, signature.contents.subarray(1))) return known.failure;
  return {
    commonName: namesOf(subject, commonName).at(-1) ?? '',
    organizations: namesOf(subject, organization),
    subject: subject.whole,
    publicKey: publicKey.whole,
    alternativeNames: alternativeNamesOf(attributes),
  };
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

const noNames: AlternativeNames = { dns: 0, email: 0, ip: 0, uri: 0 };
/** Tags of the kinds of names (RFC 5280, 4.2.1.6). */
const nameTags = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const;

/** Extensions are asked for in an attribute of the request: a type, and a set of one sequence of them. */
function alternativeNamesOf(attributes: DerValue | undefined): AlternativeNames {
  if (!attributes) return noNames;
  for (const attribute of itemsOf(attributes, attributes.tag)) {
    const [type, values] = itemsOf(attribute);
    if (!type || !values || oidText(type) !== extensionRequest) continue;
    const [extensions] = itemsOf(values, tags.set);
    for (const extension of extensions ? itemsOf(extensions) : []) {
      const parts = itemsOf(extension);
      const value = parts.at(-1);
      if (parts[0] && value && oidText(parts[0]) === subjectAltName) return countedNames(readDer(value.contents));
    }
  }
  return noNames;
}

function countedNames(names: DerValue): AlternativeNames {
  const found = itemsOf(names).map(({ tag }) => tag);
  const count = (wanted: number): number => found.filter((tag) => tag === wanted).length;
  return {
    dns: count(nameTags.dns),
    email: count(nameTags.email),
    ip: count(nameTags.ip),
    uri: count(nameTags.uri),
    whole: names.whole,
  };
}
