import { notFound, type Failure } from '#libs/kube-api';
import type { IncomingHttpHeaders } from 'node:http';
import type { ConnectAnswer } from '../http/answer';
import { asksForUpgrade } from '../http/websocket/handshake';
import type { ResourceRequest } from '../reading/resource-request';

/** Subresources that would need a process to talk to. */
export const streamSubresources: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);

/** exec, attach and port-forward of a pod; and proxies, behind which nobody answers, which is said, never left hanging. */
export async function answerStream(request: ResourceRequest, headers: IncomingHttpHeaders): Promise<ConnectAnswer | Failure> {
  const { subresource = '' } = request;
  if (subresource === 'exec' || subresource === 'attach') {
    const { connectToContainer } = await import('../remote/connect-pod.js');
    return connectToContainer(request, asksForUpgrade(headers));
  }
  if (subresource === 'portforward') {
    const { forwardPorts } = await import('../remote/forward-ports.js');
    return forwardPorts(request, asksForUpgrade(headers));
  }
  const { proxied } = await import('../proxy/proxy.js');
  return proxied(request);
}

/** A subresource, or a kind, that the release has and this server does not answer yet. */
export function notServedYet(name: string): Failure {
  const status = notFound(name, '');
  return { ...status, message: `the server could not find the requested resource: kubereel does not serve ${name} yet`, details: {} };
}
