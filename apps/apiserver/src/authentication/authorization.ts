import { groupResourceOf, goQuote, forbiddenPath, forbiddenRequest, type Failure, type KindCatalogue } from '#libs/kube-api';
import type { RequestInfo, ResourcePath } from '../request-info/request-info';
import { anonymous, type User } from './authenticator';

/** What may be read without credentials: whoever starts the server polls these. */
const open = /^\/(healthz|livez|readyz|version)(\/|$)/;

/** The administrator may do anything, anybody else only look whether the server is well. */
export function authorize(user: User, info: RequestInfo, kinds: KindCatalogue): Failure | undefined {
  if (user !== anonymous || open.test(info.path)) return undefined;
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
