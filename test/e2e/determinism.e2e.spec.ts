import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cli, run, RunningCluster } from './running-cluster';
import { rmSync } from 'node:fs';

const scenarios = join(__dirname, '..', '..', 'scenarios');
/** Other versions of Node to compare with: paths of their binaries, separated by colons. */
const others = (process.env.KUBEREEL_OTHER_NODES ?? '').split(':').filter(Boolean);
if (others.length === 0) console.warn('\n*** KUBEREEL_OTHER_NODES is not set: logs are compared on this version of Node only ***\n');

describe('one scenario, one seed: one log, byte for byte', () => {
  const folder = RunningCluster.temporaryFolder();
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function digest(node: string, scenario: string, seed: string): Promise<string> {
    const events = join(folder, `${createHash('sha1').update(node).digest('hex').slice(0, 8)}-${scenario}-${seed}.jsonl`);
    const { code, stdout, stderr } = await run(node, [cli, 'simulate', join(scenarios, scenario), '--seed', seed, '--events', events]);
    expect(code, stdout + stderr).toBe(0);
    return createHash('sha256').update(readFileSync(events)).digest('hex');
  }

  it.each(readdirSync(scenarios).filter((name) => name.endsWith('.yaml')))('%s', { timeout: 120_000 }, async (scenario) => {
    const first = await digest(process.execPath, scenario, 'a');
    expect(await digest(process.execPath, scenario, 'a')).toBe(first);
    for (const node of others) expect(await digest(node, scenario, 'a'), node).toBe(first);
  });
});
