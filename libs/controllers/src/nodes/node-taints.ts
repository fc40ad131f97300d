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

/**
 * Keeps a node's NoSchedule taints in step with its conditions and its cordon (upstream node lifecycle controller,
 * `doNoScheduleTaintingPass`). A node whose kubelet has not yet said anything keeps the taint it was created with.
 */
export const nodeTaints: Reconciler = {
  name: 'node-lifecycle-controller',
  behaviour: '2',
  stream: 'controller-decisions',
  config: {},
  follow: (_index, { change }) => (change?.resource === 'nodes' && change.type !== 'DELETED' ? [change.name] : []),
  *allSubjects(_index, cluster) {
    for (const node of cluster.table('nodes').objects.values()) yield node.metadata.name;
  },
  reconcile(cluster, _index, name, context) {
    const node = cluster.get('nodes', undefined, name);
    if (!node) return undefined;
    const taints = (node.spec?.taints ?? []) as Taint[];
    const wanted = wantedTaints(node);
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
};

function wantedTaints(node: KubeObject): Set<string> {
  const wanted = new Set<string>();
  for (const [type, status, key] of conditionTaints) if (conditionOf(node, type)?.status === status) wanted.add(key);
  const silent = conditionOf(node, 'Ready') === undefined;
  if (silent && ((node.spec?.taints ?? []) as Taint[]).some(({ key }) => key === notReady)) wanted.add(notReady);
  if (node.spec?.unschedulable === true) wanted.add(unschedulable);
  return wanted;
}
