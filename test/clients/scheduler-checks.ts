import { strict as assert } from 'node:assert';
import { eventually, type RunningCluster } from '../e2e/running-cluster';
import type { Component } from './component';
import { appsPath, becomes, hasCondition, pod, podsOf, podsPath, workload } from './workloads';

/** A cluster whose pods a stock kube-scheduler places. */
export class Scheduled {
  constructor(
    readonly cluster: RunningCluster,
    readonly scheduler: Component,
  ) {}

  /** A pod, once it runs; the name of its node. */
  async runs(name: string): Promise<string> {
    return (await becomes(this.cluster, `${podsPath}/${name}`, 'runs', ({ status }) => status.phase === 'Running')).spec.nodeName;
  }
}

const patch = { 'content-type': 'application/merge-patch+json' };

/** What is expected of a cluster with kube-scheduler in it. */
export const checks: Record<string, (scheduled: Scheduled) => Promise<void>> = {
  'it starts: its informers are in step and it leads': async ({ scheduler }) => {
    await eventually('it leads', () => {
      assert.deepEqual(scheduler.complaints, []);
      return scheduler.log.includes('successfully acquired lease kube-system/kube-scheduler');
    });
  },
  'it places the pods of a Deployment over the nodes': async ({ cluster }) => {
    await cluster.create(`${appsPath}/deployments`, workload('spread', { replicas: 6 }));
    await becomes(cluster, `${appsPath}/deployments/spread`, 'is available', ({ status }) => status.availableReplicas === 6);
    const nodes = (await podsOf(cluster, 'spread')).map(({ spec }) => spec.nodeName).sort();
    assert.deepEqual(nodes, ['node-1', 'node-1', 'node-2', 'node-2', 'node-3', 'node-3']);
    const { items } = (await cluster.get('/api/v1/namespaces/default/events?fieldSelector=reason%3DScheduled')).body;
    assert.equal(items.length, 6);
    assert.match(items[0].message, /^Successfully assigned default\/spread-\S+ to node-\d$/);
  },
  'a pod that fits nowhere waits, and is placed once a node is as it wants it': async (scheduled) => {
    const { cluster } = scheduled;
    await cluster.create(podsPath, pod('picky', { spec: { nodeSelector: { disk: 'ssd' } } }));
    const waiting = await becomes(cluster, `${podsPath}/picky`, 'is refused', (object) => hasCondition(object, 'PodScheduled', 'False'));
    assert.match(waiting.status.conditions[0].message, /^0\/3 nodes are available: 3 node\(s\) didn't match Pod's node affinity\/selector/);
    await cluster.call('PATCH', '/api/v1/nodes/node-2', { metadata: { labels: { disk: 'ssd' } } }, patch);
    assert.equal(await scheduled.runs('picky'), 'node-2');
  },
  'a pod with a scheduling gate is left alone until the gate goes': async (scheduled) => {
    const { cluster } = scheduled;
    await cluster.create(podsPath, pod('gated', { spec: { schedulingGates: [{ name: 'example.com/wait' }] } }));
    await cluster.create(podsPath, pod('after-gated'));
    await scheduled.runs('after-gated');
    const { body } = await cluster.get(`${podsPath}/gated`);
    assert.deepEqual([body.spec.nodeName, body.status.conditions[0].reason], [undefined, 'SchedulingGated']);
    await cluster.call('PATCH', `${podsPath}/gated`, { spec: { schedulingGates: null } }, patch);
    await scheduled.runs('gated');
  },
  'it preempts: a nomination, victims with their condition, then the binding': async (scheduled) => {
    const { cluster } = scheduled;
    await cluster.create(
      `${appsPath}/deployments`,
      workload('low', { replicas: 6 }, { cpu: '1500m', annotations: { 'kubereel.dev/on-term': 'takes 5s' } }),
    );
    await becomes(cluster, `${appsPath}/deployments/low`, 'is available', ({ status }) => status.availableReplicas === 6);
    await cluster.create('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'high' }, value: 1_000_000 });
    const before = new Set((await podsOf(cluster, 'low')).map(({ metadata }) => metadata.name));
    await cluster.create(podsPath, pod('vip', { cpu: '3', spec: { priorityClassName: 'high' } }));
    const nominated = await becomes(cluster, `${podsPath}/vip`, 'is nominated', ({ status }) => Boolean(status.nominatedNodeName));
    const victims = await eventually('two have to go', async () => {
      const going = (await podsOf(cluster, 'low')).filter(({ metadata }) => metadata.deletionTimestamp);
      return going.length === 2 ? going : undefined;
    });
    for (const victim of victims) {
      assert.equal(victim.spec.nodeName, nominated.status.nominatedNodeName);
      const target = victim.status.conditions.find(({ type }: { type: string }) => type === 'DisruptionTarget');
      assert.equal(target?.reason, 'PreemptionByScheduler');
    }
    assert.equal(await scheduled.runs('vip'), nominated.status.nominatedNodeName);
    const after = await podsOf(cluster, 'low');
    assert.equal(after.filter(({ metadata }) => before.has(metadata.name)).length, 4);
  },
  'started again, it goes on where it was': async (scheduled) => {
    const { cluster, scheduler } = scheduled;
    await scheduler.kill();
    await cluster.create(podsPath, pod('meanwhile'));
    scheduler.start();
    await scheduled.runs('meanwhile');
    assert.deepEqual(scheduler.complaints, []);
  },
};
