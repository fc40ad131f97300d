import type { KubeObject } from '#libs/kernel';
import { podLevelResource } from '#libs/scheduling';

/** A field of a pod that the downward API shows. */
export function fieldOf({ metadata, spec, status }: KubeObject, field: string): string | undefined {
  const entry = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(field);
  if (entry) return metadata[entry[1] as 'labels']?.[entry[2] as string] ?? '';
  const known: Record<string, unknown> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'metadata.labels': listed(metadata.labels),
    'metadata.annotations': listed(metadata.annotations),
    'spec.nodeName': spec?.nodeName,
    'spec.serviceAccountName': spec?.serviceAccountName,
    'status.podIP': status?.podIP,
    'status.podIPs': status?.podIP,
    'status.hostIP': status?.hostIP,
    'status.hostIPs': status?.hostIP,
  };
  const value = Object.hasOwn(known, field) ? known[field] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** As a file of the downward API has them. */
function listed(entries: Record<string, string> = {}): string {
  return Object.keys(entries)
    .sort()
    .map((key) => `${key}=${JSON.stringify(entries[key])}`)
    .join('\n');
}

interface Container {
  name: string;
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
}

const units: Readonly<Record<string, number>> = {
  m: 0.001,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** What a field of a container's resources is asked in. */
export interface ResourceField {
  containerName?: string;
  resource?: string;
  divisor?: string;
}

type Amounts = Readonly<Record<string, string>>;

/**
 * `requests.cpu` and the like in units of the divisor, rounded up. A container without a limit has the pod's, and where that has none what there is of the
 * node (upstream `defaultPodLimitsForDownwardAPI`); one without a request asks for nothing. Undefined: there is no such container, or nobody knows
 * what the node has.
 * @param allocatable of the node; undefined: the node is not there
 */
export function resourceFieldOf(
  { spec }: KubeObject,
  { containerName, resource = '', divisor }: ResourceField,
  allocatable: () => Amounts | undefined,
): string | undefined {
  const all = [...((spec?.containers as Container[] | undefined) ?? []), ...((spec?.initContainers as Container[] | undefined) ?? [])];
  const container = all.find(({ name }) => name === containerName);
  if (!container) return undefined;
  const [list, name = ''] = resource.split(/\.(.*)/);
  const own = container.resources?.[list as 'requests' | 'limits']?.[name];
  const amount = list === 'limits' && numberOf(own ?? '0') === 0 ? limitOf(name, spec?.resources?.limits, allocatable()) : (own ?? '0');
  if (amount === undefined) return undefined;
  const unit = divisor === undefined || divisor === '0' ? 1 : numberOf(divisor);
  return String(Math.ceil(numberOf(amount) / unit));
}

function limitOf(name: string, ofPod: Amounts = {}, ofNode: Amounts = {}): string | undefined {
  return podLevelResource(name) ? (ofPod[name] ?? ofNode[name]) : ofNode[name];
}

function numberOf(quantity: string): number {
  const [, number, unit = ''] = /^([\d.]+)([a-zA-Z]*)$/.exec(quantity) ?? [];
  return Number(number ?? 0) * (units[unit] ?? 1);
}
