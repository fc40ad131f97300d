import type { KubeObject } from '#libs/kernel';
import { badRequest, isFailure, type Failure } from '#libs/kube-api';
import type { ConnectAnswer } from '../http/answer';
import type { CommandService } from '../http/remote/service';
import { containerOf, statusOf } from '../containers/of-pod';
import { findObject } from '../reading/get';
import type { ResourceRequest } from '../reading/resource-request';
import { readCommandOptions } from './command-options';
import { attachTo, execIn } from './commands';
import { kubeletOf, streamFailure, type KubeletConnection } from './kubelet-connection';

/** pods/exec, pods/attach: to which container, and what the API server itself has to say against it. */
export async function connectToContainer(request: ResourceRequest, isUpgrade: boolean): Promise<ConnectAnswer | Failure> {
  const pod = await findObject(request);
  if (isFailure(pod)) return pod;
  const container = containerOf(pod, request.query.text('container'));
  if (isFailure(container)) return container;
  const kubelet = await nodeBehind(pod, request, isUpgrade);
  if (isFailure(kubelet)) return kubelet;
  const { subresource = '', query } = request;
  const service = subresource === 'exec' ? exec(pod, container, request) : attach(pod, container, request);
  const { dialError } = kubelet;
  if (dialError === undefined) return { service };
  return { service: { ...service, unreachable: { dialError, request: streamFailure(kubelet, pod, container, subresource, query) } } };
}

/** The node that a stream of a pod goes to, or what stands between the API server and it. */
export async function nodeBehind(pod: KubeObject, { view }: ResourceRequest, isUpgrade: boolean): Promise<KubeletConnection | Failure> {
  if (!pod.spec?.nodeName) return badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
  const kubelet = await kubeletOf(pod, view);
  if (isFailure(kubelet)) return kubelet;
  return isUpgrade ? kubelet : badRequest('Upgrade request required');
}

function exec(pod: KubeObject, container: string, { query, view }: ResourceRequest): CommandService {
  const options = readCommandOptions(query);
  const refusal = isRunning(pod, container) ? undefined : `container not found (${JSON.stringify(container)})`;
  return {
    kind: 'command',
    options,
    refusal,
    begin: (streams) => void execIn(pod, container, query.all('command'), options, streams, view),
  };
}

function attach(pod: KubeObject, container: string, request: ResourceRequest): CommandService {
  const options = readCommandOptions(request.query);
  const { name, namespace } = pod.metadata;
  const refusal = isRunning(pod, container) ? undefined : `container ${container} not found in pod ${name}_${namespace}`;
  return {
    kind: 'command',
    options,
    refusal,
    begin: (streams) => void attachTo(pod, container, options, streams, request.view),
  };
}

export function isRunning(pod: KubeObject, container: string): boolean {
  return statusOf(pod, container)?.state?.running !== undefined;
}
