import { strict as assert } from 'node:assert';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, type RunningCluster } from '../e2e/running-cluster';
import type { Component } from './component';
import { appsPath, becomes, hasCondition, isGone, pod, podsOf, podSpec, podsPath, workload } from './workloads';

export interface Managed {
  cluster: RunningCluster;
  manager: Component;
}

/** How long nodes may be silent, s: more than the ten seconds between heartbeats, less than the usual fifty for the test's sake. */
const graceSeconds = 20;

/** Flags of kube-controller-manager beyond those of every component. */
export function managerFlags(cluster: RunningCluster, folder: string): string[] {
  const config = JSON.parse(readFileSync(cluster.kubeconfig, 'utf8')) as { clusters: { cluster: Record<string, string> }[] };
  const ca = join(folder, 'ca.crt');
  writeFileSync(ca, Buffer.from(config.clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64'));
  return [
    `--root-ca-file=${ca}`,
    `--flex-volume-plugin-dir=${join(folder, 'volume-plugins')}`,
    `--node-monitor-grace-period=${graceSeconds}s`,
    '--node-monitor-period=2s',
  ];
}

const patch = { 'content-type': 'application/merge-patch+json' };
const batchPath = '/apis/batch/v1/namespaces/default';

/** What is expected of a cluster with kube-controller-manager in it. */
export const checks: Record<string, (managed: Managed) => Promise<void>> = {
  'it starts: its informers are in step and it leads': async ({ cluster, manager }) => {
    await eventually('it leads, and collects garbage', () => {
      assert.deepEqual(manager.complaints, []);
      return (
        manager.log.includes('successfully acquired lease kube-system/kube-controller-manager') &&
        /synced garbage collector/.test(manager.log)
      );
    });
    await becomes(cluster, '/api/v1/namespaces/default/serviceaccounts/default', 'is made', () => true);
    await becomes(cluster, '/api/v1/namespaces/default/configmaps/kube-root-ca.crt', 'is made', () => true);
  },
  'a Deployment rolls out, and over to another image': async ({ cluster }) => {
    const path = `${appsPath}/deployments/web`;
    await cluster.create(`${appsPath}/deployments`, workload('web', { replicas: 3 }));
    const isDone = ({ metadata, status }: { metadata: { generation: number }; status: Record<string, number> }): boolean =>
      status.observedGeneration === metadata.generation &&
      status.updatedReplicas === 3 &&
      status.availableReplicas === 3 &&
      status.replicas === 3;
    await becomes(cluster, path, 'is rolled out', isDone);
    const image = (name: string): object => ({ spec: { template: { spec: { containers: [{ name: 'app', image: name }] } } } });
    await cluster.call('PATCH', path, image('registry.example/app:2'), patch);
    await becomes(cluster, path, 'is rolled over', isDone);
    const sets = (await cluster.get(`${appsPath}/replicasets?labelSelector=app%3Dweb`)).body.items as { spec: { replicas: number } }[];
    assert.deepEqual(sets.map(({ spec }) => spec.replicas).sort(), [0, 3]);
    await eventually('only pods of the new image are left', async () => {
      const images = new Set((await podsOf(cluster, 'web')).map(({ spec }) => spec.containers[0].image));
      return [...images].join() === 'registry.example/app:2';
    });
  },
  'a StatefulSet has its pods one after the other, by their names': async ({ cluster }) => {
    await cluster.create(`${appsPath}/statefulsets`, workload('db', { replicas: 3, serviceName: 'db' }));
    await becomes(cluster, `${appsPath}/statefulsets/db`, 'is ready', ({ status }) => status.readyReplicas === 3);
    const pods = (await podsOf(cluster, 'db')).sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
    assert.deepEqual(pods.map(({ metadata }) => metadata.name).sort(), ['db-0', 'db-1', 'db-2']);
    const started = pods.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)).map(({ metadata }) => metadata.creationTimestamp);
    assert.deepEqual(started, [...started].sort());
    await cluster.call('PATCH', `${appsPath}/statefulsets/db`, { spec: { replicas: 1 } }, patch);
    await eventually('two are gone', async () => (await podsOf(cluster, 'db')).map(({ metadata }) => metadata.name).join() === 'db-0');
  },
  'a DaemonSet has a pod on every node': async ({ cluster }) => {
    await cluster.create(`${appsPath}/daemonsets`, workload('agent', {}, { annotations: { 'kubereel.dev/on-term': 'takes 1s' } }));
    await becomes(cluster, `${appsPath}/daemonsets/agent`, 'is everywhere', ({ status }) => status.numberReady === 3);
    assert.deepEqual((await podsOf(cluster, 'agent')).map(({ spec }) => spec.nodeName).sort(), ['node-1', 'node-2', 'node-3']);
  },
  'a Job is complete once its pods have ended, and one whose pods fail has failed': async ({ cluster }) => {
    const job = (name: string, annotations: Record<string, string>): object => ({
      metadata: { name },
      spec: {
        backoffLimit: 0,
        completions: 2,
        template: { metadata: { annotations }, spec: podSpec({ spec: { restartPolicy: 'Never' } }) },
      },
    });
    await cluster.create(`${batchPath}/jobs`, job('done', { 'kubereel.dev/run-for': '200ms' }));
    await cluster.create(`${batchPath}/jobs`, job('failed', { 'kubereel.dev/exit-code': '1' }));
    const done = await becomes(cluster, `${batchPath}/jobs/done`, 'is complete', (object) => hasCondition(object, 'Complete'));
    assert.equal(done.status.succeeded, 2);
    await becomes(cluster, `${batchPath}/jobs/failed`, 'has failed', (object) => hasCondition(object, 'Failed'));
  },
  'a Service has the addresses of its pods': async ({ cluster }) => {
    await cluster.create('/api/v1/namespaces/default/services', {
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
    });
    const path = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dweb';
    const addresses = (body: { items: { endpoints: { addresses: string[] }[] }[] }): string[] =>
      body.items.flatMap(({ endpoints }) => endpoints ?? []).flatMap((endpoint) => endpoint.addresses);
    const slices = await becomes(cluster, path, 'have three addresses', (body) => addresses(body).length === 3);
    assert.deepEqual(addresses(slices).sort(), (await podsOf(cluster, 'web')).map(({ status }) => status.podIP).sort());
  },
  'a budget is counted, and holds evictions back': async ({ cluster }) => {
    const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    await cluster.create(budgets, { metadata: { name: 'web' }, spec: { minAvailable: 3, selector: { matchLabels: { app: 'web' } } } });
    await becomes(cluster, `${budgets}/web`, 'is counted', ({ status }) => status?.currentHealthy === 3 && status.desiredHealthy === 3);
    const [first] = await podsOf(cluster, 'web');
    const eviction = { metadata: { name: first.metadata.name, namespace: 'default' } };
    assert.equal((await cluster.call('POST', `${podsPath}/${first.metadata.name}/eviction`, eviction)).code, 429);
    await cluster.call('PATCH', `${budgets}/web`, { spec: { minAvailable: 2 } }, patch);
    await becomes(cluster, `${budgets}/web`, 'allows one', ({ status }) => status.disruptionsAllowed === 1);
    assert.equal((await cluster.call('POST', `${podsPath}/${first.metadata.name}/eviction`, eviction)).code, 201);
    await isGone(cluster, `${podsPath}/${first.metadata.name}`);
  },
  'what an owner leaves is collected, or left where that was asked for': async ({ cluster }) => {
    await cluster.call('DELETE', `${appsPath}/daemonsets/agent`, { propagationPolicy: 'Foreground' });
    await isGone(cluster, `${appsPath}/daemonsets/agent`);
    assert.deepEqual(await podsOf(cluster, 'agent'), []);
    await cluster.call('DELETE', `${appsPath}/statefulsets/db`, { propagationPolicy: 'Orphan' });
    await isGone(cluster, `${appsPath}/statefulsets/db`);
    const [left] = await podsOf(cluster, 'db');
    assert.deepEqual([left.metadata.name, left.metadata.ownerReferences], ['db-0', undefined]);
  },
  'a namespace goes with all that is in it': async ({ cluster }) => {
    await cluster.create('/api/v1/namespaces', { metadata: { name: 'passing' } });
    await cluster.create('/api/v1/namespaces/passing/configmaps', { metadata: { name: 'inside' } });
    await becomes(cluster, '/api/v1/namespaces/passing/serviceaccounts/default', 'is made', () => true);
    await cluster.create('/api/v1/namespaces/passing/pods', pod('inside'));
    await cluster.call('DELETE', '/api/v1/namespaces/passing');
    await isGone(cluster, '/api/v1/namespaces/passing');
  },
  'nodes with heartbeats stay Ready, and one that falls silent does not': async ({ cluster, manager }) => {
    const leasePath = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1';
    const first = Date.parse((await cluster.get(leasePath)).body.spec.renewTime);
    // The kubelet that is told to be none says nothing any more.
    await cluster.call('PATCH', '/api/v1/nodes/node-3', { metadata: { annotations: { 'kubereel.dev/kubelet': 'none' } } }, patch);
    await becomes(cluster, '/api/v1/nodes/node-3', 'is given up', (node) => hasCondition(node, 'Ready', 'Unknown'), 120_000);
    await becomes(
      cluster,
      leasePath,
      'has been renewed',
      ({ spec }) => Date.parse(spec.renewTime) > first + 1.5 * graceSeconds * 1000,
      120_000,
    );
    for (const name of ['node-1', 'node-2']) assert.ok(hasCondition((await cluster.get(`/api/v1/nodes/${name}`)).body, 'Ready'), name);
    const { spec } = (await cluster.get('/api/v1/nodes/node-3')).body;
    assert.ok(
      spec.taints.some(
        ({ key, effect }: { key: string; effect: string }) => key === 'node.kubernetes.io/unreachable' && effect === 'NoExecute',
      ),
    );
    await cluster.call('PATCH', '/api/v1/nodes/node-3', { metadata: { annotations: { 'kubereel.dev/kubelet': null } } }, patch);
    await becomes(cluster, '/api/v1/nodes/node-3', 'is back', (node) => hasCondition(node, 'Ready') && !node.spec.taints, 120_000);
    assert.deepEqual(manager.complaints, []);
  },
};
