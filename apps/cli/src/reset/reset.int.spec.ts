import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbeddedLog } from '#libs/event-log';
import type { CliError } from '../cli-error';
import { reset, type Ask } from './reset';

const never: Ask = () => Promise.reject(new Error('asked'));

describe('reset', () => {
  let folder: string;
  let said: string[];
  const run = (flags: { yes?: boolean; data?: string } = {}, ask: Ask = never) =>
    reset({ data: folder, ...flags }, (line) => void said.push(line), ask);
  const refusal = (promise: Promise<void>): Promise<CliError> =>
    promise.then(
      () => Promise.reject(new Error('not refused')),
      (error: CliError) => error,
    );

  beforeEach(async () => {
    folder = join(mkdtempSync(join(tmpdir(), 'kubereel-reset-')), 'data');
    said = [];
    mkdirSync(join(folder, 'snapshots'), { recursive: true });
    for (const file of ['kubereel.json', 'kubeconfig', 'snapshots/all.jsonl']) writeFileSync(join(folder, file), '{}');
    await (await openEmbeddedLog({ folder: join(folder, 'log') })).close();
  });
  afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

  it('deletes what a cluster left, and the folder when it is empty then', async () => {
    await run({ yes: true });
    expect(existsSync(folder)).toBe(false);
    expect(said.join('\n')).toMatch(/log +the event stream/);
    expect(said.at(-1)).toBe('Deleted. The next kubereel up begins a new cluster.');
  });

  it('leaves alone what is not of a cluster, and says so', async () => {
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    await run({ yes: true });
    expect(readdirSync(folder)).toEqual(['notes.txt']);
    expect(said.at(-1)).toMatch(/^Deleted\. Left alone in .*: notes\.txt/);
  });

  it('asks, and takes no for an answer', async () => {
    await run({}, () => Promise.resolve(false));
    expect(said.at(-1)).toBe('Nothing was deleted.');
    expect(existsSync(join(folder, 'log'))).toBe(true);
    await run({}, () => Promise.resolve(true));
    expect(existsSync(folder)).toBe(false);
  });

  it('deletes nothing unasked where nobody can be asked', async () => {
    const error = await refusal(reset({ data: folder }, () => undefined, undefined));
    expect(error).toMatchObject({ exitCode: 2 });
    expect(existsSync(join(folder, 'log'))).toBe(true);
  });

  it('refuses while the cluster runs, naming the process', async () => {
    const log = await openEmbeddedLog({ folder: join(folder, 'log') });
    const error = await refusal(run({ yes: true }));
    await log.close();
    expect(error.message).toContain(`is running: process ${process.pid}`);
    expect(existsSync(join(folder, 'kubereel.json'))).toBe(true);
  });

  it('deletes a cluster whose log cannot be read', async () => {
    rmSync(join(folder, 'log'), { recursive: true });
    writeFileSync(join(folder, 'log'), 'no folder');
    await run({ yes: true });
    expect(existsSync(folder)).toBe(false);
  });

  it('refuses a folder that holds no cluster', async () => {
    const error = await refusal(run({ yes: true, data: join(folder, 'snapshots') }));
    expect(error.message).toMatch(/^there is no cluster in /);
  });
});
