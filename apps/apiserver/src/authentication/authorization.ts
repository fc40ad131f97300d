import { groupResourceOf, goQuote, forbiddenPath, forbiddenRequest, type Failure, type KindCatalogue } from '#libs/kube-api';
import type { RequestInfo, ResourcePath } from '../request-info/request-info';
import type { User } from './authenticator';

/** What may be read without credentials: whoever starts the server polls these. */
const open = /^\/(healthz|livez|readyz|version)(\/|$)/;

/** The administrator may do anything, whoever has no credentials only look whether the server is well; nobody else is let in. */
export function isAllowed({ groups }: User, path = ''): boolean {
  return groups.includes('system:masters') || (groups.includes('system:unauthenticated') && open.test(path));
}

/** What nobody may do without being let in. */
export function authorize(user: User, info: RequestInfo, kinds: KindCatalogue): Failure | undefined {
  if (isAllowed(user, info.path)) return undefined;
  const { resource } = info;
  if (resource?.verb && isKnownGroup(kinds, resource.group)) return resourceForbidden(user, resource, kinds);
  return forbiddenPath(`User ${goQuote(user.name)} cannot ${info.method.toLowerCase()} path ${goQuote(info.path)}`);
}

function isKnownGroup(kinds: KindCatalogue, group: string): boolean {
  return kinds.all.some((kind) => kind.group === group);
}

function resourceForbidden(user: User, path: ResourcePath, kinds: KindCatalogue): Failure {
  const { group, resource, subresource, namespace, name = '', verb } = path;
  const full = subresource ? `${resource}/${subresource}` : resource;
  const scope = namespace === undefined ? 'at the cluster scope' : `in the namespace ${goQuote(namespace)}`;
  const text = `User ${goQuote(user.name)} cannot ${verb} resource ${goQuote(full)} in API group ${goQuote(group)} ${scope}`;
  const kind = kinds.findResource(group, path.version, resource);
  return forbiddenRequest(kind?.groupResource ?? groupResourceOf(group, resource), name, text);
}
