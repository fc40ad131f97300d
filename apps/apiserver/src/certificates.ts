import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import type * as X509 from '@peculiar/x509';

export interface CertificateOptions {
  /** Names and addresses that the serving certificate is for. */
  hosts: readonly string[];
  /** Ms since the epoch. */
  now: number;
}

/** All PEM. The CA's own key is not kept: nothing else is ever signed with it. */
export interface Certificates {
  ca: string;
  certificate: string;
  privateKey: string;
}

const dayMs = 86_400_000;
/** Valid from a day ago (clocks differ) for ten years. */
const validMs = 3_650 * dayMs;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

type KeyPair = webcrypto.CryptoKeyPair;
type Library = typeof X509;

/** A CA of this cluster alone and a serving certificate signed by it, both on P-256. */
export async function createCertificates({ hosts, now }: CertificateOptions): Promise<Certificates> {
  // Loaded here: only a new cluster needs it.
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto as never);
  const [caKeys, keys] = await Promise.all([generateKeys(), generateKeys()]);
  const validity = { notBefore: new Date(now - dayMs), notAfter: new Date(now + validMs) };
  const ca = await createCa(x509, caKeys, validity);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: 'CN=kube-apiserver',
    issuer: ca.subject,
    ...validity,
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(hosts.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }))),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const privateKey = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { ca: `${ca.toString('pem')}\n`, certificate: `${certificate.toString('pem')}\n`, privateKey: `${privateKey}\n` };
}

async function createCa(x509: Library, keys: KeyPair, validity: { notBefore: Date; notAfter: Date }): Promise<X509.X509Certificate> {
  return x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: 'CN=kubereel-ca',
    ...validity,
    signingAlgorithm: algorithm,
    keys: keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
}

function generateKeys(): Promise<KeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<KeyPair>;
}

/** Positive, and not zero: the first byte is fixed. */
function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(15));
  return `01${Buffer.from(bytes).toString('hex')}`;
}
