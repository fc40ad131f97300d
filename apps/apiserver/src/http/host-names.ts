import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/**
 * Whether a request may name this server so. Addresses and `localhost` always: nobody can make a page of theirs be loaded from
 * those. Other names only as the server's certificate has them: any other was made by somebody to lead here (DNS rebinding).
 */
export class HostNames {
  readonly names: ReadonlySet<string>;

  /** `certificate`: PEM. */
  constructor(certificate: string) {
    const alternatives = new X509Certificate(certificate).subjectAltName ?? '';
    const names = alternatives.split(', ').filter((name) => name.startsWith('DNS:'));
    this.names = new Set(['localhost', ...names.map((name) => name.slice('DNS:'.length).toLowerCase())]);
  }

  /** `authority`: a Host header or `:authority`. */
  has(authority: string): boolean {
    const host = hostOf(authority);
    return host !== undefined && (isIP(host) !== 0 || this.names.has(host.toLowerCase()));
  }
}

/** Without port and brackets; undefined for what is no host. */
function hostOf(authority: string): string | undefined {
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::\d{1,5})?$/.exec(authority);
  if (!match) return undefined;
  // A zone (`fe80::1%eth0`) says which way to go, not where to.
  return (match[1] ?? match[2])?.split('%')[0];
}
