import { formatQuantity, formatTime, goDuration, type JsonObject, type KubeObject } from '#libs/kernel';
import type { NodeMetrics, PodMetrics } from '#libs/kubelet';
import { metricsGroup, metricsVersion } from './metrics-group';

const apiVersion = `${metricsGroup}/${metricsVersion}`;

/** An object of the group as it is sent, and what it comes to in all. */
export interface Shown {
  object: JsonObject & { metadata: JsonObject };
  /** For a row of a Table. */
  usage: Usage;
  window: string;
}

interface Usage {
  cpu: string;
  memory: string;
}

/** @param cpu nanocores @param memory bytes */
function usageOf(cpu: number, memory: number): Usage {
  return {
    cpu: formatQuantity({ nano: BigInt(cpu), format: 'DecimalSI' }),
    memory: formatQuantity({ nano: BigInt(memory) * 1_000_000_000n, format: 'BinarySI' }),
  };
}

/** It is made when it is asked for (metrics-server too), with the labels of what it is about. */
function metadataOf({ metadata: { name, namespace, labels } }: KubeObject, now: number): JsonObject {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    creationTimestamp: formatTime(now),
    ...(labels && Object.keys(labels).length > 0 ? { labels } : {}),
  };
}

export function shownNode({ node, at, windowMs, cpu, memory }: NodeMetrics, now: number): Shown {
  const usage = usageOf(cpu, memory);
  const window = goDuration(windowMs);
  const metadata = metadataOf(node, now);
  return { object: { kind: 'NodeMetrics', apiVersion, metadata, timestamp: formatTime(at), window, usage: { ...usage } }, usage, window };
}

export function shownPod({ pod, at, windowMs, containers }: PodMetrics, now: number): Shown {
  const window = goDuration(windowMs);
  const metadata = metadataOf(pod, now);
  const shown = containers.map(({ name, cpu, memory }) => ({ name, usage: { ...usageOf(cpu, memory) } }));
  const whole = containers.reduce((sum, each) => ({ cpu: sum.cpu + each.cpu, memory: sum.memory + each.memory }), { cpu: 0, memory: 0 });
  const object = { kind: 'PodMetrics', apiVersion, metadata, timestamp: formatTime(at), window, containers: shown };
  return { object, usage: usageOf(whole.cpu, whole.memory), window };
}

/** A list of them. Its items say nothing of their kind. */
export function shownList(kind: string, all: readonly Shown[]): JsonObject {
  const items = all.map(({ object: { kind: _kind, apiVersion: _version, ...item } }) => item);
  return { kind: `${kind}List`, apiVersion, metadata: {}, items };
}

const column = (name: string, format: string): JsonObject => ({ name, type: 'string', format, description: '', priority: 0 });
const columns = [
  { ...column('Name', 'name'), description: 'Name of the resource' },
  column('cpu', 'quantity'),
  column('memory', 'quantity'),
  column('Window', 'duration'),
];

/** As a Table: metrics-server names its columns by its first row, so a Table without rows has none. */
export function shownTable(all: readonly Shown[], metaVersion: string, include: 'None' | 'Metadata' | 'Object'): JsonObject {
  const included = ({ object }: Shown): JsonObject | null => {
    if (include === 'None') return null;
    return include === 'Object'
      ? object
      : { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${metaVersion}`, metadata: object.metadata };
  };
  const rows = all.map((shown) => ({
    cells: [shown.object.metadata.name as string, shown.usage.cpu, shown.usage.memory, shown.window],
    object: included(shown),
  }));
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${metaVersion}`,
    metadata: {},
    columnDefinitions: rows.length > 0 ? columns : null,
    rows: rows.length > 0 ? rows : null,
  };
}
