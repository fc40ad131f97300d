import { fact, type Fact } from '#libs/events';
import { derivedId, type JsonObject, type KubeObject } from '#libs/kernel';
import type { SimulatedCluster } from '../../apps/cli/src/simulation/simulated-cluster';

const mebibyte = 1_048_576;
const probe = { httpGet: { path: '/', port: 80 }, periodSeconds: 5, failureThreshold: 2 };

/** Containers that crash, are probed, run out of memory and are stopped; a kubelet that begins anew, and a node short of memory. */
export async function livesOfContainers(cluster: SimulatedCluster): Promise<void> {
  await create(cluster, pod('crashing', 'node-2', { runs: '5s exit 3' }));
  await create(cluster, pod('failing', 'node-2', { live: 'true; from 12s false' }, { livenessProbe: probe, readinessProbe: probe }));
  await create(cluster, pod('hungry', 'node-2', { runs: '3s oom' }, {}, { restartPolicy: 'Never' }));
  await create(cluster, pod('large', 'node-1', { memory: '1900Mi' }));
  await create(cluster, pod('small', 'node-1', { memory: '100Mi' }));
  await create(cluster, pod('leaving', 'node-3', { 'on-term': 'takes 3s exit 143' }));
  await cluster.executive.runFor(45_000);
  await cluster.writeAndSettle({ verb: 'delete', target: { resource: 'pods', namespace: 'default', name: 'leaving' } });
  await tell(cluster, fact('KubeletRestarted', { node: 'node-2' }));
  await tell(cluster, fact('NodeLoadChanged', { node: 'node-1', memoryBytes: 6_144 * mebibyte, diskBytes: 0 }));
  await cluster.executive.runFor(30_000);
}

function pod(name: string, node: string, says: Record<string, string>, container: JsonObject = {}, more: JsonObject = {}): KubeObject {
  const annotations = Object.fromEntries(Object.entries(says).map(([key, value]) => [`kubereel.dev/c.${key}`, value]));
  const containers = [{ name: 'c', image: 'app:1', resources: { requests: { memory: '64Mi' } }, ...container }];
  return { metadata: { name, annotations }, spec: { nodeName: node, containers, ...more } } as unknown as KubeObject;
}

async function create(cluster: SimulatedCluster, object: KubeObject): Promise<void> {
  await cluster.writeAndSettle({ verb: 'create', resource: 'pods', namespace: 'default', object });
}

/** As `kubereel node` does. */
async function tell(cluster: SimulatedCluster, befallen: Fact): Promise<void> {
  const operation = `befall/${befallen.type}`;
  const telling = cluster.runtime.appendDecision(
    'kubelet-decisions',
    [befallen],
    { actor: 'user:operator', operation, correlationId: derivedId(operation) },
    '0',
  );
  await cluster.executive.settle();
  await telling;
}
