import { conditionOf } from '#libs/cluster-state';
import type { Reconciler } from '#libs/control-loop';
import { fact } from '#libs/events';

const notReady = 'node.kubernetes.io/not-ready';

interface Taint {
  key: string;
  effect: string;
}

function isNotReadyTaint({ key, effect }: Taint): boolean {
  return key === notReady && effect === 'NoSchedule';
}

/**
 * Takes the not-ready taint, which every new Node is given, off nodes that are Ready (upstream's node lifecycle controller;
 * here for as long as that one is not there).
 */
export const nodeReadiness: Reconciler = {
  name: 'node-lifecycle-controller',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  subjectsOf: ({ change }) => (change?.resource === 'nodes' && change.type !== 'DELETED' ? [change.name] : []),
  *allSubjects(cluster) {
    for (const node of cluster.table('nodes').objects.values()) yield node.metadata.name;
  },
  reconcile(cluster, name) {
    const node = cluster.get('nodes', undefined, name);
    const taints = (node?.spec?.taints ?? []) as Taint[];
    if (!node || conditionOf(node, 'Ready')?.status !== 'True' || !taints.some(isNotReadyTaint)) return undefined;
    const left = taints.filter((taint) => !isNotReadyTaint(taint));
    const change = { p: ['spec', 'taints'], ...(left.length > 0 ? { v: left as never } : {}) };
    const { uid, resourceVersion } = node.metadata;
    const facts = [fact('Updated', { changes: [change] })];
    return {
      steps: [{ step: 'taints', request: { verb: 'record', target: { resource: 'nodes', name }, uid, ifVersion: resourceVersion, facts } }],
    };
  },
};
