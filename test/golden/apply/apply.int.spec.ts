import { expect, it } from 'vitest';
import { findingText, verify } from '#libs/audit';
import { ClusterState, foldLog, restoreSnapshot, takeSnapshot, type Snapshot } from '#libs/cluster-state';
import type { EventLog } from '#libs/event-log';
import type { KubeObject } from '#libs/kernel';
import { controllerFactory } from '../../../apps/cli/src/up/controllers';
import type { ApiUnderTest } from '../../api-under-test.fixture';
import { goldenFolder } from '../golden-folder';
import differences from './known-differences.json';
import { playApplies } from './main';

const folder = goldenFolder('apply');
/** Steps that are known to differ: `apply-service-006/2`. One that agrees by now is taken off the list. */
const known: readonly string[] = differences;
/** One sequence in so many; all of them: `npm run golden -- apply`. */
const every = '9';

it.skipIf(!folder)(
  'recorded applies agree, step by step; what was answered is what the log makes of it, and the log is proven',
  async () => {
    const results = await playApplies(folder as string, [], { values: { every } }, async (api, log) => {
      await isWhatTheLogMakes(api, log);
      await isProven(log);
    });
    const steps = results.flatMap((result) => result.steps);
    const failed = steps.filter(({ differences, step }) => differences.length > 0 && !known.includes(String(step)));
    expect(failed.map(({ step, differences }) => `${step}: ${differences[0]?.path} ${differences[0]?.text}`)).toEqual([]);
    const agreed = steps.filter(({ step, differences }) => differences.length === 0 && known.includes(String(step)));
    expect(agreed.map(({ step }) => step)).toEqual([]);
    expect(steps.length).toBeGreaterThan(200);
  },
  120_000,
);

const written = (state: ClusterState): unknown => JSON.parse(JSON.stringify(takeSnapshot(state).objects));

/** Owners are the same whether the server answers, the log is folded anew, or a snapshot in its midst is gone on from. */
async function isWhatTheLogMakes(api: ApiUnderTest, log: EventLog): Promise<void> {
  const whole = await foldLog(log, 'local');
  const answer = await api.send({ method: 'GET', path: '/api/v1/configmaps' });
  const { items } = JSON.parse(answer.body) as { items: KubeObject[] };
  expect(items).toEqual(JSON.parse(JSON.stringify([...whole.list('configmaps')])));
  expect(items.some(({ metadata }) => metadata.managedFields)).toBe(true);
  const half = await foldLog(log, 'local', { until: whole.position / 2 });
  const snapshot = JSON.parse(JSON.stringify(takeSnapshot(half))) as Snapshot;
  const gone = await foldLog(log, 'local', { from: restoreSnapshot('local', snapshot) as ClusterState });
  expect(written(gone)).toEqual(written(whole));
}

async function isProven(log: EventLog): Promise<void> {
  const report = await verify({ log, cluster: 'local', controllers: await controllerFactory() });
  expect(report.findings.map(findingText)).toEqual([]);
}
