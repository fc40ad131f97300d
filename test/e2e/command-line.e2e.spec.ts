import { spawn } from 'node:child_process';
import { mkdirSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, kubereel, run, RunningCluster } from './running-cluster';

const folders: string[] = [];
const temporaryFolder = (): string => {
  const folder = RunningCluster.temporaryFolder();
  folders.push(folder);
  return folder;
};
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

describe('mistakes on the command line', () => {
  it.each([
    [['--foo'], 'unknown option "--foo"'],
    [['vrify'], 'Did you mean kubereel verify?'],
    [['help', 'bogus'], 'there is no command "bogus"'],
    [['up', '--epemeral'], 'Did you mean --ephemeral?'],
    [['up', 'extra'], 'too many arguments'],
    [['up', '--port'], 'argument missing'],
    [['up', '--port', 'x'], '"x" is no port'],
    [['up', '--apps', ','], '--apps names no app'],
    [['up', '--apps', 'scheduler/foo'], 'Controllers of scheduler: scheduler'],
    [['up', '--apps', 'controller-manager/foo'], 'node-bootstrap'],
    [['why'], 'missing required argument "object"'],
    [['why', 'foo/bar'], '"foo" is no kind kubereel knows'],
    [['log', '--since', 'yesterday'], 'Give a resourceVersion, a time (RFC 3339'],
    [['log', '--limit', 'x'], '"x" is no whole number'],
    [['simulate'], 'missing required argument "files"'],
    [['completion', 'tcsh'], 'bash, zsh, fish'],
  ])('%s ends with exit 2 and says what is wrong', async (args, text) => {
    const { code, stderr, stdout } = await kubereel(args);
    expect(stderr.replaceAll('npx kubereel', 'kubereel')).toContain(text);
    expect(stderr).toMatch(/^kubereel: /);
    expect(code).toBe(2);
    expect(stdout).toBe('');
  });

  it('tells its version, and shows help when nothing is asked', async () => {
    const { version } = JSON.parse(readFileSync(join(cli, '../../../../../package.json'), 'utf8')) as { version: string };
    expect(await kubereel(['--version'])).toMatchObject({ code: 0, stdout: `kubereel ${version}\n` });
    const help = await kubereel([]);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('First steps:');
  });

  it('prints a completion that the shell takes', async () => {
    const script = 'source <("$0" "$1" completion bash); COMP_WORDS=(kubereel up --sp); COMP_CWORD=2; _kubereel; echo "${COMPREPLY[@]}"';
    const { stdout, code } = await run('bash', ['-c', script, process.execPath, cli]);
    expect(code).toBe(0);
    expect(stdout.trim()).toBe('--split');
  });
});

describe('up that cannot start', () => {
  it.each(['/proc/x', '/dev/null', '/etc/passwd/x'])('--data %s: says so and ends', async (folder) => {
    const { code, stderr } = await run(process.execPath, [cli, 'up', '--port', '0', '--data', folder], { timeoutMs: 20_000 });
    expect(stderr).toContain(`nothing can be kept in ${folder}: `);
    expect(stderr).toContain('--data');
    expect(code).toBe(1);
  });

  it('a busy port leaves nothing behind', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const folder = temporaryFolder();
    for (const flags of [[], ['--split']]) {
      const { code, stderr } = await kubereel(['up', '--data', join(folder, 'new'), '--port', String(port), ...flags]);
      expect(stderr).toMatch(new RegExp(`port ${port} is taken by `));
      expect(code).toBe(1);
      expect(readdirSync(folder)).toEqual([]);
    }
    server.close();
  });

  it.each(['--kubeconfig', '--ready-file'])('%s where nothing can be written: nothing is begun', async (flag) => {
    const folder = temporaryFolder();
    const { code, stderr } = await kubereel(['up', '--data', join(folder, 'new'), '--port', '0', flag, '/proc/x/file']);
    expect(stderr).toContain('/proc/x/file cannot be written: it is not there and cannot be made (ENOENT)');
    expect(code).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('without an API server stays until it is ended, and leaves a folder that the next up resumes', async () => {
    const folder = temporaryFolder();
    const cluster = await RunningCluster.start(folder, '--apps', 'scheduler,kubelet');
    expect(await Promise.race([cluster.ended(), new Promise((resolve) => setImmediate(resolve, 'still there'))])).toBe('still there');
    expect(await cluster.stop('SIGTERM')).toBe(0);
    const again = await RunningCluster.start(folder);
    expect(again.output).toContain('resumed the cluster');
    await again.stop();
  });

  it('--split whose settings cannot be written ends in words, and leaves no secrets behind', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'options.json'));
    const { code, stderr } = await kubereel(['up', '--split', '--data', folder, '--port', '0']);
    expect(code).toBe(1);
    expect(stderr).toContain('options.json');
    expect(stderr).not.toMatch(/^ +at /m);
    expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  it('a host that is not of this machine is named', async () => {
    const { code, stderr } = await kubereel(['up', '--ephemeral', '--port', '7999', '--host', '192.0.2.1']);
    expect(stderr).toContain('192.0.2.1 is no address of this machine');
    expect(code).toBe(2);
  });
});

