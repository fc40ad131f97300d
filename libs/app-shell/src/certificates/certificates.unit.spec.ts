import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createCertificates } from './certificates';

const now = Date.parse('2044-06-01T12:00:00Z');
const hosts = ['localhost', 'kubernetes.default.svc', '127.0.0.1', '::1', '2001:db8::17:0:5'];

describe('createCertificates', () => {
  it('makes a CA that has signed itself and the serving certificate', async () => {
    const made = await createCertificates({ hosts, now });
    const ca = new X509Certificate(made.ca);
    const certificate = new X509Certificate(made.certificate);
    expect(ca.ca).toBe(true);
    expect(ca.verify(ca.publicKey)).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(certificate.checkIssued(ca)).toBe(true);
    expect(certificate.verify(ca.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(made.privateKey))).toBe(true);
    expect([ca.subject, certificate.subject, certificate.issuer]).toEqual(['CN=kubereel-ca', 'CN=kube-apiserver', 'CN=kubereel-ca']);
  });

  it('is for the hosts named, and no other', async () => {
    const certificate = new X509Certificate((await createCertificates({ hosts, now })).certificate);
    expect(certificate.subjectAltName).toBe(
      'DNS:localhost, DNS:kubernetes.default.svc, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:2001:DB8:0:0:0:17:0:5',
    );
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkHost('example.com')).toBeUndefined();
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  });

  it('holds from a year ago for ten years, beyond 2049 as well', async () => {
    const certificate = new X509Certificate((await createCertificates({ hosts, now })).certificate);
    expect(Date.parse(certificate.validFrom)).toBe(now - 365 * 86_400_000);
    expect(Date.parse(certificate.validTo)).toBe(now + 3_650 * 86_400_000);
  });
});
