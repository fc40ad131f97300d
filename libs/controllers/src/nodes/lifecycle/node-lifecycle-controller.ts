import type { Reconciler, Reconciliation } from '#libs/control-loop';
import { report } from '../../loop/report';
import {
  allZones,
  controllerName,
  followNodes,
  lifecycleIndex,
  removedName,
  type LifecycleIndex,
  type RemovedNode,
} from './lifecycle-index';
import { component, reconcileNode } from './reconcile-node';
import { reconcileZones, type ZonesLooked } from './reconcile-zones';
import { nodeLifecycleDefaults, type NodeLifecycleSettings } from './settings';

/**
 * Looks after nodes (upstream node lifecycle controller): its taints say what a node's conditions say; a node that is not heard for too long becomes
 * unknown, and its pods not ready; pods of nodes that are not ready are made to leave by NoExecute taints, at a rate that depends on how its zone
 * fares. Subjects: names of nodes, `removed NAME` and `all zones`.
 */
export function nodeLifecycle(given: Partial<NodeLifecycleSettings> = {}): Reconciler<LifecycleIndex> {
  const settings = { ...nodeLifecycleDefaults, ...given };
  return {
    name: controllerName,
    behaviour: '5',
    stream: 'controller-decisions',
    config: { ...given },
    index: lifecycleIndex,
    follow: followNodes,

    *allSubjects({ countAt }, cluster) {
      for (const node of cluster.table('nodes').objects.values()) yield node.metadata.name;
      if (countAt !== undefined) yield allZones;
    },

    reconcile(cluster, index, subject, { now }) {
      if (subject === allZones) return reconcileZones(cluster, index, settings, now);
      const removed = removedName(subject);
      if (removed !== undefined) return tellRemoved(index.removed.get(removed), now);
      const node = cluster.get('nodes', undefined, subject);
      return node && reconcileNode(cluster, index, node, settings, now);
    },

    looked(index, subject, memory) {
      if (subject === allZones) {
        const { zones, hasCounted, graceFrom } = memory as ZonesLooked;
        index.zones = zones;
        index.graceFrom = graceFrom;
        if (hasCounted) index.countAt = undefined;
      } else if (memory === 'told') index.removed.delete(removedName(subject) as string);
    },
  };
}

function tellRemoved(removed: RemovedNode | undefined, now: number): Reconciliation | undefined {
  if (!removed) return undefined;
  const { node, at } = removed;
  if (now < at) return { steps: [], wakeAt: at };
  const { name } = node.metadata;
  const message = `Node ${name} event: Removing Node ${name} from Controller`;
  return { records: [report(component, 'nodes', node, { reason: 'RemovingNode', message })], steps: [], memory: 'told' };
}
