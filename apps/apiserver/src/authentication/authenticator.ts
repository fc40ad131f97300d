import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { asksForWebSocket } from '../http/websocket/handshake';
import { takeProtocolToken } from './protocol-token';

export interface User {
  name: string;
  uid?: string;
  groups: readonly string[];
}

export const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
export const administrator: User = { name: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] };

/** Tells users by their bearer token. */
export class Authenticator {
  private readonly token: Buffer;

  constructor(token: string) {
    this.token = Buffer.from(token, 'utf8');
  }

  /** By the header for it, or by what a WebSocket has in its place. Undefined is a 401. */
  authenticateRequest(headers: IncomingHttpHeaders): User | undefined {
    const token = headers.authorization === undefined && asksForWebSocket(headers) ? takeProtocolToken(headers) : undefined;
    if (token === null) return undefined;
    return this.authenticate(token === undefined ? headers.authorization : `Bearer ${token}`);
  }

  /** No credentials, or of a kind that is not looked at: anonymous. A wrong token: undefined, which is a 401. */
  authenticate(authorization: string | undefined): User | undefined {
    const [scheme, token] = (authorization ?? '').trim().split(' ', 3);
    if (scheme?.toLowerCase() !== 'bearer' || !token) return anonymous;
    return this.isToken(token) ? administrator : undefined;
  }

  /** Takes the same time for every text of the token's length, which is no secret. */
  private isToken(text: string): boolean {
    const bytes = Buffer.from(text, 'utf8');
    return bytes.length === this.token.length && timingSafeEqual(bytes, this.token);
  }
}
