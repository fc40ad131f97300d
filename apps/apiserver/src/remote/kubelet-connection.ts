import { conditionOf } from '#libs/cluster-state';
import { hostPort, objectKey, type KubeObject } from '#libs/kernel';
import { notFound, plainError, type Failure } from '#libs/kube-api';
import { leaseNamespace, leaseResource } from '#libs/kubelet';
import type { LogOptions } from '../logs/log-options';
import type { Query } from '../request-info/query';
import type { ClusterView } from '../serving/cluster-view';

interface Address {
  type: string;
  address: string;
}

/** How the API server would reach the kubelet of a pod's node. */
export interface KubeletConnection {
  /** `https://node-1:10250` */
  url: string;
  /** Why nothing answers there, as Go's `net` says it; undefined where a simulated kubelet does. */
  dialError: string | undefined;
  /** Whether a simulated kubelet keeps the Lease of the node. */
  isSimulated: boolean;
}

/** The order in which the API server tries a node's addresses (`--kubelet-preferred-address-types`). */
const preferredTypes = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];
const portDefault = 10_250;

/**
 * The kubelet that logs and streams of a pod come from. A simulated one stands behind the node that it keeps a Lease for; a node that
 * somebody else registered, or whose kubelet has fallen silent, cannot be reached. Upstream names the node a pod where it is absent.
 */
export async function kubeletOf(pod: KubeObject, view: ClusterView): Promise<KubeletConnection | Failure> {
  return kubeletOfNode(pod.spec?.nodeName as string, view);
}

/** The same of a node by its name. */
export async function kubeletOfNode(name: string, view: ClusterView): Promise<KubeletConnection | Failure> {
  const node = (await view.look('nodes'))().get(`/${name}`);
  if (!node) return notFound('pods', name);
  const lease = (await view.look(leaseResource))().get(objectKey(leaseNamespace, name));
  const isSimulated = lease?.spec?.holderIdentity === name;
  const addresses = (node.status?.addresses ?? []) as unknown as Address[];
  const host = preferredTypes.map((type) => addresses.find((address) => address.type === type)?.address).find(Boolean);
  if (host === undefined && !isSimulated) return plainError(`no preferred addresses found; known addresses: [${told(addresses)}]`);
  const endpoint = node.status?.daemonEndpoints as { kubeletEndpoint?: { Port?: number } } | undefined;
  const port = endpoint?.kubeletEndpoint?.Port || portDefault;
  const url = `https://${hostPort(host ?? name, port)}`;
  if (!isSimulated) return { url, isSimulated, dialError: isIP(host) ? timedOut(host, port) : `dial tcp: lookup ${host}: no such host` };
  const isSilent = conditionOf(node, 'Ready')?.status === 'Unknown';
  return {
    url,
    isSimulated,
    dialError: isSilent ? timedOut(addresses.find(({ type }) => type === 'InternalIP')?.address ?? name, port) : undefined,
  };
}

const told = (addresses: readonly Address[]): string => addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ');

const isIP = (host: string | undefined): host is string => host !== undefined && /^[\d.]+$|:/.test(host);

const timedOut = (ip: string, port: number): string => `dial tcp ${hostPort(ip, port)}: i/o timeout`;

/** `KEY=VALUE&…` as Go's `url.Values` writes it: in the order of the keys. */
function encoded(values: readonly (readonly [string, string])[]): string {
  const inOrder = values.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
  return inOrder.map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll('%20', '+')}`).join('&');
}

const withQuery = (url: string, query: string): string => (query === '' ? url : `${url}?${query}`);

/** What a log request that nobody answers comes to (upstream `LogLocation`). */
export function logFailure({ url, dialError }: KubeletConnection, pod: KubeObject, container: string, options: LogOptions): Failure {
  const { namespace, name } = pod.metadata;
  const values: [string, string][] = [];
  for (const flag of ['follow', 'previous', 'timestamps'] as const) if (options[flag]) values.push([flag, 'true']);
  for (const number of ['sinceSeconds', 'tailLines', 'limitBytes'] as const) {
    if (options[number] !== undefined) values.push([number, String(options[number])]);
  }
  if (options.sinceTime !== undefined) values.push(['sinceTime', new Date(options.sinceTime).toISOString().replace(/\.\d+Z$/, 'Z')]);
  const target = withQuery(`${url}/containerLogs/${namespace}/${name}/${container}`, encoded(values));
  return plainError(`Get ${JSON.stringify(target)}: ${dialError}`);
}

/** What an exec or attach that is passed on in vain comes to (upstream `streamLocation`, `streamParams`). */
export function streamFailure(
  { url, dialError }: KubeletConnection,
  pod: KubeObject,
  container: string,
  subresource: string,
  query: Query,
): string {
  const { namespace, name } = pod.metadata;
  const values: [string, string][] = [];
  for (const [asked, passed] of [
    ['stdin', 'input'],
    ['stdout', 'output'],
    ['stderr', 'error'],
    ['tty', 'tty'],
  ] as const) {
    if (query.flag(asked)) values.push([passed, '1']);
  }
  if (subresource === 'exec') for (const part of query.all('command')) values.push(['command', part]);
  const target = withQuery(`${url}/${subresource}/${namespace}/${name}/${container}`, encoded(values));
  return `Post ${JSON.stringify(target)}: ${dialError}`;
}
