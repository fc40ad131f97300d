import type { ClusterState } from '#libs/cluster-state';
import type { Reconciler, Step } from '#libs/control-loop';
import { objectStream } from '#libs/events';
import type { JsonObject, KubeObject } from '#libs/kernel';

/** Nodes that a new cluster begins with. */
export interface SimulatedNodes {
  count: number;
  cpu: string;
  memory: string;
  pods: number;
}

const name = 'node-bootstrap';
const subject = 'nodes';
const zones = ['zone-a', 'zone-b', 'zone-c'];
/** Nodes created in one look. */
const batchMax = 500;

/**
 * Creates `node-1` to `node-N` in a cluster that never had them. `node-1` comes last and alone: as soon as it has ever existed, the nodes
 * are the cluster's own and are left alone, also when it is started with another number; until then what is missing is completed.
 */
export function nodeBootstrap(nodes: SimulatedNodes): Reconciler {
  return {
    name,
    behaviour: '1',
    stream: 'controller-decisions',
    config: { ...nodes },
    allSubjects: () => [subject],

    follows: ['nodes'],
    *follow(_index, { change, events }): Iterable<string> {
      if (change?.resource === 'nodes' && events[0]?.metadata.actor === name) yield subject;
    },

    reconcile(cluster) {
      if (nodes.count < 1 || existed(cluster, 'node-1')) return undefined;
      const missing: number[] = [];
      for (let number = 2; number <= nodes.count && missing.length < batchMax; number++) {
        if (!existed(cluster, `node-${number}`)) missing.push(number);
      }
      return { steps: (missing.length > 0 ? missing : [1]).map((number) => creation(number, nodes)) };
    },
  };
}

function existed(cluster: ClusterState, node: string): boolean {
  return cluster.head(objectStream(cluster.cluster, 'nodes', undefined, node)) !== undefined;
}

function creation(number: number, { cpu, memory, pods }: SimulatedNodes): Step {
  const capacity: JsonObject = { cpu, memory, pods: String(pods) };
  const labels = {
    'topology.kubernetes.io/region': 'region-1',
    'topology.kubernetes.io/zone': zones[(number - 1) % zones.length] as string,
  };
  const object = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `node-${number}`, labels },
    spec: {},
    status: { capacity, allocatable: capacity },
  };
  return { step: `create/node-${number}`, request: { verb: 'create', resource: 'nodes', object: object as unknown as KubeObject } };
}
