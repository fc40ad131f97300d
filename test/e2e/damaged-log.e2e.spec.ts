import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kubereel, RunningCluster } from './running-cluster';

let cluster: RunningCluster;
const file = (): string => join(cluster.folder, 'log', 'log.sqlite');

/** A stopped cluster whose log ends with a little of everything. */
beforeEach(async () => {
  cluster = await RunningCluster.start(RunningCluster.temporaryFolder(), '--nodes', '1');
  await cluster.create('/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' }, data: { a: 'as it was written' } });
  await cluster.stop();
});
afterEach(() => cluster.remove());

function damage(bytes: (file: Buffer) => void): void {
  const content = readFileSync(file());
  bytes(content);
  writeFileSync(file(), content);
}

describe('a log with damage at its end', () => {
  it('is not started upon: the event is named, and what to do', async () => {
    damage((content) => content.write('as it was writteN', content.lastIndexOf('as it was written')));
    const { code, stdout, stderr } = await kubereel(['up', '--data', cluster.folder, '--port', '0']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /the log in \S+ is damaged: Created at position \d+ \(local\.configmaps-default\/a, revision 0, id \S+\) does not say what was written/,
    );
    expect(stderr).toContain(`kubereel verify --data ${cluster.folder}`);
    expect(stderr).not.toMatch(/^\s+at /m);
    const until = / --until (\d+) /.exec(stderr)?.[1] ?? '';
    expect((await kubereel(['log', '--until', until, '--data', cluster.folder])).code).toBe(0);
    const verified = await kubereel(['verify', '--data', cluster.folder]);
    expect({ code: verified.code, text: verified.stdout }).toEqual({
      code: 1,
      text: expect.stringContaining('changed: Created local.configmaps-default/a revision 0'),
    });
  });

  it('is not started upon when its pages are none', async () => {
    damage((content) => content.fill(0xa5, 4096 * 2));
    const { code, stdout, stderr } = await kubereel(['up', '--data', cluster.folder, '--port', '0']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/malformed|not a database/);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
