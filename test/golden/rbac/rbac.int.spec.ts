// Some cases of who may do what against the built command; `npm run golden -- rbac` plays all.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtCli } from '../api/play/server';
import { goldenFolder } from '../golden-folder';
import { sessionLines } from '../play-result';
import { playRbac } from './main';

const folder = goldenFolder('rbac');
const cli = builtCli();
const built = cli !== undefined && existsSync(join(dirname(cli), '../../apiserver/src/index.js'));
if (!built) process.stderr.write('!!! THE COMMAND IS NOT BUILT (npm run build): the recorded cases of authorisation are SKIPPED\n');
const cases = [
  'bootstrap',
  'sar-001',
  'sar-045',
  'agg-002',
  'agg-016',
  'forbidden-01',
  'forbidden-nonresource',
  'impersonate-5',
  'escalation-04',
];

describe.runIf(built && folder)('recorded cases of who may do what', () => {
  it('are answered without a difference, and leave logs that are proven', { timeout: 120_000 }, async () => {
    const results = await playRbac(folder as string, cases, { out: () => undefined, all: true, json: false, values: { verify: '' } });
    const lines = results.flatMap((result) => sessionLines(result, true));
    expect(lines).toEqual(results.map(({ session, total }) => `${session}: ${total}/${total}`));
    expect(results).toHaveLength(cases.length);
  });
});
