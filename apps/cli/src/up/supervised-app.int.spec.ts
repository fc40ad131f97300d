import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SupervisedApp, type Supervisor } from './supervised-app';

/** Is ready when it has been told to start, with a port that tells its life; on TERM it ends, unless it is stubborn. */
const program = `
const { appendFileSync, readFileSync } = require('node:fs');
const [journal, manner] = process.argv.slice(2);
const note = (line) => appendFileSync(journal, line + '\\n');
note('run ' + process.env.KUBEREEL_SUPERVISED + ' ' + process.env.COLOUR);
process.on('SIGTERM', () => { note('term'); if (manner !== 'stubborn') process.exit(0); });
process.on('disconnect', () => process.exit(0));
if (manner === 'broken') process.exit(3);
process.on('message', (message) => {
  if (!message.start) return;
  note('start');
  process.send({ ready: true, port: readFileSync(journal, 'utf8').split('run').length - 1 });
  if (manner === 'elsewhere') process.send({ lost: 'another log' }, () => process.exit(1));
});
`;

let folder: string;
let apps: SupervisedApp[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubereel-supervised-'));
  writeFileSync(join(folder, 'app.cjs'), program);
  apps = [];
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(apps.map((app) => app.stop(0)));
  rmSync(folder, { recursive: true });
});

/** What the supervisor hears, and a way to wait for the next of it. */
class Heard implements Supervisor {
  readonly lines: string[] = [];
  readonly pids: (number | undefined)[] = [];
  readonly losses: string[] = [];
  app: SupervisedApp | undefined;
  private awaited: (() => void)[] = [];

  changed(): void {
    this.pids.push(this.app?.pid);
  }

  say(line: string): void {
    this.lines.push(line);
    for (const resolve of this.awaited.splice(0)) resolve();
  }

  lost(error: Error): void {
    this.losses.push(error.message);
    for (const resolve of this.awaited.splice(0)) resolve();
  }

  next(): Promise<void> {
    return new Promise((resolve) => this.awaited.push(resolve));
  }
}

function supervised(manner = 'plain', after?: () => Promise<unknown>): { app: SupervisedApp; heard: Heard; journal: () => string[] } {
  const heard = new Heard();
  const journal = join(folder, 'journal');
  writeFileSync(journal, '');
  const command = { name: 'scheduler', script: join(folder, 'app.cjs'), args: [journal, manner], env: { COLOUR: 'red' } };
  const app = new SupervisedApp(command, heard, after);
  heard.app = app;
  apps.push(app);
  return { app, heard, journal: () => readLines(journal) };
}

const readLines = (file: string): string[] => readFileSync(file, 'utf8').split('\n').filter(Boolean);

describe('an app of up --split', () => {
  it('is ready when it says so, and knows that it is supervised', async () => {
    const { app, heard, journal } = supervised();
    expect(await app.start()).toEqual({ ready: true, port: 1 });
    await app.whenReady();
    expect(heard.pids).toEqual([app.pid]);
    expect(journal()).toEqual(['run 1 red', 'start']);
  });

  it('is loaded, and begins when what it waits for is there', async () => {
    let release: () => void = () => undefined;
    const { app, journal } = supervised('plain', () => new Promise<void>((resolve) => (release = resolve)));
    const ready = app.start();
    await expect.poll(journal).toEqual(['run 1 red']);
    release();
    expect(await ready).toMatchObject({ ready: true });
    expect(journal()).toEqual(['run 1 red', 'start']);
  });

  it('fails the start when it ends before it is ready, and says how it ended', async () => {
    const { app } = supervised('broken');
    await expect(app.start()).rejects.toThrow('scheduler ended before it was ready (exit 3)');
  });

  it('is started again when it is killed, and the user is told when it is back', async () => {
    const { app, heard } = supervised();
    await app.start();
    const told = heard.next();
    process.kill(app.pid as number, 'SIGKILL');
    await told;
    expect(heard.lines).toEqual([
      expect.stringMatching(/^scheduler was ended by SIGKILL; it was started again and was away for \d+\.\d s$/),
    ]);
    expect(heard.pids).toHaveLength(2);
    expect(heard.pids[1]).not.toBe(heard.pids[0]);
    await app.whenReady();
  });

  it('ends on TERM, and is not started again', async () => {
    const { app, heard, journal } = supervised();
    await app.start();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await app.stop(60_000);
    vi.runAllTimers();
    expect(journal()).toEqual(['run 1 red', 'start', 'term']);
    expect(heard.pids).toHaveLength(1);
    expect(heard.lines).toEqual([]);
    expect(() => process.kill(app.pid as number, 0)).toThrow('ESRCH');
    // A second stop has nothing to wait for.
    await app.stop(60_000);
  });

  it('is killed when it does not end in time', async () => {
    const { app, journal } = supervised('stubborn');
    await app.start();
    await app.stop(50);
    expect(journal()).toContain('term');
    expect(() => process.kill(app.pid as number, 0)).toThrow('ESRCH');
  });

  it('that found another log than its own ends the cluster, and is not started again', async () => {
    const { app, heard } = supervised('elsewhere');
    const told = heard.next();
    await app.start();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await told;
    await app.stop(60_000);
    vi.runAllTimers();
    expect(heard.losses).toEqual(['another log']);
    expect(heard.pids).toHaveLength(1);
  });
});