describe('a cluster on the command line', { timeout: 120_000 }, () => {
  let cluster: RunningCluster;
  beforeAll(async () => {
    cluster = await RunningCluster.start(temporaryFolder(), '--host', '0.0.0.0', '--nodes', '1');
    const containers = [{ name: 'c', image: 'app:1' }];
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers } };
    for (const name of ['web', 'lone'])
      await cluster.create('/api/v1/namespaces/default/pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers } });
    for (const name of ['web', 'shop'])
      await cluster.create('/apis/apps/v1/namespaces/default/deployments', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name },
        spec: { replicas: 0, selector: { matchLabels: { app: name } }, template: { ...template, metadata: { labels: { app: name } } } },
      });
    await cluster.create('/api/v1/namespaces/default/configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shop' } });
  });
  afterAll(() => cluster.stop());
  const ask = (...args: string[]) => kubereel([...args, '--data', cluster.folder]);

  it('says what is open to whom when others reach it', () => {
    expect(cluster.output).toContain('listens on every address of this machine: everybody who reaches it there and has the token');
  });

  it('why finds a name without a kind: pods first, several others are listed', async () => {
    expect((await ask('why', 'lone')).stdout).toMatch(/^pod default\/lone\n/);
    const web = await ask('why', 'web');
    expect(web.stdout).toMatch(/^pod default\/web\n/);
    expect(web.stderr).toContain('deployment/web too');
    const shop = await ask('why', 'shop');
    expect(shop.code).toBe(2);
    expect(shop.stderr).toMatch(
      /"shop" is the name of several objects\n {2}Say which: .*configmap\/shop.*deployment\/shop|"shop" is the name of several objects\n {2}Say which: .*deployment\/shop.*configmap\/shop/,
    );
    const absent = await ask('why', 'pod/lo');
    expect(absent.stderr).toContain('there is no pod/lo in namespace default, now or ever\n  Similar: pod/lone');
  });

  it('log takes times, ages and positions, and ends with its reader', async () => {
    const all = (await ask('log', '-o', 'json')).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { position: number; metadata: { time: number }; id: string });
    const middle = all.find(({ metadata }) => metadata.time > (all[0]?.metadata.time ?? 0)) as (typeof all)[number];
    const from = async (...args: string[]): Promise<number> =>
      (JSON.parse((await ask('log', '-o', 'json', ...args)).stdout.split('\n')[0] as string) as { position: number }).position;
    const time = new Date(middle.metadata.time).toISOString();
    expect(await from('--since', time)).toBe(middle.position);
    expect(await from('--since', time.slice(11, 23))).toBe(middle.position);
    expect(await from('--since', String(middle.position))).toBe(middle.position);
    expect(await from('--since', '-1h')).toBe(all[0]?.position);
    expect(await from('--since', '1h', '--until', time)).toBe(all[0]?.position);
    expect((await ask('log', '--since', '2999-01-01T00:00:00Z')).stderr).toContain('lies in the future');
    const head = await run('bash', ['-c', '"$0" "$@" | head -1', process.execPath, cli, 'log', '--data', cluster.folder, '--until', '0h']);
    expect(head.stdout.split('\n')).toHaveLength(2);
    expect(head.stderr).toBe('');
  });

  it.each([['log', '-o', 'json'], ['why', 'pod/lone'], ['verify', '-o', 'json'], ['tour'], ['--help']])(
    '%s: a reader that has gone is no failure',
    async (...args) => {
      const asked = args[0] === 'tour' || args[0] === '--help' ? args : [...args, '--data', cluster.folder];
      const child = spawn(process.execPath, [cli, ...asked], { stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout.destroy();
      let stderr = '';
      child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
      const code = await new Promise((resolve) => child.once('exit', resolve));
      expect(stderr).toBe('');
      expect(code).toBe(0);
    },
  );

  it('has colours where they are wanted, and none in a pipe', async () => {
    const plain = (await ask('log', 'pod/lone')).stdout;
    expect(plain).not.toContain('\x1b[');
    const coloured = await kubereel(['log', 'pod/lone', '--data', cluster.folder], { FORCE_COLOR: '1' });
    // eslint-disable-next-line no-control-regex
    expect(coloured.stdout).toMatch(/\x1b\[32mPodScheduled\x1b/);
    // eslint-disable-next-line no-control-regex
    expect(coloured.stdout.replace(/\x1b\[\d+m/g, '')).toBe(plain);
    expect((await kubereel(['log', 'pod/lone', '--data', cluster.folder], { FORCE_COLOR: '1', NO_COLOR: '1' })).stdout).toBe(plain);
  });

  it('says where the data is when it is stopped, and that --nodes is for new clusters', async () => {
    const { folder } = cluster;
    expect(await cluster.stop('SIGINT')).toBe(0);
    expect(cluster.output.trim().split('\n').at(-1)).toMatch(
      new RegExp(`^kubereel: stopped; the data is in ${folder}, resume it with: (npx )?kubereel up --data ${folder}$`),
    );
    const again = await RunningCluster.start(folder, '--nodes', '2');
    expect(again.output).toContain('--nodes 2 is for a new cluster; this one keeps the nodes it has. To add one:\n');
    const command = /^ {2}echo '(.*)' \| kubectl apply -f -$/m.exec(again.output)?.[1] as string;
    await again.create('/api/v1/nodes', JSON.parse(command) as object);
    expect((await again.get('/api/v1/nodes')).body.items).toHaveLength(2);
    await again.stop();
    const same = await RunningCluster.start(folder, '--nodes', '1');
    expect(same.output).not.toContain('--nodes');
    await same.stop();
  });
});

it('apps without the one that makes nodes say so', async () => {
  const cluster = await RunningCluster.start(temporaryFolder(), '--apps', 'apiserver,scheduler');
  expect(cluster.output).toContain('no nodes are made: that is done by controller-manager');
  await cluster.stop();
});

it('reset leaves nothing of a cluster of several processes', async () => {
  const folder = temporaryFolder();
  const cluster = await RunningCluster.start(folder, '--split', '--apps', 'apiserver,priority-admission');
  await cluster.stop();
  expect(readdirSync(folder)).toContain('store.key');
  const { stdout, code } = await kubereel(['reset', '--yes', '--data', folder]);
  expect(code).toBe(0);
  expect(readdirSync(folder)).toEqual(['ready.json']);
  expect(stdout).toContain('Left alone');
});

it('goes on when nobody reads its lines any more', async () => {
  const folder = temporaryFolder();
  const ready = join(folder, 'ready.json');
  const child = spawn(
    'bash',
    ['-c', `"$0" "$1" up --data "$2" --port 0 --ready-file "$3" | head -1`, process.execPath, cli, folder, ready],
    { stdio: 'ignore' },
  );
  await expect.poll(() => existsSync(ready), { timeout: 20_000 }).toBe(true);
  const { pid } = JSON.parse(readFileSync(ready, 'utf8')) as { pid: number };
  const ended = new Promise((resolve) => child.once('exit', resolve));
  expect(process.kill(pid, 0)).toBe(true);
  process.kill(pid, 'SIGINT');
  await ended;
});
