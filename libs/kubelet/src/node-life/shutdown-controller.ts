import { isTerminal, nodeRecordTypes, type ClusterState, type Shutdown } from '#libs/cluster-state';
import { ofNoObject, type Reconciler, type Reconciliation } from '#libs/control-loop';
import { fact, type Fact } from '#libs/events';
import { hasKubelet } from '../node-registration/node-of-kubelet';
import { stageEndsAt, stageOf } from './shutdown-order';

/**
 * Leads nodes through their shutdown, stage by stage (upstream `nodeshutdown` manager): the pods of one are told to end when all of those before it are
 * over, or their time is. After the last the machine is off. Subjects: names of nodes.
 */
export const kubeletShutdown: Reconciler = {
  name: 'kubelet-shutdown',
  behaviour: '1',
  stream: 'kubelet-decisions',
  config: {},
  follows: ['pods', ofNoObject],

  *follow(_index, { change, events }, cluster): Iterable<string> {
    if (!change) {
      for (const { type, data } of events) if (nodeRecordTypes.has(type)) yield data.node as string;
    } else if (change.resource === 'pods') {
      const node = change.object.spec?.nodeName as string | undefined;
      if (node && cluster.decisions.nodes.byNode.get(node)?.shutdown) yield node;
    }
  },

  allSubjects: (_index, cluster) => cluster.decisions.nodes.byNode.keys(),

  reconcile(cluster, _index, name, { now }) {
    const node = cluster.get('nodes', undefined, name);
    const { shutdown, silentSince } = cluster.decisions.nodes.of(name);
    return node && hasKubelet(node) && shutdown && silentSince === undefined ? nextStage(cluster, name, shutdown, now) : undefined;
  },
};

function nextStage(cluster: ClusterState, node: string, shutdown: Shutdown, now: number): Reconciliation {
  const stage = shutdown.begun.length - 1;
  const endsAt = stageEndsAt(shutdown, stage);
  if (endsAt !== undefined && now < endsAt && isBusy(cluster, node, shutdown, stage)) return { steps: [], wakeAt: endsAt };
  const next = shutdown.periods[stage + 1];
  const told: Fact = next
    ? fact('NodeShutdownStageBegun', { node, priority: next.priority })
    : fact('RuntimeStateChanged', { node, rebooted: true });
  return { records: [told], steps: [] };
}

/** Pods of this stage, or of one before it, are not over yet. */
function isBusy(cluster: ClusterState, node: string, shutdown: Shutdown, stage: number): boolean {
  for (const pod of cluster.indices.podsOnNode(node).values()) if (!isTerminal(pod) && stageOf(pod, shutdown) <= stage) return true;
  return false;
}
