import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderWhy, why } from '#libs/audit';
import { attemptExplainers } from '../../apps/cli/src/audit/explainers';
import { runScenario } from '../../apps/cli/src/scenario/run-scenario';
import type { Scenario } from '../../apps/cli/src/scenario/scenario';
import { parseScenario, readScenario } from '../../apps/cli/src/scenario/scenario-file';
import { SimulatedTarget } from '../../apps/cli/src/scenario/simulated-target';

const scenarios = join(__dirname, '../../scenarios');

/** @param from a file of scenarios/, or a scenario of its own @param what a pod's name, or `RESOURCE/NAME` */
async function tellWhy(from: string | Scenario, what: string, width?: number) {
  const scenario = typeof from === 'string' ? readScenario(join(scenarios, from)) : from;
  const target = await SimulatedTarget.create(scenario);
  await runScenario(scenario, { target, say: () => undefined, patienceMs: 0 });
  const { log, controllers, runtime } = target.cluster;
  const [name = '', resource = 'pods'] = what.split('/').reverse();
  const object = { resource, namespace: resource === 'nodes' ? undefined : 'default', name };
  const report = await why({ log, cluster: 'local', seed: runtime.seed, object, controllers, explainers: await attemptExplainers() });
  await target.close();
  // Times and positions are not what this is about.
  return report && { report, told: renderWhy(report, { width }).replace(/^\d\d:\d\d:\d\d\.\d{3} +\d+ {2}/gm, '') };
}

/** One node, full with a Deployment's pods, and another one of a higher priority that takes their room. */
const preemptedDeployment = parseScenario(
  `
name: A Deployment is preempted
nodes: {count: 1, cpu: "4", memory: 8Gi}
steps:
  - apply:
      - {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}
      - apiVersion: apps/v1
        kind: Deployment
        metadata: {name: shop}
        spec:
          replicas: 2
          selector: {matchLabels: {app: shop}}
          template: {metadata: {labels: {app: shop}}, spec: {containers: &two [{name: app, image: a:1, resources: {requests: {cpu: "2"}}}]}}
      - {apiVersion: v1, kind: Pod, metadata: {name: orphan}, spec: {schedulerName: none, containers: *two}}
  - wait: 2s
  - apply:
      - apiVersion: apps/v1
        kind: Deployment
        metadata: {name: pay}
        spec:
          replicas: 1
          selector: {matchLabels: {app: pay}}
          template:
            metadata: {labels: {app: pay}}
            spec: {priorityClassName: high, containers: [{name: app, image: a:1, resources: {requests: {cpu: "4"}}}]}
  - wait: 5s
`,
  'preempted-deployment.yaml',
);

