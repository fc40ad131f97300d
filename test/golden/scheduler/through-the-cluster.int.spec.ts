import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { goldenFolder } from '../golden-folder';
import type { Scenario, SingleExpectation } from './scenario';
import { differencesThroughTheCluster, playThroughTheCluster } from './through-the-cluster/main';
import { sampleOf } from './through-the-cluster/sample';

const wanted = 100;
const recordings = goldenFolder('scheduler');
const folder = recordings ?? join(__dirname, 'sample');

describe('recorded scenarios applied to a cluster through the API', () => {
  it('are decided as recorded, and every decision is made again from the log', async () => {
    const { files, differences, left, verified } = await playThroughTheCluster(folder, wanted);
    const played = [...files.values()].reduce((sum, file) => sum + file.played, 0);
    const reasons = [...left].map(([reason, count]) => `${count}: ${reason}`);
    process.stderr.write(`${played} scenarios through the cluster; left out of all: ${reasons.join('; ') || 'none'}\n`);
    expect(differences).toEqual([]);
    expect(played).toBe(recordings === undefined ? played : wanted);
    expect(played).toBeGreaterThan(40);
    expect(verified.agreed).toBeGreaterThan(played);
    expect(verified).toMatchObject({ differ: 0, notDerivable: 0 });
  }, 120_000);

  it('are compared as strictly: an expectation that is changed is a difference', async () => {
    const missed: string[] = [];
    for (const { file, scenario } of sampleOf(join(__dirname, 'sample'), 200).scenarios) {
      const differences = await differencesThroughTheCluster({ file, scenario: changed(scenario) });
      if (differences.length === 0) missed.push(scenario.name);
    }
    expect(missed).toEqual([]);
  }, 120_000);
});

function changed(scenario: Scenario): Scenario {
  const expect = scenario.expect as SingleExpectation;
  const { preemption } = expect;
  if (expect.best.length > 0) return { ...scenario, expect: { ...expect, best: ['no-such-node'] } };
  if (preemption?.chosen === undefined) return { ...scenario, expect: { ...expect, message: `${expect.message} ` } };
  return {
    ...scenario,
    expect: {
      ...expect,
      preemption: { ...preemption, candidates: preemption.candidates?.map((each) => ({ ...each, victims: [...each.victims, 'a/b'] })) },
    },
  };
}
