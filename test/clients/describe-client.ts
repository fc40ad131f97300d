import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubereel, RunningCluster } from '../e2e/running-cluster';
import { BreakableLine } from './breakable-line';
import type { Client, Outcomes } from './client';

/** Preparing may compile a client and all that it is made of. */
const prepareMs = 25 * 60_000;
const playMs = 15 * 60_000;
const named = new Set((process.env.KUBEREEL_CLIENTS ?? '').split(/[ ,]/));

/** The tests of one client: it is made ready, plays its checks against a cluster of its own, and the log of that cluster is verified. */
export function describeClient(client: Client): void {
  if (client.onlyByName && !named.has(client.command)) {
    describe.skip(
      client.title,
      () => void it(`runs by name alone (npm run clients -- ${client.command}): ${client.onlyByName}`, () => undefined),
    );
    return;
  }
  describe(client.title, () => {
    let outcomes: Outcomes = new Map();
    let missing: string | undefined;
    let cluster: RunningCluster | undefined;
    let folder: string | undefined;

    beforeAll(async () => {
      const prepared = await client.prepare();
      if ('missing' in prepared) {
        missing = prepared.missing;
        console.warn(`\n*** ${client.title}: ${missing}: ITS TESTS ARE SKIPPED ***\n`);
        return;
      }
      folder = mkdtempSync(join(tmpdir(), 'kubereel-client-'));
      cluster = await RunningCluster.start(RunningCluster.temporaryFolder(), ...(client.up ?? ['--nodes', '2', '--compact-after', '400']));
      const line = await BreakableLine.to({ host: '127.0.0.1', port: Number(new URL(cluster.ready()?.url ?? '').port) });
      try {
        outcomes = await prepared.play({ cluster, line, folder });
      } finally {
        await line.end();
      }
    }, prepareMs + playMs);
    afterAll(async () => {
      await cluster?.stop();
      cluster?.remove();
      if (folder) rmSync(folder, { recursive: true, force: true });
    });

    for (const check of client.checks) {
      it(check, (context) => {
        if (missing) return context.skip(missing);
        expect(outcomes.has(check), `the program said nothing of “${check}”; it spoke of ${[...outcomes.keys()].join(', ')}`).toBe(true);
        const why = outcomes.get(check);
        if (why !== undefined) throw new Error(why);
      });
    }

    it('its checks are those that are listed', (context) => {
      if (missing) return context.skip(missing);
      expect([...outcomes.keys()].sort()).toEqual([...client.checks].sort());
    });

    it('the log of all this verifies clean', { timeout: 120_000 }, async (context) => {
      if (missing) return context.skip(missing);
      expect(await cluster?.stop()).toBe(0);
      const { code, stdout, stderr } = await kubereel(['verify', '--data', cluster?.folder ?? '']);
      expect(code, stdout + stderr).toBe(0);
    });
  });
}
