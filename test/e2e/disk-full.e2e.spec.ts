import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, kubereel, RunningCluster } from './running-cluster';

const configMaps = '/api/v1/namespaces/default/configmaps';
const text = 'x'.repeat(200_000);
/** What any file of the process may grow to: stands for a disk with no more room. */
const fileBytesMax = 6 * 1024 * 1024;

const prlimit = ((): string | undefined => {
  try {
    return execFileSync('which', ['prlimit'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
})();

describe.runIf(prlimit)('a disk without room', () => {
  let folder = '';
  beforeEach(() => (folder = RunningCluster.temporaryFolder()));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const limit = (pid: number, bytes: number | 'unlimited'): void =>
    void execFileSync(prlimit!, ['--pid', String(pid), `--fsize=${bytes}:`]);

  it('is said, by the answers, /readyz and the terminal; with room again everything goes on and nothing is lost', async () => {
    const cluster = await RunningCluster.start(folder);
    const pid = cluster.ready()!.pid;
    limit(pid, fileBytesMax);
    const kept: string[] = [];
    const refused = await eventually('a write fails', async () => {
      const name = `c-${kept.length}`;
      const answer = await cluster.call('POST', configMaps, { metadata: { name }, data: { text } });
      if (answer.code !== 201) return answer;
      kept.push(name);
      return undefined;
    });
    expect(refused).toMatchObject({ code: 500, body: { kind: 'Status', reason: 'InternalError' } });
    expect(refused.body.message).toContain('the event log could not write: ');
    // A little still finds room where much does not: it is the last of it that makes the log unready.
    await eventually('not even a little can be written, and /readyz says so', async () => {
      const name = `s-${kept.length}`;
      const { code } = await cluster.call('POST', configMaps, { metadata: { name } });
      if (code === 201) kept.push(name);
      return code !== 201 && (await cluster.get('/readyz')).body.includes('[-]etcd failed');
    });
    await eventually('it is said', () => cluster.output.includes('writes fail until it is back'));
    limit(pid, 'unlimited');
    await eventually('ready again', async () => (await cluster.get('/readyz')).code === 200);
    await cluster.create(configMaps, { metadata: { name: 'after' } });
    const names = (await cluster.get(configMaps)).body.items.map((item: { metadata: { name: string } }) => item.metadata.name);
    expect(names.sort()).toEqual([...kept, 'after', 'kube-root-ca.crt'].sort());
    await cluster.stop();
    expect((await kubereel(['verify', '--data', folder])).stdout).toContain('decisions made again: all agree');
  });
});
