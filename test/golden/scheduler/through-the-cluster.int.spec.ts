import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { goldenFolder } from '../golden-folder';
import { AppliedCluster } from './through-the-cluster/applied-cluster';
import { compareEvents, compareStored } from './through-the-cluster/compare-events';
import { sampleOf, type SampledScenario } from './through-the-cluster/sample';

const wanted = 100;
const recordings = goldenFolder('scheduler');
const { scenarios, left } = sampleOf(recordings ?? join(__dirname, 'sample'), wanted);
const verified = { decisions: 0, differ: 0, notDerivable: 0 };

async function differencesOf({ file, scenario }: SampledScenario): Promise<string[]> {
  const differences: string[] = [];
  const differ = (what: string, expected: unknown, actual: unknown): void => {
    differences.push(`${file} ${scenario.name}: ${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
  };
  const cluster = await AppliedCluster.of(scenario);
  for (const pod of [...(scenario.pods ?? []), scenario.pod as KubeObject]) compareStored(pod, cluster.get('pods', pod.metadata.namespace, pod.metadata.name), differ);
  for (const node of scenario.nodes ?? []) compareStored(node, cluster.get('nodes', undefined, node.metadata.name), differ);
  for (const budget of (scenario['pdbs'] as KubeObject[] | undefined) ?? []) {
    compareStored(budget, cluster.get('poddisruptionbudgets.policy', budget.metadata.namespace, budget.metadata.name), differ);
  }
  const events = await cluster.schedule();
  compareEvents(scenario, events, differ);
  const report = await cluster.verify();
  for (const { text } of [...report.differences, ...report.underivable, ...report.chain]) differ('verify', 'agreement', text);
  verified.decisions += report.agreed;
  verified.differ += report.differ;
  verified.notDerivable += report.notDerivable + report.otherVersion;
  return differences;
}

describe('recorded scenarios applied to a cluster through the API', () => {
  afterAll(() => {
    const reasons = [...left].map(([reason, count]) => `${count}: ${reason}`);
    process.stderr.write(`${scenarios.length} scenarios through the cluster; left out of all: ${reasons.join('; ') || 'none'}\n`);
  });

  const files = [...new Set(scenarios.map(({ file }) => file))];
  it.each(files)('%s is decided as recorded, and the log of it verifies', async (file) => {
    const differences: string[] = [];
    for (const sampled of scenarios) if (sampled.file === file) differences.push(...(await differencesOf(sampled)));
    expect(differences).toEqual([]);
  });

  it('are as many as were asked for, and each left a decision that was made again', () => {
    expect(scenarios.length).toBe(recordings === undefined ? scenarios.length : wanted);
    expect(scenarios.length).toBeGreaterThan(40);
    expect(verified.decisions).toBeGreaterThan(scenarios.length);
    expect(verified).toMatchObject({ differ: 0, notDerivable: 0 });
  });
});
