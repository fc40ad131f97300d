import {
  forbiddenBy,
  isPathSegmentName,
  isPrivileged,
  parseFieldRequirements,
  type Access,
  type Attributes,
  type Failure,
  type FieldRequirement,
  type User,
} from '#libs/kube-api';
import type { RequestInfo, ResourcePath } from '../request-info/request-info';

/** Who hears of a decision; upstream says nothing else of why the administrator may do what he likes. */
interface Decided {
  authorized(decision: 'allow' | 'forbid', reason: string): void;
}

/** Undefined: he may. The administrator costs nothing: what he asks is not even looked at. */
export function refusedTo(user: User, info: RequestInfo, access: Access, audit?: Decided): Failure | undefined {
  if (isPrivileged(user)) {
    audit?.authorized('allow', '');
    return undefined;
  }
  const asked = [attributesOf(user, info), ...(showsSecrets(info) ? [listOfSecrets(user)] : [])];
  const judged = asked.map((attributes) => ({ attributes, ...access.authorize(attributes) }));
  const { attributes, decision, reason } = (judged.find((one) => one.decision !== 'allow') ?? judged[0]) as (typeof judged)[0];
  audit?.authorized(decision === 'allow' ? 'allow' : 'forbid', reason ?? '');
  return decision === 'allow' ? undefined : forbiddenBy(attributes, reason);
}

/** The log with what Secrets hold is for those who may list them all. */
function showsSecrets({ path, query }: RequestInfo): boolean {
  return path.startsWith('/kubereel/') && query.text('secrets') !== '';
}

function listOfSecrets(user: User): Attributes {
  return { user, verb: 'list', group: '', version: 'v1', resource: 'secrets', subresource: '', namespace: '', name: '' };
}

/** What a request asks for, as authorisers see it (upstream `GetAuthorizerAttributes`). */
export function attributesOf(user: User, info: RequestInfo): Attributes {
  const { resource: path } = info;
  if (!path) return { user, verb: info.method.toLowerCase(), path: info.path };
  const { group, version, resource, subresource = '', verb = '' } = path;
  const fieldSelector = requirementsOf(info);
  const name = path.name ?? nameSelected(verb, fieldSelector);
  const narrowed = fieldSelector ? { fieldSelector } : {};
  return { user, verb, group, version, resource, subresource, namespace: namespaceOf(path), name, ...narrowed };
}

/** A namespace lies in itself. */
function namespaceOf({ namespace, resource, name = '' }: ResourcePath): string {
  return namespace ?? (resource === 'namespaces' ? name : '');
}

/** A list or watch of one name is taken for that name. */
function nameSelected(verb: string, requirements: readonly FieldRequirement[] = []): string {
  if (verb !== 'list' && verb !== 'watch') return '';
  const { value = '' } = requirements.find(({ field, equal }) => equal && field === 'metadata.name') ?? {};
  return isPathSegmentName(value).length === 0 ? value : '';
}

const withSelectors: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

function requirementsOf({ resource, query }: RequestInfo): readonly FieldRequirement[] | undefined {
  const text = withSelectors.has(resource?.verb ?? '') ? query.text('fieldSelector') : '';
  if (text === '') return undefined;
  const parsed = parseFieldRequirements(text);
  return 'error' in parsed || parsed.length === 0 ? undefined : parsed;
}
