// The ten sample sessions against the built command: a bare clone checks its fidelity with this.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { playApi } from './api/main';
import { builtCli } from './api/play/server';
import { sessionsIn } from './api/recording';
import { sessionLines } from './play-result';

const sample = join(__dirname, 'api/sample');
const cli = builtCli();
const built = cli !== undefined && existsSync(join(dirname(cli), '../../apiserver/src/index.js'));
if (!built) process.stderr.write('!!! THE COMMAND IS NOT BUILT (npm run build): the recorded API sessions are SKIPPED\n');

describe.runIf(built)('recorded API sessions', () => {
  it('are answered without a difference, and leave logs that are proven', { timeout: 120_000 }, async () => {
    const results = await playApi(sample, [], { out: () => undefined, all: true, json: false, values: { verify: '' } });
    const lines = results.flatMap((result) => sessionLines(result, true));
    expect(lines).toEqual(results.map(({ session, total }) => `${session}: ${total}/${total}`));
    expect(results.map(({ session }) => session)).toEqual(sessionsIn(sample));
  });
});
