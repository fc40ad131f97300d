import type { ClusterState } from '#libs/cluster-state';
import type { Reconciler } from '#libs/control-loop';

const annotation = 'node.alpha.kubernetes.io/ttl';

/** Sizes of clusters, which overlap so that one node more or less does not turn all annotations, and how long kubelets may keep what they have read, seconds. */
const steps = [
  { from: 0, to: 100, seconds: 0 },
  { from: 90, to: 500, seconds: 15 },
  { from: 450, to: 1_000, seconds: 30 },
  { from: 900, to: 2_000, seconds: 60 },
  { from: 1_800, to: Infinity, seconds: 300 },
] as const;

interface Size {
  nodes: number;
  step: number;
}

/** Tells kubelets by an annotation how long they may keep objects that they have read: the longer, the more nodes there are (upstream TTL controller). Subjects: names of nodes. */
export const nodeTtl: Reconciler<Size> = {
  name: 'ttl-controller',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},

  index(cluster) {
    const size: Size = { nodes: 0, step: 0 };
    for (let left = cluster.table('nodes').objects.size; left > 0; left--) grow(size);
    return size;
  },

  *allSubjects(size, cluster): Iterable<string> {
    for (const { metadata } of cluster.table('nodes').objects.values()) if (!isSet(cluster, metadata.name, size)) yield metadata.name;
  },

  follows: ['nodes'],
  *follow(size, { change }, cluster): Iterable<string> {
    if (change?.resource !== 'nodes') return;
    if (change.type === 'ADDED') grow(size);
    else if (change.type === 'DELETED' && --size.nodes < (steps[size.step] as (typeof steps)[number]).from) size.step--;
    // As upstream, a node learns of another size when it changes for another reason.
    if (change.type !== 'DELETED' && !isSet(cluster, change.name, size)) yield change.name;
  },

  reconcile(cluster, size, name) {
    if (!cluster.get('nodes', undefined, name) || isSet(cluster, name, size)) return undefined;
    const patch = { metadata: { annotations: { [annotation]: String(secondsOf(size)) } } };
    return {
      steps: [{ step: 'annotate', request: { verb: 'patch', target: { resource: 'nodes', name }, patchType: 'strategic', patch } }],
    };
  },
};

function grow(size: Size): void {
  size.nodes++;
  if (size.nodes > (steps[size.step] as (typeof steps)[number]).to) size.step++;
}

function secondsOf({ step }: Size): number {
  return (steps[step] as (typeof steps)[number]).seconds;
}

function isSet(cluster: ClusterState, name: string, size: Size): boolean {
  const text = cluster.get('nodes', undefined, name)?.metadata.annotations?.[annotation];
  return text !== undefined && /^[+-]?\d+$/.test(text) && Number(text) === secondsOf(size);
}
