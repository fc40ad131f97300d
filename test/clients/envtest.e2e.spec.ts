import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubereel } from '../e2e/running-cluster';
import { EnvtestSuite, operatorTests, type SuiteRun } from './envtest';

/** The first time, all of controller-runtime is compiled. */
const prepareMs = 25 * 60_000;

describe('a suite that was written for envtest, unchanged', () => {
  const suite = new EnvtestSuite();
  let missing: string | undefined;
  let run: SuiteRun | undefined;

  beforeAll(async () => {
    missing = (await suite.prepare())?.missing;
    if (missing !== undefined) console.warn(`\n*** envtest: ${missing}: ITS TESTS ARE SKIPPED ***\n`);
    else run = await suite.run();
  }, prepareMs);
  afterAll(() => suite.remove());

  it.for(operatorTests)('%s', (name, context) => {
    if (missing !== undefined) return context.skip(missing);
    const said = `${run?.stdout.slice(-6000)}\n${run?.stderr.slice(-3000)}`;
    expect(run?.verdicts.get(name), said).toBe('PASS');
  });

  it('ends well, and says how long its environment took', (context) => {
    if (missing !== undefined) return context.skip(missing);
    expect(run?.code, run?.stderr).toBe(0);
    expect(run?.stdout).toMatch(/environment started in \d+ ms/);
  });

  it('leaves a log that verifies clean', { timeout: 120_000 }, async (context) => {
    if (missing !== undefined) return context.skip(missing);
    expect(run?.kept).toHaveLength(1);
    const { code, stdout, stderr } = await kubereel(['verify', '--data', run?.kept[0] ?? '']);
    expect(code, stdout + stderr).toBe(0);
  });
});
