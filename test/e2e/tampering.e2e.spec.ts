import { DatabaseSync } from '@photostructure/sqlite';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, kubereel, RunningCluster } from './running-cluster';

describe('a log that somebody else has edited', () => {
  let folder = '';
  let cluster: RunningCluster;
  const copies: string[] = [];

  beforeAll(async () => {
    folder = RunningCluster.temporaryFolder();
    cluster = await RunningCluster.start(folder, '--nodes', '1,cpu=2');
    const containers = [{ name: 'c', image: 'app:1', resources: { requests: { cpu: '1' } } }];
    await cluster.create('/api/v1/namespaces/default/pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web' },
      spec: { containers },
    });
    await eventually('the pod runs', async () => (await cluster.pods())[0]?.status.phase === 'Running');
    await cluster.stop();
  });
  afterAll(() => cluster.remove());

  /** A copy of the cluster's folder with one edit made in its log by plain SQL. */
  async function edited(sql: string): Promise<{ code: number; stdout: string }> {
    const copy = RunningCluster.temporaryFolder();
    copies.push(copy);
    cpSync(folder, copy, { recursive: true });
    const database = new DatabaseSync(join(copy, 'log', 'log.sqlite'));
    database.exec(sql);
    database.close();
    return kubereel(['verify', '--data', copy]);
  }

  it('is whole as it was written', async () => {
    const { code, stdout } = await kubereel(['verify', '--data', folder]);
    expect(stdout).toContain('digest chain whole');
    expect(code).toBe(0);
  });

  it('names a changed event', async () => {
    const { code, stdout } = await edited(`UPDATE events SET data = replace(data, '"node-1"', '"node-9"') WHERE type = 'PodScheduled'`);
    expect(stdout).toMatch(/^changed: PodScheduled local\.pods-default\/web revision \d+/m);
    expect(code).toBe(1);
  });

  it('names the place of a removed event', async () => {
    const { code, stdout } = await edited(`DELETE FROM events WHERE type = 'PodScheduled'`);
    expect(stdout).toMatch(/^removed: \w+ local\.pods-default\/web revision \d+ .* is gone$/m);
    expect(code).toBe(1);
  });

  it.each([
    ['removed', `DELETE FROM events WHERE position = (SELECT max(position) FROM events WHERE type = 'ContainerStarted')`],
    ['hidden', `UPDATE events SET type = '$' || type WHERE position IN (SELECT position FROM events WHERE type = 'StatusUpdated')`],
    ['without its payload', `UPDATE events SET data = NULL WHERE type = 'PodScheduled'`],
    ['without its metadata', `UPDATE events SET metadata = NULL WHERE type = 'PodScheduled'`],
    ['without its object', `UPDATE events SET data = '{"object":{}}' WHERE type = 'Created' AND data LIKE '%"name":"web"%'`],
  ])('reads on behind an event that is %s, and names it', async (_what, sql) => {
    const { code, stdout } = await edited(sql);
    expect(stdout).toMatch(/^(removed|changed|inserted): /m);
    expect(stdout).toMatch(/\d+ decisions made again: /);
    expect(code).toBe(1);
  });

  it('says that the end is cut off, by what the folder has seen', async () => {
    const { code, stdout } = await edited('DELETE FROM events WHERE position = (SELECT max(position) FROM events)');
    expect(stdout).toMatch(
      /^removed: .* belongs to a log with event [0-9a-f-]{36} at position \d+; the log that is there now has no event there$/m,
    );
    expect(code).toBe(1);
  });

  it('names an inserted event', async () => {
    const { code, stdout } = await edited(
      `INSERT INTO events
       SELECT (SELECT max(position) + 16 FROM events), stream, (SELECT max(revision) + 1 FROM events e WHERE e.stream = events.stream),
         '00000000-0000-4000-8000-000000000000', type, created, json, data, metadata
       FROM events WHERE type = 'PodScheduled'`,
    );
    expect(stdout).toMatch(/^(changed|inserted): PodScheduled local\.pods-default\/web revision \d+/m);
    expect(code).toBe(1);
  });
});
