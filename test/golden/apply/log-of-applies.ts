// What the log of played applies has to say.
import { expect } from 'vitest';
import { ClusterState, foldLog, restoreSnapshot, takeSnapshot, type Snapshot } from '#libs/cluster-state';
import type { EventLog } from '#libs/event-log';
import type { KubeObject } from '#libs/kernel';
import type { ApiUnderTest } from '../../api-under-test.fixture';

const written = (state: ClusterState): unknown => JSON.parse(JSON.stringify(takeSnapshot(state).objects));

/** Owners are the same whether the server answers, the log is folded anew, or a snapshot in its midst is gone on from. */
export async function isWhatTheLogMakes(api: ApiUnderTest, log: EventLog, path = '/api/v1/configmaps'): Promise<void> {
  const whole = await foldLog(log, 'local');
  const answer = await api.send({ method: 'GET', path });
  const { items } = JSON.parse(answer.body) as { items: KubeObject[] };
  const [resource = '', , group] = path.split('/').reverse();
  const kept = whole.list(group === 'api' ? resource : `${resource}.${group}`);
  expect(items).toEqual(JSON.parse(JSON.stringify([...kept])));
  expect(items.some(({ metadata }) => metadata.managedFields)).toBe(true);
  const half = await foldLog(log, 'local', { until: whole.position / 2 });
  const snapshot = JSON.parse(JSON.stringify(takeSnapshot(half))) as Snapshot;
  const gone = await foldLog(log, 'local', { from: restoreSnapshot('local', snapshot) as ClusterState });
  expect(written(gone)).toEqual(written(whole));
}
