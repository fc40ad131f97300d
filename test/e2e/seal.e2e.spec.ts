import { DatabaseSync } from '@photostructure/sqlite';
import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, kubereel, run, RunningCluster } from './running-cluster';

const sealLine = /^kubereel-seal\/1 local (\d+) (\d+) [\w-]{43} ed25519:[\w-]{86}\n$/;

describe('the seal of a cluster', () => {
  let folder = '';
  let cluster: RunningCluster;
  /** Printed while the cluster ran, and after it was stopped. */
  let early = '';
  let late = '';
  const copies: string[] = [];
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  beforeAll(async () => {
    folder = RunningCluster.temporaryFolder();
    cluster = await RunningCluster.start(folder, '--nodes', '1,cpu=2');
    early = (await kubereel(['seal', '--data', folder])).stdout;
    const containers = [{ name: 'c', image: 'app:1', resources: { requests: { cpu: '1' } } }];
    await cluster.create('/api/v1/namespaces/default/pods', { metadata: { name: 'web' }, spec: { containers } });
    await eventually('the pod runs', async () => (await cluster.pods())[0]?.status.phase === 'Running');
    await cluster.stop();
    late = (await kubereel(['seal', '--data', folder])).stdout;
  });
  afterAll(() => {
    for (const copy of copies) rmSync(copy, { recursive: true, force: true });
    cluster.remove();
  });

  function copied(): string {
    const copy = RunningCluster.temporaryFolder();
    copies.push(copy);
    cpSync(folder, copy, { recursive: true });
    return copy;
  }

  function edited(sql: string): string {
    const copy = copied();
    const database = new DatabaseSync(join(copy, 'log', 'log.sqlite'));
    database.exec(sql);
    database.close();
    return copy;
  }

  it('is a line, of a running cluster and of a stopped one, the same from the first event as from the last seal', async () => {
    expect(early).toMatch(sealLine);
    expect(late).toMatch(sealLine);
    expect((await kubereel(['seal', '--data', folder, '--whole'])).stdout).toBe(late);
    expect(Number(sealLine.exec(late)?.[1])).toBeGreaterThan(Number(sealLine.exec(early)?.[1]));
  });

  it('agrees with the log that it is of, and with what has come since', async () => {
    const key = (await kubereel(['seal', '--data', folder, '--public-key'])).stdout.trim();
    const seals = file('seals.txt', `# of today\n${early}${late}`);
    const { code, stdout } = await kubereel(['verify', '--data', folder, '--seal', seals, '--seal-key', key]);
    const events = sealLine.exec(late)?.[1];
    expect(stdout).toContain(`\n2 seals kept elsewhere agree: ${events} of ${events} events\n`);
    expect(stdout).toContain(`\n1 seal of the last stop, in the data folder, agrees: ${events} of ${events} events\n`);
    expect(stdout).toMatch(/\n1 seal in the log agrees: \d+ of \d+ events\n/);
    expect(stdout).not.toContain('not proven');
    expect(code).toBe(0);
  });

  it('says what is not proven without one', async () => {
    const { stdout } = await kubereel(['verify', '--data', folder]);
    expect(stdout).toContain('\nnot proven: that nobody has written the log anew; that takes a seal kept elsewhere (kubereel seal)\n');
  });

  it.each([
    ['a last event that is gone', 'DELETE FROM events WHERE position = (SELECT max(position) FROM events)', /^truncated: /m],
    [
      'the last 20 that are gone',
      'DELETE FROM events WHERE position IN (SELECT position FROM events ORDER BY position DESC LIMIT 20)',
      /^truncated: /m,
    ],
    [
      'a stream that is gone',
      `DELETE FROM events WHERE stream = (SELECT id FROM streams WHERE name = 'local.nodes-node-1')`,
      /^truncated: /m,
    ],
    ['a stream with another name', `UPDATE streams SET name = 'local.nodes-node-2' WHERE name = 'local.nodes-node-1'`, /^rewritten: /m],
    [
      'two appends of two streams in another order',
      `UPDATE events SET position = 1 WHERE type = 'PodBecameReady';
       UPDATE events SET position = (SELECT max(position) FROM events) + 16 WHERE position = 1`,
      /^rewritten: /m,
    ],
  ])('finds %s, kept elsewhere as in the data folder', async (_what, sql, found) => {
    const copy = edited(sql);
    const seals = file('late.txt', late);
    for (const flags of [[], ['--seal', seals]]) {
      const { code, stdout } = await kubereel(['verify', '--data', copy, ...flags]);
      expect(stdout).toMatch(found);
      expect(code).toBe(1);
    }
    rmSync(join(copy, 'log.json'));
    expect((await kubereel(['verify', '--data', copy, '--seal', seals])).stdout).toMatch(found);
  });

  it('finds a log that is another one, lived by the same rules', async () => {
    const other = RunningCluster.temporaryFolder();
    copies.push(other);
    const running = await RunningCluster.start(other, '--nodes', '1,cpu=2');
    await running.stop();
    const { code, stdout } = await kubereel(['verify', '--data', other, '--seal', file('early.txt', early)]);
    expect(stdout).toMatch(/^rewritten: .*early\.txt line 1 says .* it was written anew/m);
    expect(code).toBe(1);
  });

  it('is signed with a key that only its owner can read, made once; another signature is refused', async () => {
    expect(statSync(join(folder, 'seal.key')).mode & 0o777).toBe(0o600);
    const pem = (await run(process.execPath, ['-e', newKey])).stdout;
    const other = (await kubereel(['seal', '--data', folder, '--key', file('other.pem', pem)])).stdout;
    expect(other).toMatch(sealLine);
    expect(other).not.toBe(late);
    const key = file('key.pub', (await kubereel(['seal', '--data', folder, '--public-key'])).stdout);
    const verified = async (text: string) => kubereel(['verify', '--data', folder, '--seal', file('signed.txt', text), '--seal-key', key]);
    expect(await verified(late)).toMatchObject({ code: 0 });
    const refused = await verified(late + other);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('signed.txt, line 2: this seal is not signed with the key of --seal-key');
    expect((await verified(late.replace(/ ed25519.*/, ''))).stderr).toContain('line 1: this seal is not signed');
  });

  it('comes without a signature where none is wanted', async () => {
    const { stdout, stderr } = await kubereel(['seal', '--data', folder, '--no-signature']);
    expect(stdout).toBe(late.replace(/ ed25519.*/, ''));
    expect(stderr).toBe('');
  });

  it.each([
    [['verify', '--seal', '/nowhere/seals.txt'], '/nowhere/seals.txt cannot be read: there is no such file'],
    [['verify', '--seal', '/tmp'], '/tmp cannot be read: it is a folder'],
    [['verify', '--seal', 'WRONG'], 'line 1: it does not begin with kubereel-seal/1'],
    [['verify', '--seal', 'OTHER'], 'OTHER, line 1: this is a seal of the cluster "prod", and the log is of "local"'],
    [['verify', '--seal', 'EMPTY'], 'EMPTY holds no seal'],
    [['verify', '--seal-key', 'ed25519:x'], '--seal-key: this is no public key, nor a file that holds one'],
    [['seal', '--key', 'WRONG'], 'WRONG holds no private ed25519 key'],
  ])('%j: a mistake is told in plain words', async (args, message) => {
    const files = { WRONG: 'hunter2\n', EMPTY: '# none\n', OTHER: late.replace('local', 'prod') };
    const named = args.map((arg) => (arg in files ? file(arg, files[arg as keyof typeof files]) : arg));
    const { code, stdout, stderr } = await kubereel([...named, '--data', folder]);
    expect(stderr).toContain(message);
    expect(stderr.split('\n').length).toBeLessThanOrEqual(3);
    expect(stderr + stdout).not.toContain('hunter2');
    expect(code).toBeGreaterThan(0);
  });

  it('covers the last event of every process of a split cluster', async () => {
    const split = RunningCluster.temporaryFolder();
    copies.push(split);
    const running = await RunningCluster.start(split, '--nodes', '1', '--split');
    await running.stop();
    const { stdout } = await kubereel(['verify', '--data', split]);
    expect(stdout).toMatch(/\n1 seal of the last stop, in the data folder, agrees: (\d+) of \1 events\n/);
  });

  it('goes on from what the last stop kept, and leaves with the cluster', async () => {
    const copy = copied();
    const before = JSON.parse(readFileSync(join(copy, 'log.json'), 'utf8')) as { seal: { events: number } };
    const again = await RunningCluster.start(copy);
    await again.stop();
    const after = JSON.parse(readFileSync(join(copy, 'log.json'), 'utf8')) as { seal: { events: number } };
    expect(after.seal.events).toBeGreaterThan(before.seal.events);
    const { code, stdout } = await kubereel(['verify', '--data', copy, '--seal', file('both.txt', early + late)]);
    expect(stdout).toMatch(/\n2 seals in the log agree/);
    expect(code).toBe(0);
    await kubereel(['reset', '--yes', '--data', copy]);
    expect(existsSync(join(copy, 'seal.key'))).toBe(false);
  });
});

const newKey = `console.log(require('node:crypto').generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }))`;
