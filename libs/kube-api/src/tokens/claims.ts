import type { JsonObject, KubeObject } from '#libs/kernel';

/** What a token is bound to: it is worth nothing once that is gone. */
export interface Binding {
  readonly kind: 'Pod' | 'Secret' | 'Node';
  readonly object: KubeObject;
  /** Of a bound pod: the node that it is on, without uid where there is no such Node. */
  readonly node?: { name: string; uid?: string };
}

export interface TokenContents {
  readonly issuer: string;
  readonly account: KubeObject;
  readonly audiences: readonly string[];
  readonly binding?: Binding;
  /** The token's own id, a UUID. */
  readonly id: string;
  /** Cluster time, ms since the epoch. */
  readonly now: number;
  readonly expirationSeconds: number;
  /** Seconds from now after which whoever still uses the token is to be told of; absent: it just ends. */
  readonly warnAfterSeconds?: number;
}

/** `system:serviceaccount:NAMESPACE:NAME` */
export function accountUserName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** The claims of a token of a service account, in the order of upstream's (`pkg/serviceaccount/claims.go`). Times are whole seconds. */
export function tokenClaims(contents: TokenContents): JsonObject {
  const { issuer, account, audiences, binding, id, expirationSeconds, warnAfterSeconds } = contents;
  const { namespace = '', name } = account.metadata;
  const now = Math.floor(contents.now / 1_000);
  return {
    aud: [...audiences],
    exp: now + expirationSeconds,
    iat: now,
    iss: issuer,
    jti: id,
    'kubernetes.io': {
      namespace,
      ...boundNode(binding),
      ...bound(binding, 'Pod'),
      ...bound(binding, 'Secret'),
      serviceaccount: referenceTo(account),
      ...(warnAfterSeconds === undefined ? {} : { warnafter: now + warnAfterSeconds }),
    },
    nbf: now,
    sub: accountUserName(namespace, name),
  };
}

function bound(binding: Binding | undefined, kind: 'Pod' | 'Secret'): JsonObject {
  return binding?.kind === kind ? { [kind.toLowerCase()]: referenceTo(binding.object) } : {};
}

function boundNode(binding: Binding | undefined): JsonObject {
  if (binding?.kind === 'Node') return { node: referenceTo(binding.object) };
  return binding?.node ? { node: { ...binding.node } } : {};
}

function referenceTo({ metadata: { name, uid } }: KubeObject): JsonObject {
  return { name, uid };
}

/** Who issues the tokens in Secrets, which never end. */
export const secretTokenIssuer = 'kubernetes/serviceaccount';

export const secretClaim = {
  namespace: 'kubernetes.io/serviceaccount/namespace',
  secret: 'kubernetes.io/serviceaccount/secret.name',
  account: 'kubernetes.io/serviceaccount/service-account.name',
  accountUid: 'kubernetes.io/serviceaccount/service-account.uid',
} as const;

/** The claims of the token in a Secret of type `kubernetes.io/service-account-token`: nothing in them depends on when it is made. */
export function secretTokenClaims({ metadata: account }: KubeObject, secretName: string): JsonObject {
  const namespace = account.namespace ?? '';
  return {
    iss: secretTokenIssuer,
    [secretClaim.namespace]: namespace,
    [secretClaim.secret]: secretName,
    [secretClaim.account]: account.name,
    [secretClaim.accountUid]: account.uid,
    sub: accountUserName(namespace, account.name),
  };
}
