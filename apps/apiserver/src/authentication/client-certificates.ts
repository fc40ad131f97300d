import { hash, X509Certificate } from 'node:crypto';
import { authenticatedGroup, credentialIdExtra, type User } from './user';

/** What a connection shows of its client's certificate. */
export interface PeerCertificate {
  readonly certificate: X509Certificate;
  /** Those that the client sent along, to lead from its own to the authority. */
  readonly chain: readonly X509Certificate[];
}

const clientAuth = '1.3.6.1.5.5.7.3.2';
const anyUsage = '2.5.29.37.0';
const chainMax = 5;

/** Tells users by their certificates: the common name is the user, each organisation a group. */
export class ClientCertificates {
  private readonly authorities: readonly X509Certificate[];
  /** A connection shows its certificate with each of its requests. */
  private readonly known = new WeakMap<X509Certificate, { user: User | undefined }>();

  /** @param authorities PEM of those whose signature counts */
  constructor(authorities: string) {
    const blocks = authorities.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
    this.authorities = blocks.map((block) => new X509Certificate(block));
  }

  /**
   * @param now real time, ms: certificates are not of the cluster's time, but of the connection's
   * @returns undefined: the certificate is not to be believed, or names nobody's
   */
  userOf(peer: PeerCertificate, now: number): User | undefined {
    const { certificate } = peer;
    if (!isInTime(certificate, now)) return undefined;
    let found = this.known.get(certificate);
    if (!found) {
      found = { user: this.isTrusted(peer, now) ? subjectOf(certificate) : undefined };
      this.known.set(certificate, found);
    }
    return found.user;
  }

  private isTrusted({ certificate, chain }: PeerCertificate, now: number): boolean {
    const usages = certificate.keyUsage as string[] | undefined;
    // Without a word on its use a certificate is for any.
    if (usages && !usages.includes(clientAuth) && !usages.includes(anyUsage)) return false;
    let last = certificate;
    for (let length = 0; length < chainMax; length++) {
      if (this.authorities.some((authority) => isFrom(last, authority, now))) return true;
      const next = chain.find((other) => other.ca && isFrom(last, other, now));
      if (!next) return false;
      last = next;
    }
    return false;
  }
}

/** A certificate that is itself among the authorities stands for itself. */
function isFrom(certificate: X509Certificate, authority: X509Certificate, now: number): boolean {
  if (!isInTime(authority, now)) return false;
  if (certificate.fingerprint256 === authority.fingerprint256) return true;
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

function isInTime({ validFrom, validTo }: X509Certificate, now: number): boolean {
  return Date.parse(validFrom) <= now && now <= Date.parse(validTo);
}

function subjectOf(certificate: X509Certificate): User | undefined {
  const { CN, O = [] } = certificate.toLegacyObject().subject as { CN?: string | string[]; O?: string | string[] };
  const name = [CN ?? []].flat().at(-1);
  if (!name) return undefined;
  const id = `X509SHA256=${hash('sha256', certificate.raw, 'hex')}`;
  return { name, groups: [...[O].flat(), authenticatedGroup], extra: { [credentialIdExtra]: [id] } };
}
