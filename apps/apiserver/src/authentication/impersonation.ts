import {
  forbiddenBy,
  goQuote,
  serviceAccountGroups,
  serviceAccountOf,
  withoutMarkup,
  type Access,
  type Failure,
  type User,
} from '#libs/kube-api';
import { textAnswer, type Answer } from '../http/answer';

/** The headers of a request, one entry for each time that one was sent: names and values in turn, as Node has them. */
export type RawHeaders = readonly string[];

/** One thing that somebody wants to be: a user, a service account, in a group, with a uid, with an extra. */
interface Wish {
  kind: 'User' | 'ServiceAccount' | 'Group' | 'UserExtra' | 'UID';
  name: string;
  namespace?: string;
  /** Key of an extra. */
  key?: string;
}

const prefix = 'impersonate-';
const extraPrefix = 'impersonate-extra-';
const authentication = { group: 'authentication.k8s.io', version: 'v1' };
const core = { group: '', version: 'v1' };

/** Whether a request is to count as somebody else's. */
export function impersonates(headers: object): boolean {
  for (const name in headers) if (name.startsWith(prefix)) return true;
  return false;
}

/**
 * As whom a request is to count, if whoever sends it may be all that he wants to be (upstream `WithImpersonation`). An answer: what was
 * asked is no whole person.
 */
export function impersonated(user: User, headers: RawHeaders, target: string, access: Access): User | Failure | Answer {
  const wishes = wishesOf(headers);
  if (wishes.length === 0) return user;
  if (wishes[0]?.kind !== 'User' && wishes[0]?.kind !== 'ServiceAccount') {
    const text = withoutMarkup(
      `Internal Server Error: ${goQuote(target)}: requested [${wishes.map(goReference).join(' ')}] without impersonating a user`,
    );
    return textAnswer(500, `${text}\n`);
  }
  for (const wish of wishes) {
    const attributes = { user, verb: 'impersonate', ...asked(wish) };
    const { decision, reason } = access.authorize(attributes);
    if (decision !== 'allow') return forbiddenBy(attributes, reason);
  }
  return userOf(wishes);
}

/** Node reads the bytes of a header as Latin-1; names are UTF-8. */
function fromUtf8(value: string): string {
  return Buffer.from(value, 'latin1').toString('utf8');
}

/** In the order in which they are judged: who, groups, extras, uid. */
function wishesOf(headers: RawHeaders): Wish[] {
  let [user, uid] = ['', ''];
  const groups: Wish[] = [];
  const extras: Wish[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = (headers[at] as string).toLowerCase();
    const value = fromUtf8(headers[at + 1] as string);
    if (!name.startsWith(prefix)) continue;
    if (name === 'impersonate-user') user ||= value;
    else if (name === 'impersonate-uid') uid ||= value;
    else if (name === 'impersonate-group') groups.push({ kind: 'Group', name: value });
    else if (name.startsWith(extraPrefix)) extras.push({ kind: 'UserExtra', name: value, key: unescaped(name.slice(extraPrefix.length)) });
  }
  const account = serviceAccountOf(user);
  const first: Wish[] = user === '' ? [] : [account ? { kind: 'ServiceAccount', ...account } : { kind: 'User', name: user }];
  return [...first, ...groups, ...extras, ...(uid === '' ? [] : [{ kind: 'UID', name: uid } as const])];
}

/** Keys of extras may hold characters that no header may. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function asked({ kind, name, namespace = '', key = '' }: Wish) {
  const attributes = { namespace, name, subresource: '' };
  switch (kind) {
    case 'User':
      return { ...attributes, ...core, resource: 'users' };
    case 'ServiceAccount':
      return { ...attributes, ...core, resource: 'serviceaccounts' };
    case 'Group':
      return { ...attributes, ...core, resource: 'groups' };
    case 'UserExtra':
      return { ...attributes, ...authentication, resource: 'userextras', subresource: key };
    case 'UID':
      return { ...attributes, ...authentication, resource: 'uids' };
  }
}

const anonymousName = 'system:anonymous';
const authenticated = 'system:authenticated';
const unauthenticated = 'system:unauthenticated';

function userOf(wishes: readonly Wish[]): User {
  const [{ kind, name, namespace = '' }] = wishes as [Wish];
  const account = kind === 'ServiceAccount';
  const groups = wishes.filter((wish) => wish.kind === 'Group').map((wish) => wish.name);
  if (account && groups.length === 0) groups.push(...serviceAccountGroups(namespace));
  const isAnonymous = !account && name === anonymousName;
  if (isAnonymous ? !groups.includes(unauthenticated) : !groups.some((group) => group === authenticated || group === unauthenticated))
    groups.push(isAnonymous ? unauthenticated : authenticated);
  const uid = wishes.find((wish) => wish.kind === 'UID')?.name;
  return {
    name: account ? `system:serviceaccount:${namespace}:${name}` : name,
    ...(uid === undefined ? {} : { uid }),
    groups,
    ...extrasOf(wishes),
  };
}

function extrasOf(wishes: readonly Wish[]): { extra?: Record<string, string[]> } {
  const extra: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  let isSome = false;
  for (const { kind, key = '', name } of wishes) {
    if (kind !== 'UserExtra') continue;
    (extra[key] ??= []).push(name);
    isSome = true;
  }
  return isSome ? { extra } : {};
}

/** As Go prints an ObjectReference: kind, namespace, name, uid, version of the API, resource version, path. */
function goReference({ kind, name, namespace = '', key = '' }: Wish): string {
  const version = kind === 'UserExtra' || kind === 'UID' ? 'authentication.k8s.io/v1' : '';
  return `{${[kind, namespace, name, '', version, '', key].join(' ')}}`;
}
