import type { KubeObject } from '#libs/kernel';
import type { NodesOption } from '../up/nodes-option';

/** Nodes as a simulation is asked for them. */
export interface SimulatedNodes extends NodesOption {
  /** Zones that the nodes are spread over in turn; three when absent. */
  zones?: number;
}

/** As many as `up` spreads its nodes over. */
const zonesDefault = 3;

/** `node-1`, `node-2`, …: the names that `up` gives its nodes too. */
export function nodeNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `node-${index + 1}`);
}

/** The Node as it is created; its kubelet fills in the rest. */
export function nodeManifest(name: string, index: number, { cpu, memory, pods, zones = zonesDefault }: SimulatedNodes): KubeObject {
  const zone = index % zones;
  const capacity = { cpu, memory, pods: String(pods), 'ephemeral-storage': '100Gi' };
  const labels = {
    'kubernetes.io/hostname': name,
    'topology.kubernetes.io/zone': zoneName(zone),
    'topology.kubernetes.io/region': 'region-1',
  };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } as never, spec: {}, status: { capacity, allocatable: capacity } };
}

/** `zone-a` … `zone-z`, then `zone-27` and so on. */
function zoneName(index: number): string {
  return index < 26 ? `zone-${String.fromCharCode(97 + index)}` : `zone-${index + 1}`;
}
