import type { JsonObject } from '#libs/kernel';
import type { ResourceKind } from '../kinds';
import { resourceOf, type Attributes } from './attributes';

/**
 * `admission.k8s.io/v1 AdmissionRequest` without its objects and its uid.
 * @param matched the version of the kind that it is about for whoever reads it
 */
export function admissionRequest(request: Attributes, matched: ResourceKind): JsonObject {
  const { subresource, name, namespace, operation, called, admission } = request;
  const given = (field: string, value: string): JsonObject => (value === '' ? {} : { [field]: value });
  return {
    kind: { ...request.kindIn(matched) },
    resource: { ...resourceOf(matched) },
    ...given('subResource', subresource),
    requestKind: { ...request.kind },
    requestResource: { ...request.resource },
    ...given('requestSubResource', subresource),
    ...given('name', name),
    ...given('namespace', namespace),
    operation,
    userInfo: userInfo(called.caller.user),
    dryRun: admission.dryRun ?? false,
    options: request.options,
  };
}

function userInfo({ username, uid, groups, extra }: Attributes['called']['caller']['user']): JsonObject {
  return {
    ...(username === '' ? {} : { username }),
    ...(uid ? { uid } : {}),
    ...(groups && groups.length > 0 ? { groups: [...groups] } : {}),
    ...(extra && Object.keys(extra).length > 0 ? { extra: extra as unknown as JsonObject } : {}),
  };
}
