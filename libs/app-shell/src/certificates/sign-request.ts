import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { CertificateRequest } from '#libs/kube-api';
import { bits, implicit, oid, pem, sequence, type Der } from './der';
import { extension, keyId, nameOf, signedCertificate } from './x509';

/** A CA with its key, PEM. */
export interface Authority {
  certificate: string;
  privateKey: string;
}

export interface SigningTerms {
  usages: readonly string[];
  /** As long as is asked for; absent: as long as may be. */
  expirationSeconds?: number;
  /** Real time, ms since the epoch: certificates are looked at by programs that know no other. */
  now: number;
}

/** Longest time of a certificate, and what is had at least, seconds. */
const secondsMax = 365 * 24 * 3_600;
const secondsMin = 600;
/** So long before now a certificate begins, for clocks that are behind, seconds; one for longer than the second ends as much earlier. */
const backdateSeconds = 300;
const shortSeconds = 8 * 3_600;

/** Signs what is asked for (upstream's signers in kube-controller-manager). @returns PEM */
export function signRequest(request: CertificateRequest, { usages, expirationSeconds, now }: SigningTerms, authority: Authority): string {
  const issuer = new X509Certificate(authority.certificate);
  const seconds = Math.min(Math.max(expirationSeconds ?? secondsMax, secondsMin), secondsMax);
  const ends = now + (seconds < shortSeconds ? seconds : seconds - backdateSeconds) * 1_000;
  const { whole } = request.alternativeNames;
  const der = signedCertificate(
    {
      issuer: nameOf('kubereel-ca'),
      subject: request.subject,
      publicKey: request.publicKey,
      notBefore: now - backdateSeconds * 1_000,
      notAfter: Math.min(ends, Date.parse(issuer.validTo)),
      extensions: [
        ...keyUsage(usages),
        ...extendedUsage(usages),
        extension('2.5.29.19', sequence(), 'critical'),
        extension('2.5.29.35', sequence(implicit(0, keyId(issuer.publicKey)))),
        ...(whole ? [extension('2.5.29.17', whole)] : []),
      ],
    },
    createPrivateKey(authority.privateKey),
  );
  return pem('CERTIFICATE', der);
}

/** Places of the bits (RFC 5280, 4.2.1.3). */
const keyUsages: Readonly<Record<string, number>> = {
  signing: 0,
  'digital signature': 0,
  'content commitment': 1,
  'key encipherment': 2,
  'data encipherment': 3,
  'key agreement': 4,
  'cert sign': 5,
  'crl sign': 6,
  'encipher only': 7,
};

function keyUsage(usages: readonly string[]): Der[] {
  let byte = 0;
  for (const usage of usages) {
    const place = keyUsages[usage];
    if (place !== undefined) byte |= 0x80 >> place;
  }
  if (byte === 0) return [];
  const unused = 31 - Math.clz32(byte & -byte);
  return [extension('2.5.29.15', bits(Buffer.from([byte]), unused), 'critical')];
}

const extendedUsages: Readonly<Record<string, string>> = {
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
};

function extendedUsage(usages: readonly string[]): Der[] {
  const found = Object.keys(extendedUsages).filter((usage) => usages.includes(usage));
  return found.length === 0 ? [] : [extension('2.5.29.37', sequence(...found.map((usage) => oid(extendedUsages[usage] as string))))];
}