describe('why', () => {
  it('of a preemptor: what was tried, what would have helped, what was chosen', async () => {
    const { told } = (await tellWhy('budget-best-effort.yaml', 'high-1'))!;
    expect(told).toMatch(/scheduler +└ no node fits; room is made on node-\d/);
    expect(told).toMatch(/node-1 {2}too little CPU: wants 4, 0 of 4 free \(NodeResourcesFit\)\n/);
    expect(told).toMatch(
      /preemption: room could be made on 2 nodes; node-\d chosen: the fewest victims against a\s+│\s+budget, 0 \(node-\d: 1\)/,
    );
    expect(told).toMatch(/→ node-\d {2}removes batch \(200\)\n/);
    expect(told).toMatch(/ {2}node-\d {2}removes shop \(100\) against budget "shop" \(0 left\)\n/);
    expect(told).toMatch(/└ bound to node-\d/);
  });

  it('of a victim that is gone: who removed it, and the alternatives there were', async () => {
    const { told, report } = (await tellWhy('budget-best-effort.yaml', 'shop'))!;
    expect(told).toMatch(/eviction refused by budget "shop": needs 1 healthy, has 1\n/);
    expect(told).toMatch(/high-2 \(1000\) preempts shop \(100\) on node-\d/);
    expect(told).toMatch(/to be deleted, with 30 s grace/);
    expect(report.standing).toEqual([
      expect.stringMatching(/^gone since [\d:.]+: preempted by default\/high-2 \(1000\)$/),
      'would have kept it: a priority of 1000 or more, preemptionPolicy Never for default/high-2, or room for that pod elsewhere',
    ]);
    expect(told.trimEnd()).toMatch(/kubelet +└ gone$/);
    expect(report.moments.filter(({ attempt }) => attempt?.preemption)).toHaveLength(1);
  });

  it('of a pod that lost its nomination: to whom', async () => {
    const { told } = (await tellWhy('graceful-gap-preempted.yaml', 'high'))!;
    expect(told).toMatch(/loses its nomination\n.*│ higher \(priority 2000\) found no room:/);
    expect(told).toMatch(/note: low-a, low-b were going already/);
  });

  it('of a replacement: back to the deed that led to it', async () => {
    const scenario = readScenario(join(__dirname, '../../scenarios/wrong-priorities.yaml'));
    const target = await SimulatedTarget.create(scenario);
    await runScenario(scenario, { target, say: () => undefined, patienceMs: 0 });
    const { log, controllers, runtime, state } = target.cluster;
    const pod = [...state.list('pods')]
      .filter(({ metadata }) => metadata.labels?.app === 'shop')
      .sort((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? 1 : -1))[0]!;
    const object = { resource: 'pods', namespace: 'default', name: pod.metadata.name };
    const report = (await why({ log, cluster: 'local', seed: runtime.seed, object, controllers, explainers: await attemptExplainers() }))!;
    await target.close();
    expect(renderWhy(report)).toMatch(
      /led to by\n.*admin +Deployment report created\n(.*\n)*.*pod shop-\S+ preempted by report-\S+;\s+this pod replaces it\n/,
    );
  });

  it('of a pod that preempts across nodes: where its victims were', async () => {
    const { told } = (await tellWhy('cross-node-preemption.yaml', 'p'))!;
    expect(told).toMatch(/→ node-1 {2}removes q \(100\) on node-2/);
  });

  it('of a Deployment that lost its pods: how many are ready, why the others are not, who took them', async () => {
    const { told, report } = (await tellWhy(preemptedDeployment, 'deployments.apps/shop'))!;
    expect(report.standing).toEqual([
      expect.stringMatching(/^0 of 2 ready: 2 Pending: 0\/1 nodes are available: 1 Insufficient cpu \(see pod\/shop-\S+\)$/),
      expect.stringMatching(/^2 pods of it preempted, at [\d:.]+, by default\/pay-\S+$/),
    ]);
    expect(told).toMatch(/deployment-controller +2 of 2 ready \(was 0\)/);
    expect(told).toMatch(/scheduler +pod shop-\S+ preempted on node-1 by\s+pay-\S+ \(1000\)/);
    expect(told).toMatch(/deployment-controller +0 of 2 ready \(was 2\)/);
  });

  it('of who preempted: whom, how their workloads stand now, and the budgets that cover them', async () => {
    const shop = expect.stringMatching(/^Deployment default\/shop now: 0 of 2 ready: 2 Pending: 0\/1 nodes are available: /);
    const { told, report } = (await tellWhy(preemptedDeployment, 'deployments.apps/pay'))!;
    expect(report.standing).toEqual([
      '1 of 1 ready',
      expect.stringMatching(/^preempted default\/shop-\S+ \(0\) and default\/shop-\S+ \(0\)$/),
      shop,
    ]);
    expect(told.match(/scheduler +pod shop-\S+ preempted on node-1 by\s+pay-\S+ \(1000\)/g)).toHaveLength(2);
    const [pay = ''] = /(?<=by\s+)pay-\S+/.exec(told) ?? [];
    const pod = (await tellWhy(preemptedDeployment, pay))!;
    expect(pod.report.standing).toEqual(['Running on node-1, ready', report.standing[1], shop]);
    const batch = (await tellWhy('budget-best-effort.yaml', 'high-2'))!;
    expect(batch.report.standing.slice(1)).toEqual([
      'preempted default/shop (100)',
      'PodDisruptionBudget default/shop now: covers no pod now',
    ]);
  });

  it('fits a terminal of 80 columns: the author leads each text, and the next line goes on below it', async () => {
    const { told } = (await tellWhy('budget-best-effort.yaml', 'high-1', 80))!;
    expect(told).toMatch(/WHAT\nadmin: created\n└ scheduler: no node fits; room is made on node-\d\n/);
    expect(told).toMatch(/\n {26}│ preemption: room could be made on 2 nodes;\n {26}│ {5}node-\d chosen: the fewest victims against a\n/);
    const ofVictim = (await tellWhy('budget-best-effort.yaml', 'shop', 80))!;
    for (const line of renderWhy(ofVictim.report, { width: 80 }).split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('of a budget: what it allowed and why that changed, and what went against it', async () => {
    const { told, report } = (await tellWhy('drain.yaml', 'poddisruptionbudgets.policy/web'))!;
    expect(report.standing).toEqual(['allows 0 disruptions: 2 of 3 pods are healthy, 2 have to be']);
    expect(told).toMatch(/disruption +allows 0 → 1 \(healthy 2 → 3 of 3, wants 2\)/);
    expect(told).toMatch(/pod web-[a-z0-9-]+: eviction refused by budget "web": needs 2 healthy, has 2/);
    expect(told).not.toMatch(/disruption budget recomputed/);
  });

  it('of a node: whether it takes pods, who cordoned it, and who left it', async () => {
    const { told, report } = (await tellWhy('drain.yaml', 'nodes/node-2'))!;
    expect(report.standing[0]).toMatch(/^Ready, cordoned by admin at [\d:.]+$/);
    expect(report.standing).toContain('0 pods there, which request 0 of 2 CPU and 0 of 8Gi memory');
    expect(told).toMatch(/admin +cordoned/);
    expect(told).toMatch(/pod default\/web-\S+ evicted/);
  });

  it('of a pod for which no scheduler runs: which do', async () => {
    const { report } = (await tellWhy(preemptedDeployment, 'orphan'))!;
    expect(report.standing).toEqual(['Pending: no scheduler is called "none"; here run default-scheduler']);
  });

  it('of a pod that changed: the values before and after', async () => {
    const { told } = (await tellWhy('wrong-priorities.yaml', 'deployments.apps/report'))!;
    expect(told).toMatch(/admin +spec\.template\.spec\.priorityClassName = \S+/);
  });

  it('knows no object that never was', async () => {
    expect(await tellWhy('preemption.yaml', 'nobody')).toBeUndefined();
  });
});
