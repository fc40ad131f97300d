import { createHash, timingSafeEqual } from 'node:crypto';

export interface User {
  name: string;
  groups: readonly string[];
}

export const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
export const administrator: User = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

/** Tells users by their bearer token. */
export class Authenticator {
  private readonly digest: Buffer;

  constructor(token: string) {
    this.digest = digestOf(token);
  }

  /** No credentials, or of a kind that is not looked at: anonymous. A wrong token: undefined, which is a 401. */
  authenticate(authorization: string | undefined): User | undefined {
    const [scheme, token] = (authorization ?? '').trim().split(' ', 3);
    if (scheme?.toLowerCase() !== 'bearer' || !token) return anonymous;
    return timingSafeEqual(digestOf(token), this.digest) ? administrator : undefined;
  }
}

/** Of equal length for any token, so that comparing takes the same time whatever it is. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
