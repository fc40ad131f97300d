import { badRequest, failure, isFailure, notFound, type Failure } from '#libs/kube-api';
import type { IncomingHttpHeaders } from 'node:http';
import type { ConnectAnswer } from '../http/answer';
import { asksForUpgrade } from '../http/websocket/handshake';
import { findObject } from '../reading/get';
import type { ResourceRequest } from '../reading/resource-request';

/** Subresources that would need a process to talk to. */
export const streamSubresources: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);

/** exec, attach, port-forward and proxy of a pod; of other kinds nothing is behind them, which is said, never left hanging. */
export async function answerStream(request: ResourceRequest, headers: IncomingHttpHeaders): Promise<ConnectAnswer | Failure> {
  const { kind, subresource = '' } = request;
  const isPod = kind.groupResource === 'pods';
  if (isPod && (subresource === 'exec' || subresource === 'attach')) {
    const { connectToContainer } = await import('../remote/connect-pod.js');
    return connectToContainer(request, asksForUpgrade(headers));
  }
  if (isPod && subresource === 'portforward') {
    const { forwardPorts } = await import('../remote/forward-ports.js');
    return forwardPorts(request, asksForUpgrade(headers));
  }
  const object = await findObject(request);
  if (isFailure(object)) return object;
  return isPod ? badRequest('address not allowed') : unserved(`${kind.resource}/${subresource}`);
}

function unserved(what: string): Failure {
  return failure(501, 'NotImplemented', `kubereel simulates containers and does not serve ${what}: there is no process to connect to`, {});
}

/** A subresource, or a kind, that the release has and this server does not answer yet. */
export function notServedYet(name: string): Failure {
  const status = notFound(name, '');
  return { ...status, message: `the server could not find the requested resource: kubereel does not serve ${name} yet`, details: {} };
}
