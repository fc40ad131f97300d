import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verify } from '#libs/audit';
import type { EventLog } from '#libs/event-log';
import { readScenario } from '../../apps/cli/src/scenario/scenario-file';
import { runScenario, type ScenarioResult } from '../../apps/cli/src/scenario/run-scenario';
import { SimulatedTarget } from '../../apps/cli/src/scenario/simulated-target';
import { brokenInvariants } from './invariants';

const folder = join(__dirname, '../../scenarios');
const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));

interface Played {
  target: SimulatedTarget;
  result: ScenarioResult;
  told: string;
}

async function play(file: string, seed?: string): Promise<Played> {
  const scenario = readScenario(join(folder, file));
  const target = await SimulatedTarget.create(scenario, seed);
  const lines: string[] = [];
  const result = await runScenario(scenario, { target, say: (line) => void lines.push(line), patienceMs: 0 });
  return { target, result, told: lines.join('\n') };
}

async function textOf(log: EventLog): Promise<string[]> {
  const lines: string[] = [];
  for await (const page of log.readAll()) for (const event of page) lines.push(JSON.stringify(event));
  return lines;
}

it('there are scenarios', () => {
  expect(files.length).toBeGreaterThanOrEqual(9);
});

describe.each(files)('scenarios/%s', (file) => {
  let played: Played;
  beforeAll(async () => {
    played = await play(file);
  });
  afterAll(() => played.target.close());

  it('meets its expectations', () => {
    expect(played.result.failures).toEqual([]);
    expect(played.result.checks).toBeGreaterThan(4);
  });

  it('is told in lines that fit a terminal', () => {
    expect(played.told.split('\n').filter((line) => line.length > 120)).toEqual([]);
  });

  it('binds no pod twice, over-commits no node, takes no victim of equal rank, overspends no budget', async () => {
    expect(await brokenInvariants(played.target.cluster.log)).toEqual([]);
  });

  it('is derivable: every decision follows from its basis, and the digest chain is whole', async () => {
    const { log, controllers, runtime } = played.target.cluster;
    const report = await verify({ log, cluster: 'local', seed: runtime.seed, controllers });
    expect(report).toMatchObject({ differ: 0, otherVersion: 0, notDerivable: 0, differences: [], chain: [] });
    expect(report.agreed).toBeGreaterThan(5);
  });

  it('is the same, byte for byte, with the same seed', async () => {
    const again = await play(file);
    expect(again.told).toBe(played.told);
    expect(await textOf(again.target.cluster.log)).toEqual(await textOf(played.target.cluster.log));
    await again.target.close();
  });

  it.each(['a', 'b', 'c'])('meets its expectations with seed %s too', async (seed) => {
    const other = await play(file, seed);
    expect(other.result.failures).toEqual([]);
    expect(await brokenInvariants(other.target.cluster.log)).toEqual([]);
    await other.target.close();
  });
});
