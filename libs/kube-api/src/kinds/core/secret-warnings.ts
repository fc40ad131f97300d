import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import type { KubeObject } from '#libs/kernel';
import { pemBlocks, type PemBlock } from '../certificates/pem';

/** What a Secret of TLS lacks to be used as such, in the words of Go's `tls.X509KeyPair`. */
export function warnAboutSecret({ type, data }: KubeObject, warnings: string[]): void {
  if (type !== 'kubernetes.io/tls') return;
  const text = (key: string): string => Buffer.from((data as Record<string, string> | undefined)?.[key] ?? '', 'base64').toString('latin1');
  const found = problemOf(pemBlocks(text('tls.crt')), pemBlocks(text('tls.key')));
  if (found !== undefined) warnings.push(found);
}

const isKey = ({ label }: PemBlock): boolean => label === 'PRIVATE KEY' || label.endsWith(' PRIVATE KEY');

function problemOf(certificates: readonly PemBlock[], keys: readonly PemBlock[]): string | undefined {
  const certificate = certificates.find(({ label }) => label === 'CERTIFICATE');
  if (!certificate) return withoutCertificate(certificates);
  const key = keys.find(isKey);
  if (!key) return withoutKey(keys);
  let subject: KeyObject;
  try {
    subject = new X509Certificate(certificate.bytes).publicKey;
  } catch {
    return 'x509: malformed certificate';
  }
  const own = privateKey(key.bytes);
  if (!own) return 'tls: failed to parse private key';
  if (own.asymmetricKeyType !== subject.asymmetricKeyType) return 'tls: private key type does not match public key type';
  return new X509Certificate(certificate.bytes).checkPrivateKey(own) ? undefined : 'tls: private key does not match public key';
}

function withoutCertificate(blocks: readonly PemBlock[]): string {
  const [first] = blocks;
  if (!first) return 'tls: failed to find any PEM data in certificate input';
  if (blocks.length === 1 && first.label.endsWith('PRIVATE KEY'))
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: ${listed(blocks)}`;
}

function withoutKey(blocks: readonly PemBlock[]): string {
  const [first] = blocks;
  if (!first) return 'tls: failed to find any PEM data in key input';
  if (blocks.length === 1 && first.label === 'CERTIFICATE')
    return 'tls: found a certificate rather than a key in the PEM for the private key';
  const wanted = 'PEM block with type ending in "PRIVATE KEY" in key input';
  return `tls: failed to find ${wanted} after skipping PEM blocks of the following types: ${listed(blocks)}`;
}

const listed = (blocks: readonly PemBlock[]): string => `[${blocks.map(({ label }) => label).join(' ')}]`;

/** The forms are tried in turn, whatever the block calls itself. */
function privateKey(key: Buffer): KeyObject | undefined {
  for (const type of ['pkcs1', 'pkcs8', 'sec1'] as const) {
    try {
      return createPrivateKey({ key, format: 'der', type });
    } catch {
      // The next form may fit.
    }
  }
  return undefined;
}
