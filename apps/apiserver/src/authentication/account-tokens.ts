import { goQuote } from '#libs/kube-api';
import {
  accountUserName,
  isSignedBy,
  ownerOfSecretToken,
  ownerOfToken,
  readJwt,
  secretTokenIssuer,
  signJwt,
  tokenClaims,
  type FindObject,
  type SigningKey,
  type TokenContents,
  type TokenOwner,
  type VerificationKey,
} from '#libs/kube-api/tokens';
import { authenticatedGroup, credentialIdExtra, type User } from './user';

export const defaultIssuer = 'https://kubernetes.default.svc.cluster.local';

/** Where the keys come from; they may have to be made first. */
export interface TokenKeys {
  signingKey(): Promise<SigningKey>;
  verificationKeys(): Promise<readonly VerificationKey[]>;
}

export interface AccountTokenSettings {
  issuer?: string;
  audiences?: readonly string[];
}

/** Whose a token is, and for which of the audiences asked for; or why it is nobody's. */
export type Verdict = { user: User; audiences: readonly string[] } | { error: string };

interface CachedVerdict {
  verdict: Verdict;
  /** Cluster time until which it holds, ms. */
  until: number;
}

/** What was once found of a token holds for so long, ms, as upstream's does: a token ends so much after what it is bound to. */
const cachedMs = 10_000;
const cachedMax = 4_096;

/** Tokens of service accounts: issues them, and tells whose they are. */
export class AccountTokens {
  readonly issuer: string;
  /** What tokens name who are for the API server. */
  readonly audiences: readonly string[];
  private cache = new Map<string, CachedVerdict>();

  constructor(
    private readonly keys: TokenKeys,
    private readonly find: FindObject,
    private readonly now: () => number,
    { issuer = defaultIssuer, audiences = [issuer] }: AccountTokenSettings = {},
  ) {
    this.issuer = issuer;
    this.audiences = audiences;
  }

  async issue(contents: Omit<TokenContents, 'issuer'>): Promise<string> {
    return signJwt(tokenClaims({ ...contents, issuer: this.issuer }), await this.keys.signingKey());
  }

  verificationKeys(): Promise<readonly VerificationKey[]> {
    return this.keys.verificationKeys();
  }

  /**
   * Whose the token is. What was found a moment ago is told at once.
   * @param audiences those asked for, in their order; the API server's own unless somebody asks for others
   * @returns undefined: it is no token of any service account
   */
  authenticate(token: string, audiences = this.audiences): Verdict | undefined | Promise<Verdict | undefined> {
    const key = audiences === this.audiences ? token : `${token} ${JSON.stringify(audiences)}`;
    const known = this.cache.get(key);
    if (known && this.now() < known.until) return known.verdict;
    return this.judge(token, audiences).then((verdict) => {
      if (verdict && 'user' in verdict) this.remember(key, verdict);
      return verdict;
    });
  }

  private remember(key: string, verdict: Verdict): void {
    if (this.cache.size >= cachedMax) this.cache = new Map();
    this.cache.set(key, { verdict, until: this.now() + cachedMs });
  }

  private async judge(token: string, wanted: readonly string[]): Promise<Verdict | undefined> {
    const jwt = readJwt(token);
    const issuer = jwt?.claims.iss;
    if (!jwt || (issuer !== this.issuer && issuer !== secretTokenIssuer)) return undefined;
    const { kid } = jwt.header;
    const all = await this.keys.verificationKeys();
    const keys = typeof kid === 'string' && kid !== '' ? all.filter(({ id }) => id === kid) : all;
    if (keys.length === 0) return { error: 'invalid signature, no keys found' };
    if (!keys.some((key) => isSignedBy(jwt, key))) return { error: 'go-jose/go-jose: error in cryptographic primitive' };
    const named = audiencesOf(jwt.claims.aud);
    const own = named.length > 0 ? named : this.audiences;
    const audiences = wanted.filter((audience) => own.includes(audience));
    if (audiences.length === 0) return { error: `token audiences ${goList(own)} is invalid for the target audiences ${goList(wanted)}` };
    const owner =
      issuer === secretTokenIssuer ? ownerOfSecretToken(token, jwt.claims, this.find) : ownerOfToken(jwt.claims, this.find, this.now());
    return typeof owner === 'string' ? { error: owner } : { user: userOf(owner), audiences };
  }
}

function userOf({ namespace, name, uid, tokenId, pod, node }: TokenOwner): User {
  const extra = {
    ...(tokenId === undefined ? {} : { [credentialIdExtra]: [`JTI=${tokenId}`] }),
    ...(node ? { 'authentication.kubernetes.io/node-name': [node.name] } : {}),
    ...(node?.uid ? { 'authentication.kubernetes.io/node-uid': [node.uid] } : {}),
    ...(pod ? { 'authentication.kubernetes.io/pod-name': [pod.name], 'authentication.kubernetes.io/pod-uid': [pod.uid] } : {}),
  };
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, authenticatedGroup];
  return { name: accountUserName(namespace, name), uid, groups, ...(Object.keys(extra).length > 0 ? { extra } : {}) };
}

/** One text, or a list of them. */
function audiencesOf(claim: unknown): string[] {
  const given = Array.isArray(claim) ? claim : [claim];
  return given.filter((audience) => typeof audience === 'string');
}

/** A list of texts as Go's `%q` writes it. */
function goList(texts: readonly string[]): string {
  return `[${texts.map(goQuote).join(' ')}]`;
}
