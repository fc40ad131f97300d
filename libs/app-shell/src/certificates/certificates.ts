import { generateKeyPair, type KeyObject } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { promisify } from 'node:util';
import { bits, implicit, octets, oid, pem, sequence, yes, type Der } from './der';
import { extension, keyId, nameOf, signedCertificate, spkiOf } from './x509';

export interface CertificateOptions {
  /** Names and addresses that the serving certificate is for. */
  hosts: readonly string[];
  /** Ms since the epoch. */
  now: number;
}

/** A certificate with its key, and the CA that vouches for it; all PEM. */
export interface Issued {
  ca: string;
  certificate: string;
  privateKey: string;
}

export interface Certificates extends Issued {
  /** Signs what CertificateSigningRequests ask for. */
  caPrivateKey: string;
}

const dayMs = 86_400_000;
/** Valid from a year ago, since a clock that is wrong when a cluster is made may be right a moment later, for ten years. */
const validBeforeMs = 365 * dayMs;
const validMs = 3_650 * dayMs;

interface KeyPair {
  publicKey: KeyObject;
  privateKey: KeyObject;
}

interface ToSign {
  issuer?: string;
  subject: string;
  publicKey: KeyObject;
  issuerKeys: KeyPair;
  now: number;
  extensions: readonly Der[];
}

/**
 * A CA of this cluster alone and a serving certificate signed by it, both on P-256 (RFC 5280). Written out here because libraries
 * for it cost every new cluster 150 ms of loading.
 */
export async function createCertificates({ hosts, now }: CertificateOptions): Promise<Certificates> {
  const { issued, caKeys } = await issue({
    subject: 'kube-apiserver',
    now,
    extensions: [
      // digitalSignature, keyEncipherment
      extension('2.5.29.15', bits(Buffer.from([0xa0]), 5), 'critical'),
      // serverAuth
      extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1'))),
      extension('2.5.29.17', sequence(...hosts.map(alternativeName))),
    ],
  });
  return { ...issued, caPrivateKey: textOf(caKeys.privateKey) };
}

/** A CA alone, PEM. @param now ms since the epoch */
export async function createAuthority(now: number): Promise<{ certificate: string; privateKey: string }> {
  const keys = await generateKeys();
  return { certificate: pem('CERTIFICATE', authorityOf(keys, now)), privateKey: textOf(keys.privateKey) };
}

/**
 * A front-proxy client certificate. Its CA signs nothing else: its key is not kept, so nobody with another certificate of the cluster can
 * say in whose name he asks. @param now ms since the epoch
 */
export async function createFrontProxy(now: number): Promise<Issued> {
  const { issued } = await issue({
    issuer: 'kubereel-front-proxy-ca',
    subject: 'front-proxy-client',
    now,
    extensions: [
      // digitalSignature
      extension('2.5.29.15', bits(Buffer.from([0x80]), 7), 'critical'),
      // clientAuth
      extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.2'))),
    ],
  });
  return issued;
}

/** A new CA and a certificate that it has signed. `extensions` tell what that one is for. */
async function issue(asked: Omit<ToSign, 'publicKey' | 'issuerKeys'>): Promise<{ issued: Issued; caKeys: KeyPair }> {
  const [caKeys, keys] = await Promise.all([generateKeys(), generateKeys()]);
  const certificate = signed({
    ...asked,
    publicKey: keys.publicKey,
    issuerKeys: caKeys,
    extensions: [
      extension('2.5.29.19', sequence(), 'critical'),
      ...asked.extensions,
      extension('2.5.29.14', octets(keyId(keys.publicKey))),
      extension('2.5.29.35', sequence(implicit(0, keyId(caKeys.publicKey)))),
    ],
  });
  const ca = authorityOf(caKeys, asked.now, asked.issuer);
  return {
    issued: { ca: pem('CERTIFICATE', ca), certificate: pem('CERTIFICATE', certificate), privateKey: textOf(keys.privateKey) },
    caKeys,
  };
}

const issuer = 'kubereel-ca';

function authorityOf(keys: KeyPair, now: number, name = issuer): Der {
  return signed({
    issuer: name,
    subject: name,
    publicKey: keys.publicKey,
    issuerKeys: keys,
    now,
    extensions: [
      extension('2.5.29.19', sequence(yes()), 'critical'),
      // digitalSignature, keyCertSign, cRLSign
      extension('2.5.29.15', bits(Buffer.from([0x86]), 1), 'critical'),
      extension('2.5.29.14', octets(keyId(keys.publicKey))),
    ],
  });
}

function textOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string;
}

function signed({ issuer: by = issuer, subject, publicKey, issuerKeys, now, extensions }: ToSign): Der {
  const contents = {
    issuer: nameOf(by),
    subject: nameOf(subject),
    publicKey: spkiOf(publicKey),
    notBefore: now - validBeforeMs,
    notAfter: now + validMs,
    extensions,
  };
  return signedCertificate(contents, issuerKeys.privateKey);
}

function alternativeName(host: string): Der {
  if (isIPv4(host)) return implicit(7, Buffer.from(host.split('.').map(Number)));
  // No name has colons. Node's own test costs a start 3 ms: its expression for these addresses is large.
  if (host.includes(':')) return implicit(7, bytesOfIpv6(host));
  return implicit(2, Buffer.from(host));
}

function bytesOfIpv6(address: string): Buffer {
  const [head = '', tail] = address
    .split('::')
    .map((part) => part.split(':').filter(Boolean))
    .map((groups) => groups.map((group) => group.padStart(4, '0')).join(''));
  return Buffer.from(tail === undefined ? head : head.padEnd(32 - tail.length, '0') + tail, 'hex');
}

const generate = promisify(generateKeyPair);

function generateKeys(): Promise<KeyPair> {
  return generate('ec', { namedCurve: 'P-256' });
}
