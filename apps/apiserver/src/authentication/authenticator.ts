import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { asksForWebSocket } from '../http/websocket/handshake';
import type { AccountTokens, Verdict } from './account-tokens';
import type { ClientCertificates, PeerCertificate } from './client-certificates';
import { takeProtocolToken } from './protocol-token';
import { administrator, anonymous, type User } from './user';

export { administrator, anonymous, type User } from './user';

/** Why a token is nobody's that no authenticator knows anything of. */
const unknownToken = 'invalid bearer token';

/** Tells users by their bearer token, or by the certificate of their connection. */
export class Authenticator {
  private readonly token: Buffer;

  /**
   * @param token the administrator's
   * @param accounts absent: there are no other tokens
   * @param certificates absent: certificates say nothing
   */
  constructor(
    token: string,
    private readonly accounts?: AccountTokens,
    private readonly certificates?: ClientCertificates,
  ) {
    this.token = Buffer.from(token, 'utf8');
  }

  /**
   * By the connection's certificate, else by the header for it, or by what a WebSocket has in its place. Undefined is a 401. Only what
   * has to be looked up takes time.
   * @param peer gives the client's certificate; undefined: it has sent none
   */
  authenticateRequest(
    headers: IncomingHttpHeaders,
    peer?: () => PeerCertificate | undefined,
  ): User | undefined | Promise<User | undefined> {
    const certified = this.certificates && this.certified(this.certificates, peer);
    if (certified?.user) return certified.user;
    const text = headers.authorization === undefined && asksForWebSocket(headers) ? takeProtocolToken(headers) : undefined;
    if (text === null) return undefined;
    const token = text ?? bearerToken(headers.authorization);
    // A certificate that is not to be believed makes nobody anonymous.
    if (token === undefined) return certified ? undefined : anonymous;
    return this.userOf(token);
  }

  private certified(certificates: ClientCertificates, peer?: () => PeerCertificate | undefined): { user: User | undefined } | undefined {
    const shown = peer?.();
    // Certificates are of the machines' time, not of the cluster's.
    return shown && { user: certificates.userOf(shown, Date.now()) };
  }

  /** Whose token it is; undefined: nobody's. */
  userOf(token: string): User | undefined | Promise<User | undefined> {
    if (this.isAdministrators(token)) return administrator;
    const verdict = this.accounts?.authenticate(token);
    return verdict instanceof Promise ? verdict.then(userIn) : userIn(verdict);
  }

  /**
   * What a TokenReview says of a token.
   * @param audiences those asked for; none: the API server's
   */
  async review(token: string, audiences: readonly string[]): Promise<Verdict> {
    const own = this.accounts?.audiences ?? [];
    const wanted = audiences.length > 0 ? audiences : own;
    if (this.isAdministrators(token)) {
      const shared = wanted.filter((audience) => own.includes(audience));
      return shared.length > 0 || wanted.length === 0 ? { user: administrator, audiences: shared } : { error: unknownToken };
    }
    const verdict = await this.accounts?.authenticate(token, audiences.length > 0 ? audiences : undefined);
    if (!verdict) return { error: unknownToken };
    // Two authenticators have looked, and the first knew nothing of it.
    return 'error' in verdict ? { error: `[${unknownToken}, ${verdict.error}]` } : verdict;
  }

  /** Takes the same time for every text of the token's length, which is no secret. */
  private isAdministrators(text: string): boolean {
    const bytes = Buffer.from(text, 'utf8');
    return bytes.length === this.token.length && timingSafeEqual(bytes, this.token);
  }
}

/** Undefined: no credentials, or of a kind that is not looked at. */
function bearerToken(authorization: string | undefined): string | undefined {
  const [scheme, token] = (authorization ?? '').trim().split(' ', 3);
  return scheme?.toLowerCase() === 'bearer' && token ? token : undefined;
}

function userIn(verdict: Verdict | undefined): User | undefined {
  return verdict && 'user' in verdict ? verdict.user : undefined;
}
