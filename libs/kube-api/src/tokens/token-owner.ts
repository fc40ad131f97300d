import { timingSafeEqual } from 'node:crypto';
import { isObject, parseTime, type JsonObject, type KubeObject } from '#libs/kernel';
import { goQuote } from '../status/go-value';
import { accountUserName, secretClaim } from './claims';

/** Finds objects as they are now. */
export type FindObject = (
  resource: 'serviceaccounts' | 'pods' | 'secrets' | 'nodes',
  namespace: string | undefined,
  name: string,
) => KubeObject | undefined;

/** Whose a token is: an account, and what the token is bound to. */
export interface TokenOwner {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly tokenId?: string;
  readonly pod?: Reference;
  readonly node?: Reference;
}

interface Reference {
  readonly name: string;
  readonly uid: string;
}

/** Clocks of different machines may differ by so much, ms. */
const leewayMs = 60_000;
const invalidated = 'service account token has been invalidated';

/**
 * Whose a token is that a known key has signed: is it its time, and are the account and what it is bound to still there
 * (upstream `pkg/serviceaccount/claims.go`).
 * @param now cluster time, ms since the epoch
 * @returns or why it is nobody's, in upstream's words
 */
export function ownerOfToken(claims: JsonObject, find: FindObject, now: number): TokenOwner | string {
  const untimely = wrongTime(claims, now);
  if (untimely) return untimely;
  const own = isObject(claims['kubernetes.io']) ? claims['kubernetes.io'] : {};
  const namespace = textOf(own.namespace);
  const account = referenceIn(own, 'serviceaccount') ?? { name: '', uid: '' };
  const isGone = ({ metadata }: KubeObject): boolean => deletedBefore(metadata, now - leewayMs);
  const found = find('serviceaccounts', namespace, account.name);
  if (!found) return `serviceaccounts ${goQuote(account.name)} not found`;
  if (found.metadata.uid !== account.uid) return `service account UID (${found.metadata.uid}) does not match claim (${account.uid})`;
  if (isGone(found)) return `service account ${namespace}/${account.name} has been deleted`;
  const secret = referenceIn(own, 'secret');
  const pod = referenceIn(own, 'pod');
  const node = referenceIn(own, 'node');
  const bindings = [
    { bound: secret, of: () => find('secrets', namespace, secret?.name ?? ''), called: 'secret' },
    { bound: pod, of: () => find('pods', namespace, pod?.name ?? ''), called: 'pod' },
    // The node of a bound pod is told and not asked for.
    { bound: pod ? undefined : node, of: () => find('nodes', undefined, node?.name ?? ''), called: 'node' },
  ];
  for (const { bound, of, called } of bindings) {
    if (!bound) continue;
    const object = of();
    if (!object) return invalidated;
    const { uid } = object.metadata;
    if (uid !== bound.uid) return `${called} UID (${uid}) does not match service account ${called} ref claim (${bound.uid})`;
    if (isGone(object)) return invalidated;
  }
  const tokenId = textOf(claims.jti);
  return { namespace, ...account, ...(tokenId === '' ? {} : { tokenId }), ...(pod ? { pod } : {}), ...(node ? { node } : {}) };
}

/**
 * Whose the token in a Secret is (upstream `pkg/serviceaccount/legacy.go`).
 * @param token the text itself: it has to be the one that the Secret holds
 */
export function ownerOfSecretToken(token: string, claims: JsonObject, find: FindObject): TokenOwner | string {
  const subject = textOf(claims.sub);
  if (subject === '') return 'sub claim is missing';
  const [namespace, secretName, name, uid] = [secretClaim.namespace, secretClaim.secret, secretClaim.account, secretClaim.accountUid].map(
    (claim) => textOf(claims[claim]),
  ) as [string, string, string, string];
  if (namespace === '') return 'namespace claim is missing';
  if (secretName === '') return 'secretName claim is missing';
  if (name === '') return 'serviceAccountName claim is missing';
  if (uid === '') return 'serviceAccountUID claim is missing';
  if (subject !== accountUserName(namespace, name)) return 'sub claim is invalid';
  const secret = find('secrets', namespace, secretName);
  if (!secret || secret.metadata.deletionTimestamp) return 'Token has been invalidated';
  if (!holds(secret, token)) return "Token does not match server's copy";
  const account = find('serviceaccounts', namespace, name);
  if (!account) return `serviceaccounts ${goQuote(name)} not found`;
  if (account.metadata.deletionTimestamp) return `ServiceAccount ${namespace}/${name} has been deleted`;
  if (account.metadata.uid !== uid) return `ServiceAccount UID (${account.metadata.uid}) does not match claim (${uid})`;
  if (secret.metadata.labels?.[invalidSince]) return markedInvalid(namespace, secretName, name);
  return { namespace, name, uid };
}

const invalidSince = 'kubernetes.io/legacy-token-invalid-since';

function markedInvalid(namespace: string, secret: string, account: string): string {
  const marked = `the token in secret ${namespace}/${secret} for service account ${namespace}/${account} has been marked invalid`;
  const instead = 'Use tokens from the TokenRequest API or manually created secret-based tokens';
  return `${marked}. ${instead}, or remove the '${invalidSince}' label from the secret to temporarily allow use of this token`;
}

function holds(secret: KubeObject, token: string): boolean {
  const held = Buffer.from((secret.data as { token?: string } | undefined)?.token ?? '', 'base64');
  const given = Buffer.from(token);
  return held.length === given.length && timingSafeEqual(held, given);
}

/** In the order in which upstream's library looks. */
function wrongTime({ nbf, exp, iat }: JsonObject, now: number): string | undefined {
  if (typeof nbf === 'number' && now + leewayMs < nbf * 1_000) return 'service account token is not valid yet';
  if (typeof exp === 'number' && now - leewayMs > exp * 1_000) return 'service account token has expired';
  if (typeof iat === 'number' && now + leewayMs < iat * 1_000) return 'service account token is issued in the future';
  return undefined;
}

function deletedBefore({ deletionTimestamp }: KubeObject['metadata'], time: number): boolean {
  return typeof deletionTimestamp === 'string' && (parseTime(deletionTimestamp) ?? 0) < time;
}

function referenceIn(claims: JsonObject, key: string): Reference | undefined {
  const value = claims[key];
  return isObject(value) ? { name: textOf(value.name), uid: textOf(value.uid) } : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
