import { webcrypto } from 'node:crypto';
import 'reflect-metadata';
import {
  BasicConstraintsExtension,
  cryptoProvider,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  type X509Certificate,
} from '@peculiar/x509';

/** PEM all three. */
export interface TestCertificates {
  ca: string;
  certificate: string;
  key: string;
}

const DAY_MS = 86_400_000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** A CA and a certificate for this machine, valid for a day. */
export async function testCertificates(): Promise<TestCertificates> {
  cryptoProvider.set(webcrypto as unknown as Parameters<typeof cryptoProvider.set>[0]);
  const keyPair = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
  const [caKeys, keys] = await Promise.all([keyPair(), keyPair()]);
  const dates = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS), signingAlgorithm: algorithm };
  const ca: X509Certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=store-test',
    keys: caKeys,
    ...dates,
    extensions: [new BasicConstraintsExtension(true)],
  });
  const certificate = await X509CertificateGenerator.create({
    subject: 'CN=localhost',
    issuer: ca.subject,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    ...dates,
    extensions: [
      new SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
      ]),
    ],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    ca: ca.toString('pem'),
    certificate: certificate.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`,
  };
}
