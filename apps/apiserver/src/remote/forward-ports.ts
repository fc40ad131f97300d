import type { KubeObject } from '#libs/kernel';
import { isFailure, type Failure } from '#libs/kube-api';
import { listenerOf } from '#libs/kubelet';
import type { ConnectAnswer } from '../http/answer';
import { findObject } from '../reading/get';
import type { ResourceRequest } from '../reading/resource-request';
import { nodeBehind } from './connect-pod';

interface Status {
  state?: { running?: object };
}

/** pods/portforward. */
export async function forwardPorts(request: ResourceRequest, isUpgrade: boolean): Promise<ConnectAnswer | Failure> {
  const pod = await findObject(request);
  if (isFailure(pod)) return pod;
  const kubelet = await nodeBehind(pod, request, isUpgrade);
  if (isFailure(kubelet)) return kubelet;
  const { dialError } = kubelet;
  const { name, namespace } = pod.metadata;
  return {
    service: {
      kind: 'ports',
      ...(dialError === undefined ? {} : { unreachable: { dialError, request: '' } }),
      refusal: runs(pod) ? undefined : `pod not found ("${name}_${namespace}")`,
      ports: portsOf(request.query.all('ports')),
      connect: (port) => listenerOf(pod, port) ?? connectionRefused(pod, port),
    },
  };
}

/** As containerd says it: it knows its own name of the pod's sandbox, and no uid. */
function connectionRefused({ metadata }: KubeObject, port: number): string {
  const refused = (network: string, host: string): string => `dial ${network} ${host}:${port}: connect: connection refused`;
  const text = `IPv4: ${refused('tcp4', '127.0.0.1')} IPv6 ${refused('tcp6', '[::1]')}`;
  const space = `/var/run/netns/cni-${metadata.uid}`;
  const failed = `failed to execute portforward in network namespace "${space}": failed to connect to localhost:${port} inside namespace`;
  return `error forwarding port ${port} to pod ${metadata.uid}, uid : ${failed} "${metadata.uid}", ${text} `;
}

/** A pod is there for its node as long as one of its containers runs. */
function runs({ status }: KubeObject): boolean {
  const { containerStatuses = [], initContainerStatuses = [] } = (status ?? {}) as Record<string, Status[] | undefined>;
  return [...containerStatuses, ...initContainerStatuses].some(({ state }) => state?.running !== undefined);
}

/** `ports=80,81&ports=82` */
function portsOf(texts: readonly string[]): number[] | { error: string } {
  if (texts.length === 0) return { error: 'query parameter "ports" is required' };
  const ports: number[] = [];
  for (const text of texts) {
    if (text === '') return { error: 'query parameter "ports" cannot be empty' };
    for (const part of text.split(',')) {
      const quoted = JSON.stringify(text);
      if (!/^\d+$/.test(part))
        return { error: `unable to parse ${quoted} as a port: strconv.ParseUint: parsing ${JSON.stringify(part)}: invalid syntax` };
      const port = Number(part);
      if (port > 65_535)
        return { error: `unable to parse ${quoted} as a port: strconv.ParseUint: parsing ${JSON.stringify(part)}: value out of range` };
      if (port < 1) return { error: `port ${quoted} must be > 0` };
      ports.push(port);
    }
  }
  return ports;
}
