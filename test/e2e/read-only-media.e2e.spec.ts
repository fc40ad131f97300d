import { execFile } from 'node:child_process';
import { chmodSync, cpSync, lchownSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, RunningCluster, type Output } from './running-cluster';

/** A user for whom permissions count: root's own process is not held back by them. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

/** Whether that user gets to the program: a clone below root's home is closed to it. */
function isOpenToAll(path: string): boolean {
  return path === dirname(path) || ((statSync(path).mode & 0o001) !== 0 && isOpenToAll(dirname(path)));
}
/** Whether permissions hold the program back here; where they do not, it is only shown that it answers. */
const held = !isRoot || isOpenToAll(dirname(cli));

function all(folder: string): string[] {
  return [folder, ...readdirSync(folder, { recursive: true }).map((name) => join(folder, name as string))];
}

/** Readable by all, writable by nobody. */
function seal(folder: string): void {
  for (const path of all(folder)) chmodSync(path, statSync(path).isDirectory() ? 0o555 : 0o444);
}

function unseal(folder: string): void {
  for (const path of all(folder)) chmodSync(path, 0o755);
}

function kubereel(...args: string[]): Promise<Output> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [cli, ...args],
      { env, ...(isRoot && held ? { uid: nobody, gid: nobody } : {}), cwd: '/' },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number((error as { code?: number }).code ?? 1) : 0, stdout, stderr });
      },
    );
  });
}

describe('a cluster on a medium that can only be read', { timeout: 120_000 }, () => {
  const root = RunningCluster.temporaryFolder();
  const stopped = join(root, 'stopped');
  const killed = join(root, 'killed');
  beforeAll(async () => {
    chmodSync(root, 0o755);
    const cluster = await RunningCluster.start(mkdtempSync(join(root, 'data-')));
    await cluster.create('/api/v1/namespaces/default/pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'c', image: 'app:1' }] },
    });
    cpSync(cluster.folder, killed, { recursive: true });
    // The index of the write-ahead log is no part of a backup.
    rmSync(join(killed, 'log', 'log.sqlite-shm'), { force: true });
    await cluster.stop();
    cpSync(cluster.folder, stopped, { recursive: true });
    for (const folder of [stopped, killed]) {
      if (isRoot) for (const path of all(folder)) lchownSync(path, 0, nobody);
      seal(folder);
    }
  });
  afterAll(() => {
    for (const folder of [stopped, killed]) unseal(folder);
    rmSync(root, { recursive: true, force: true });
  });

  it.each([
    ['stopped', stopped],
    ['killed', killed],
  ])('%s: verify, log and why answer, and leave it as it is', async (_how, data) => {
    const before = all(data);
    const verified = await kubereel('verify', '--data', data);
    expect(verified).toMatchObject({ code: 0, stderr: '' });
    expect(verified.stdout).toMatch(/digest chain whole\n\d+ decisions made again: all agree/);
    expect((await kubereel('log', 'pod/web', '--data', data)).stdout).toContain('Created');
    expect((await kubereel('why', 'web', '--data', data)).stdout).toMatch(/^pod default\/web\n/);
    if (held) expect(all(data)).toEqual(before);
  });

  it('is not resumed, and the reason is given', async () => {
    if (!held) return expect((await kubereel('verify', '--data', stopped)).code).toBe(0);
    const { code, stderr } = await kubereel('up', '--port', '0', '--data', stopped);
    expect(stderr).toContain(`nothing can be kept in ${stopped}: you may not write there (EACCES)`);
    expect(code).toBe(1);
  });
});
