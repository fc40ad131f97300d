import { conditionOf, isReady } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import { answerOf } from './listener';
import type { ClusterReader } from './world';

/**
 * What a connection comes to: the text that is answered over HTTP, or why there is none.
 * `since`: the host has been known by then; `readySince`: it has answered since then. Both ms since the epoch.
 */
export type Reached =
  | { address: string; name: string; text: string; since?: number; readySince?: number }
  | { failure: 'unknown host' | 'refused'; address?: string };

interface ServicePort {
  port?: number;
}

/**
 * Who answers at a port of a host, as a pod sees it. A Service answers where one of its ready pods does; a pod at its address while it
 * runs, its own containers at localhost. There is nothing outside the cluster.
 */
export function reach(cluster: ClusterReader, from: KubeObject, host: string, port: number | undefined): Reached {
  if (host === 'localhost' || host.startsWith('127.') || host === from.status?.podIP) return ownPort(from, port);
  const service = serviceOf(cluster, from, host);
  if (service) {
    const reached = atService(cluster, service, port);
    return 'text' in reached ? { ...reached, since: Date.parse(service.metadata.creationTimestamp ?? '') || 0 } : reached;
  }
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(host)) return { failure: 'unknown host' };
  for (const pod of cluster.list('pods')) if (pod.status?.podIP === host && isRunning(pod)) return atPod(pod, port, host, host);
  return { failure: 'refused', address: host };
}

function ownPort(pod: KubeObject, port: number | undefined): Reached {
  return answerOf(pod, port ?? 0) === undefined ? { failure: 'refused', address: '127.0.0.1' } : atPod(pod, port, '127.0.0.1', 'localhost');
}

function isRunning(pod: KubeObject): boolean {
  return pod.status?.phase === 'Running';
}

function atPod(pod: KubeObject, port: number | undefined, address: string, name: string): Reached {
  const { namespace, name: podName } = pod.metadata;
  const plain = `pod ${namespace}/${podName} is simulated: this is all that it answers\n`;
  return { address, name, text: (port === undefined ? undefined : answerOf(pod, port)) ?? plain };
}

/** `NAME`, `NAME.NAMESPACE`, `NAME.NAMESPACE.svc`, the same with the cluster's domain, or a cluster IP. */
function serviceOf(cluster: ClusterReader, from: KubeObject, host: string): KubeObject | undefined {
  const match = /^([a-z0-9-]+)(?:\.([a-z0-9-]+)(?:\.svc(?:\.cluster\.local)?)?)?\.?$/.exec(host);
  if (match) return cluster.get('services', match[2] ?? from.metadata.namespace, match[1] as string);
  for (const service of cluster.list('services')) if (service.spec?.clusterIP === host) return service;
  return undefined;
}

function atService(cluster: ClusterReader, service: KubeObject, port: number | undefined): Reached {
  const { name, namespace } = service.metadata;
  const spec = (service.spec ?? {}) as { clusterIP?: string; type?: string; ports?: ServicePort[]; selector?: Record<string, string> };
  const full = `${name}.${namespace}.svc.cluster.local`;
  if (spec.type === 'ExternalName') return { failure: 'unknown host' };
  const isHeadless = spec.clusterIP === undefined || spec.clusterIP === 'None';
  const ready = readyPods(cluster, service);
  const [first] = ready;
  const own = first && { pod: first, address: isHeadless ? String(first.status?.podIP) : String(spec.clusterIP) };
  if (port === undefined) {
    if (isHeadless && !own) return { failure: 'unknown host' };
    return { address: own?.address ?? String(spec.clusterIP), name: full, text: '' };
  }
  const address = own?.address ?? spec.clusterIP;
  if (isHeadless && !own) return { failure: 'unknown host' };
  if (!isHeadless && !spec.ports?.some((each) => each.port === port)) return { failure: 'refused', address };
  if (own) {
    const [target] = targetsOf(
      own.pod,
      spec.ports?.find((each) => each.port === port),
    );
    return { ...atPod(own.pod, target ?? port, own.address, full), name: full, readySince: readySince(own.pod) };
  }
  // Whoever made the Service fills in its endpoints.
  const isServed = namespace === 'default' && name === 'kubernetes' ? true : hasEndpoints(cluster, service);
  return isServed
    ? { address: String(address), name: full, text: `Service ${namespace}/${name} is simulated\n` }
    : { failure: 'refused', address };
}

interface Container {
  ports?: { name?: string; containerPort?: number }[];
}

function targetsOf(pod: KubeObject, port: (ServicePort & { targetPort?: number | string }) | undefined): number[] {
  const target = port?.targetPort ?? port?.port;
  if (typeof target === 'number') return [target];
  const containers = (pod.spec?.containers ?? []) as Container[];
  return containers.flatMap(({ ports = [] }) =>
    ports.flatMap((each) => (each.name === target && each.containerPort ? [each.containerPort] : [])),
  );
}

function readySince(pod: KubeObject): number {
  return Date.parse(conditionOf(pod, 'Ready')?.lastTransitionTime ?? '') || 0;
}

/** In the order of their names. */
function readyPods(cluster: ClusterReader, { metadata, spec }: KubeObject): KubeObject[] {
  const selector = spec?.selector as Record<string, string> | undefined;
  const wanted = Object.entries(selector ?? {});
  if (wanted.length === 0) return [];
  const found: KubeObject[] = [];
  for (const pod of cluster.list('pods', metadata.namespace)) {
    if (pod.metadata.deletionTimestamp || wanted.some(([key, value]) => pod.metadata.labels?.[key] !== value)) continue;
    if (isRunning(pod) && isReady(pod)) found.push(pod);
  }
  return found.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

function hasEndpoints(cluster: ClusterReader, { metadata }: KubeObject): boolean {
  const { namespace, name } = metadata;
  for (const slice of cluster.list('endpointslices.discovery.k8s.io', namespace)) {
    if (slice.metadata.labels?.['kubernetes.io/service-name'] !== name) continue;
    const endpoints = (slice as { endpoints?: { conditions?: { ready?: boolean } }[] }).endpoints ?? [];
    if (endpoints.some(({ conditions }) => conditions?.ready !== false)) return true;
  }
  const subsets = (cluster.get('endpoints', namespace, name) as { subsets?: { addresses?: unknown[] }[] } | undefined)?.subsets ?? [];
  return subsets.some(({ addresses = [] }) => addresses.length > 0);
}
