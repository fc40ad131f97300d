import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderWhy, why } from '#libs/audit';
import { attemptExplainers } from '../../apps/cli/src/audit/explainers';
import { runScenario } from '../../apps/cli/src/scenario/run-scenario';
import { readScenario } from '../../apps/cli/src/scenario/scenario-file';
import { SimulatedTarget } from '../../apps/cli/src/scenario/simulated-target';

async function tellWhy(file: string, name: string) {
  const scenario = readScenario(join(__dirname, '../../scenarios', file));
  const target = await SimulatedTarget.create(scenario);
  await runScenario(scenario, { target, say: () => undefined, patienceMs: 0 });
  const { log, controllers, runtime } = target.cluster;
  const object = { resource: 'pods', namespace: 'default', name };
  const report = await why({ log, cluster: 'local', seed: runtime.seed, object, controllers, explainers: await attemptExplainers() });
  await target.close();
  // Times and positions are not what this is about.
  return report && { report, told: renderWhy(report).replace(/^\d\d:\d\d:\d\d\.\d{3} +\d+ {2}/gm, '') };
}

describe('why', () => {
  it('of a preemptor: what was tried, what would have helped, what was chosen', async () => {
    const { told } = (await tellWhy('budget-best-effort.yaml', 'high-1'))!;
    expect(told).toMatch(/scheduler +└ no node fits; room is made on node-\d/);
    expect(told).toMatch(/preemption: would help on 2 nodes, decided by the fewest budget violations/);
    expect(told).toMatch(/→ node-\d {2}removes batch \(200\)\n/);
    expect(told).toMatch(/ {2}node-\d {2}removes shop \(100\), against a budget\n/);
    expect(told).toMatch(/└ bound to node-\d/);
  });

  it('of a victim that is gone: who removed it, and the alternatives there were', async () => {
    const { told, report } = (await tellWhy('budget-best-effort.yaml', 'shop'))!;
    expect(told).toMatch(/eviction refused: The disruption budget shop needs 1 healthy pods and has 1 currently/);
    expect(told).toMatch(/high-2 \(1000\) preempts shop \(100\) on node-\d/);
    expect(told).toMatch(/to be deleted, with 30 s grace/);
    expect(told.trimEnd()).toMatch(/kubelet +gone$/);
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
      /led to by\n.*admin +deployments.apps report created\n(.*\n)*.*shop-\S+ to be deleted, with 30 s grace/,
    );
  });

  it('of a pod that preempts across nodes: where its victims were', async () => {
    const { told } = (await tellWhy('cross-node-preemption.yaml', 'p'))!;
    expect(told).toMatch(/→ node-1 {2}removes q \(100\) on node-2/);
  });

  it('knows no object that never was', async () => {
    expect(await tellWhy('preemption.yaml', 'nobody')).toBeUndefined();
  });
});
