import { findResource, groupResourceOf, goQuote, forbiddenPath, forbiddenRequest, resourceKinds, type Failure } from '#libs/kube-api';
import type { RequestInfo, ResourcePath } from '../request-info/request-info';
import { anonymous, type User } from './authenticator';

/** What may be read without credentials: whoever starts the server polls these. */
const open = /^\/(healthz|livez|readyz|version)(\/|$)/;

/** The administrator may do anything, anybody else only look whether the server is well. */
export function authorize(user: User, info: RequestInfo): Failure | undefined {
  if (user !== anonymous || open.test(info.path)) return undefined;
  const { resource } = info;
  if (resource?.verb && isKnownGroup(resource.group)) return resourceForbidden(user, resource);
  return forbiddenPath(`User ${goQuote(user.name)} cannot ${info.method.toLowerCase()} path ${goQuote(info.path)}`);
}

function isKnownGroup(group: string): boolean {
  return resourceKinds.some((kind) => kind.group === group);
}

function resourceForbidden(user: User, path: ResourcePath): Failure {
  const { group, resource, subresource, namespace, name = '', verb } = path;
  const full = subresource ? `${resource}/${subresource}` : resource;
  const scope = namespace === undefined ? 'at the cluster scope' : `in the namespace ${goQuote(namespace)}`;
  const text = `User ${goQuote(user.name)} cannot ${verb} resource ${goQuote(full)} in API group ${goQuote(group)} ${scope}`;
  const kind = findResource(group, path.version, resource);
  return forbiddenRequest(kind?.groupResource ?? groupResourceOf(group, resource), name, text);
}
