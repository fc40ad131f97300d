import { conditionOf } from '#libs/cluster-state';
import type { Reconciler } from '#libs/control-loop';
import { formatTime, type JsonObject, type KubeObject } from '#libs/kernel';

interface Taint extends JsonObject {
  key: string;
  effect: string;
}

const notReady = 'node.kubernetes.io/not-ready';

/** NoSchedule taints that say what a condition says, by condition type and status (upstream `nodeConditionToTaintKeyStatusMap`). */
const conditionTaints: readonly [type: string, status: string, key: string][] = [
  ['Ready', 'False', notReady],
  ['Ready', 'Unknown', 'node.kubernetes.io/unreachable'],
  ['MemoryPressure', 'True', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'True', 'node.kubernetes.io/disk-pressure'],
  ['PIDPressure', 'True', 'node.kubernetes.io/pid-pressure'],
  ['NetworkUnavailable', 'True', 'node.kubernetes.io/network-unavailable'],
];
const unschedulable = 'node.kubernetes.io/unschedulable';
const mirrored = new Set([...conditionTaints.map(([, , key]) => key), unschedulable]);

/** `2`: a node whose kubelet has not yet said anything keeps the not-ready taint that it was created with. */
export type NodeLifecycleBehaviour = '2' | '3';

/**
 * Keeps a node's NoSchedule taints in step with its conditions and its cordon (upstream node lifecycle controller,
 * `doNoScheduleTaintingPass`). What no condition says is taken off, from a node without conditions too.
 */
export const nodeTaints = (behaviour: NodeLifecycleBehaviour = '3'): Reconciler => ({
  name: 'node-lifecycle-controller',
  behaviour,
  stream: 'controller-decisions',
  config: {},
  follows: ['nodes'],
  follow: (_index, { change }) => (change?.resource === 'nodes' && change.type !== 'DELETED' ? [change.name] : []),
  *allSubjects(_index, cluster) {
    for (const node of cluster.table('nodes').objects.values()) yield node.metadata.name;
  },
  reconcile(cluster, _index, name, context) {
    const node = cluster.get('nodes', undefined, name);
    if (!node) return undefined;
    const taints = (node.spec?.taints ?? []) as Taint[];
    const wanted = wantedTaints(node, behaviour);
    const isMirrored = ({ key, effect }: Taint): boolean => effect === 'NoSchedule' && mirrored.has(key);
    const surplus = taints.filter((taint) => isMirrored(taint) && !wanted.has(taint.key));
    const missing = [...wanted].filter((key) => !taints.some((taint) => isMirrored(taint) && taint.key === key));
    if (surplus.length === 0 && missing.length === 0) return undefined;
    const timeAdded = formatTime(context.now);
    const left = [
      ...taints.filter((taint) => !surplus.includes(taint)),
      ...missing.map((key) => ({ key, effect: 'NoSchedule', timeAdded })),
    ];
    const { uid, resourceVersion } = node.metadata;
    const { taints: _, ...spec } = node.spec ?? {};
    const after = { ...node, spec: left.length > 0 ? { ...node.spec, taints: left } : spec };
    return {
      steps: [
        {
          step: 'taints',
          request: { verb: 'record', target: { resource: 'nodes', name }, uid, ifVersion: resourceVersion, facts: [], after },
        },
      ],
    };
  },
});

function wantedTaints(node: KubeObject, behaviour: NodeLifecycleBehaviour): Set<string> {
  const wanted = new Set<string>();
  for (const [type, status, key] of conditionTaints) if (conditionOf(node, type)?.status === status) wanted.add(key);
  const keepsFirst = behaviour === '2' && conditionOf(node, 'Ready') === undefined;
  if (keepsFirst && ((node.spec?.taints ?? []) as Taint[]).some(({ key }) => key === notReady)) wanted.add(notReady);
  if (node.spec?.unschedulable === true) wanted.add(unschedulable);
  return wanted;
}
