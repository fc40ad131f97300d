import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { playApi } from './main';
import { builtCli } from './play/server';
import { sessionsIn } from './recording';

const sample = join(__dirname, 'sample');
const cli = builtCli();
if (cli === undefined) console.warn('\n*** the CLI is not built (npm run build): THE SAMPLE OF RECORDED API SESSIONS IS NOT PLAYED ***\n');

describe.skipIf(cli === undefined)('recorded API sessions, against our server', { timeout: 120_000 }, () => {
  it.each(sessionsIn(sample))('%s is answered as recorded', async (session) => {
    const [result] = await playApi(sample, [session], { out: () => undefined, all: true, json: false, values: {} });
    expect(result?.unplayed).toBeUndefined();
    expect(result?.steps).toHaveLength(result?.total ?? 0);
    // What the recorder sent after the last step cleaned up behind it; not all of that succeeded when it was recorded.
    const isCleanUp = (step: number | string, path: string): boolean => step === result?.total && path === 'setup';
    const differences = result?.steps.flatMap(({ step, differences: found }) =>
      found.filter(({ path }) => !isCleanUp(step, path)).map(({ path, text }) => `step ${step}: ${path}: ${text}`),
    );
    expect(differences).toEqual([]);
  });
});
