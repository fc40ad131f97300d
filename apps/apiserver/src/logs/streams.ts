import { badRequest, failure, isFailure, notFound, type Failure } from '#libs/kube-api';
import { findObject } from '../reading/get';
import type { ResourceRequest } from '../reading/resource-request';
import { containerOf, nodeFailure } from './containers';

/** Subresources that would need a process to talk to. */
export const streamSubresources: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);

/** What is wrong with the request is said first, as upstream does; then that there is nothing behind it. Never hangs. */
export async function refuseStream(request: ResourceRequest): Promise<Failure> {
  const { kind, subresource = '', query } = request;
  const object = await findObject(request);
  if (isFailure(object)) return object;
  if (kind.groupResource !== 'pods') return unserved(`${kind.resource}/${subresource}`);
  if (subresource === 'proxy') return badRequest('address not allowed');
  if (subresource !== 'portforward') {
    const container = containerOf(object, query.text('container'));
    if (isFailure(container)) return container;
  }
  if (!object.spec?.nodeName) return badRequest(`pod ${object.metadata.name} does not have a host assigned`);
  return (await nodeFailure(object, request.view)) ?? unserved(`pods/${subresource}`);
}

function unserved(what: string): Failure {
  return failure(501, 'NotImplemented', `kubereel simulates containers and does not serve ${what}: there is no process to connect to`, {});
}

/** A subresource, or a kind, that the release has and this server does not answer yet. */
export function notServedYet(name: string): Failure {
  const status = notFound(name, '');
  return { ...status, message: `the server could not find the requested resource: kubereel does not serve ${name} yet`, details: {} };
}
