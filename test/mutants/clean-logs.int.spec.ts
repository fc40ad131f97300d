import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findingText, verify } from '#libs/audit';
import { readScenario } from '../../apps/cli/src/scenario/scenario-file';
import { runScenario } from '../../apps/cli/src/scenario/run-scenario';
import { SimulatedTarget } from '../../apps/cli/src/scenario/simulated-target';

const folder = join(__dirname, '../../scenarios');

describe('a log that nobody has touched', () => {
  it.each(readdirSync(folder).filter((file) => file.endsWith('.yaml')))('is proven: %s', async (file) => {
    const scenario = readScenario(join(folder, file));
    for (const seed of ['a', 'b']) {
      const target = await SimulatedTarget.create(scenario, seed);
      await runScenario(scenario, { target, say: () => undefined, patienceMs: 0 });
      const { log, controllers } = target.cluster;
      await target.cluster.seal();
      const report = await verify({ log, cluster: 'local', controllers });
      expect(report.seals.inLog.agreed).toBeGreaterThan(0);
      expect({ seed, findings: report.findings.map(findingText), unproven: report.unproven }).toEqual({ seed, findings: [], unproven: [] });
      await target.cluster.close();
    }
  });
});
