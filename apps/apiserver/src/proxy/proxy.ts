import { isIP } from 'node:net';
import { hostPort, objectKey, type KubeObject } from '#libs/kernel';
import { badRequest, isFailure, notFound, plainError, serviceUnavailable, type Failure } from '#libs/kube-api';
import type { ResourceRequest } from '../reading/resource-request';
import { readProxiedName, type ProxiedName } from './proxied-name';

/** Where kubelets listen. */
const kubeletPort = '10250';

/**
 * `pods/proxy`, `services/proxy` and `nodes/proxy`: everything is checked as the real server does, and then nobody answers, since the containers
 * and kubelets of a simulated cluster listen nowhere.
 */
export async function proxied(request: ResourceRequest): Promise<Failure> {
  const { kind, name = '' } = request;
  const asked = readProxiedName(name);
  if (!asked) return badRequest(`invalid ${kind.singular} request ${JSON.stringify(name)}`);
  const host = await hostOf(request, asked);
  return isFailure(host) ? host : serviceUnavailable(`error trying to reach service: dial tcp ${host}: connect: connection refused`);
}

/** `ADDRESS:PORT` of who is to be reached. */
function hostOf(request: ResourceRequest, asked: ProxiedName): Promise<string | Failure> {
  switch (request.kind.groupResource) {
    case 'pods':
      return hostOfPod(request, asked);
    case 'services':
      return hostOfService(request, asked);
    default:
      return hostOfNode(request, asked);
  }
}

async function found({ view, namespace }: ResourceRequest, resource: string, name: string): Promise<KubeObject | Failure> {
  const table = (await view.look(resource))();
  return table.get(objectKey(resource === 'nodes' ? '' : namespace, name)) ?? notFound(resource, name);
}

async function hostOfPod(request: ResourceRequest, { scheme, name, port }: ProxiedName): Promise<string | Failure> {
  const pod = await found(request, 'pods', name);
  if (isFailure(pod)) return pod;
  const address = podAddresses(pod)[0] ?? '';
  if (!isReachable(address)) return badRequest('address not allowed');
  const containers = (pod.spec?.containers ?? []) as { ports?: { containerPort: number }[] }[];
  const first = containers.find(({ ports }) => (ports?.length ?? 0) > 0)?.ports?.[0];
  return hostPort(address, port || first?.containerPort || usualPort(scheme));
}

/** The port is that of the Service, by number or name; the request goes to a pod behind it. */
async function hostOfService(request: ResourceRequest, { name, port }: ProxiedName): Promise<string | Failure> {
  const service = await found(request, 'services', name);
  if (isFailure(service)) return service;
  let portName = port;
  if (/^\d+$/.test(port)) {
    const ports = (service.spec?.ports ?? []) as { port: number; name?: string }[];
    const declared = ports.find((each) => each.port === Number(port));
    if (!declared) return serviceUnavailable(`no service port ${Number(port)} found for service ${JSON.stringify(name)}`);
    portName = declared.name ?? '';
  }
  const endpoints = await found(request, 'endpoints', name);
  const subsets = isFailure(endpoints) ? [] : ((endpoints.subsets ?? []) as Subset[]);
  if (subsets.length === 0) return serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`);
  const pods = (await request.view.look('pods'))();
  for (const { addresses, ports } of subsets) {
    const found = ports?.find((each) => (each.name ?? '') === portName);
    if (!found) continue;
    for (const { ip, targetRef } of addresses ?? []) {
      const pod = targetRef?.namespace === request.namespace ? pods.get(objectKey(request.namespace, targetRef?.name ?? '')) : undefined;
      if (pod && podAddresses(pod).includes(ip)) return hostPort(ip, found.port);
    }
  }
  return serviceUnavailable(`no endpoints available for service ${JSON.stringify(request.name)}`);
}

interface Subset {
  addresses?: { ip: string; targetRef?: { namespace?: string; name?: string } }[];
  ports?: { name?: string; port: number }[];
}

async function hostOfNode(request: ResourceRequest, { name, port }: ProxiedName): Promise<string | Failure> {
  const node = await found(request, 'nodes', name);
  if (isFailure(node)) return node;
  const known = (node.status?.addresses ?? []) as { type: string; address: string }[];
  const address = ['InternalIP', 'ExternalIP'].map((type) => known.find((each) => each.type === type)?.address).find(Boolean);
  if (address === undefined)
    return plainError(`no preferred addresses found; known addresses: [${known.map(({ address }) => address).join(' ')}]`);
  return isReachable(address) ? hostPort(address, port || kubeletPort) : badRequest('address not allowed');
}

function podAddresses({ status }: KubeObject): string[] {
  const { podIP, podIPs } = (status ?? {}) as { podIP?: string; podIPs?: { ip: string }[] };
  return (podIPs ?? (podIP ? [{ ip: podIP }] : [])).map(({ ip }) => ip);
}

/** An address of one machine that is not this one: not loopback, link-local, multicast, or none at all. */
function isReachable(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !/^(0\.0\.0\.0$|127\.|169\.254\.|2(2[4-9]|3\d)\.|255\.255\.255\.255$)/.test(address);
  return family === 6 && !/^(::1?$|fe[89ab][0-9a-f]:|ff)/i.test(address);
}

function usualPort(scheme: string): string {
  return scheme === 'https' ? '443' : '80';
}
