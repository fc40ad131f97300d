import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubereel } from '../e2e/running-cluster';
import type { SuiteRun } from './envtest';
import { JavaSuite, shelfTests } from './envtest-java';

/** The first time, its libraries are downloaded. */
const prepareMs = 25 * 60_000;

describe('a suite of JUnit that was written for kube-api-test, unchanged', () => {
  const suite = new JavaSuite();
  let missing: string | undefined;
  let run: SuiteRun | undefined;

  beforeAll(async () => {
    missing = (await suite.prepare())?.missing;
    if (missing !== undefined) console.warn(`\n*** kube-api-test: ${missing}: ITS TESTS ARE SKIPPED ***\n`);
    else run = await suite.run();
  }, prepareMs);
  afterAll(() => suite.remove());

  it.for(shelfTests)('%s', (name, context) => {
    if (missing !== undefined) return context.skip(missing);
    expect(run?.verdicts.get(name), `${run?.stdout.slice(-6000)}\n${run?.stderr.slice(-3000)}`).toBe('SUCCESSFUL');
  });

  it('ends well', (context) => {
    if (missing !== undefined) return context.skip(missing);
    expect(run?.code, run?.stderr).toBe(0);
    expect(run?.verdicts.size).toBe(shelfTests.length);
  });

  it('leaves a log that verifies clean, though its server is killed', { timeout: 120_000 }, async (context) => {
    if (missing !== undefined) return context.skip(missing);
    expect(run?.kept).toHaveLength(1);
    const { code, stdout, stderr } = await kubereel(['verify', '--data', run?.kept[0] ?? '']);
    expect(code, stdout + stderr).toBe(0);
  });
});
