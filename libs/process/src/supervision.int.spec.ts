import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';

const program = join(__dirname, 'supervised-program.fixture.ts');
const compiles = ['--conditions=source', '--require', join(__dirname, '../../../scripts/sources.cjs')];

let children: Program[] = [];
afterEach(() => {
  for (const { child } of children) child.kill('SIGKILL');
  children = [];
});

/** A process of the fixture, with what it has told and written so far. */
class Program {
  readonly told: string[] = [];
  private written = '';
  readonly ended: Promise<[code: number | null, signal: string | null]>;

  constructor(readonly child: ChildProcess) {
    children.push(this);
    child.on('message', (text: string) => this.told.push(text));
    child.stdout?.on('data', (chunk: Buffer) => (this.written += chunk.toString()));
    // Of a process that was let go of, Node tells no "close".
    const written = once(child.stdout as Readable, 'end');
    this.ended = once(child, 'exit').then(async (how) => (await written, how as [number | null, string | null]));
  }

  get lines(): string[] {
    return this.written.split('\n').filter(Boolean);
  }

  /** Waits until it has said so, by either way. */
  says(text: string): Promise<void> {
    return expect.poll(() => [...this.told, ...this.lines], { timeout: 20_000 }).toContain(text);
  }
}

function supervised(manner: string, env: NodeJS.ProcessEnv = { KUBEREEL_SUPERVISED: '1' }): Program {
  const { KUBEREEL_SUPERVISED: _, ...rest } = process.env;
  return new Program(
    fork(program, [manner], { execArgv: compiles, env: { ...rest, ...env }, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] }),
  );
}

const alone = (manner: string): Program =>
  new Program(spawn(process.execPath, [...compiles, program, manner], { stdio: ['ignore', 'pipe', 'inherit'] }));

describe('a process that another supervises', () => {
  it('starts when it is told to', async () => {
    const app = supervised('orderly');
    await app.says('loaded');
    app.child.send({ other: 1 });
    app.child.send({ start: true });
    await app.says('started');
    expect(app.told).toEqual(['loaded', 'started']);
  });

  it('starts at once where the supervisor is no kubereel', async () => {
    const app = supervised('orderly', {});
    await app.says('started');
  });

  it('closes what it has open on TERM, and ends well', async () => {
    const app = supervised('orderly');
    await app.says('loaded');
    app.child.kill('SIGTERM');
    expect(await app.ended).toEqual([0, null]);
    expect(app.lines).toEqual(['closing', 'closed']);
  });

  it('closes when its supervisor has gone', async () => {
    const app = supervised('orderly');
    await app.says('loaded');
    app.child.disconnect();
    expect(await app.ended).toEqual([0, null]);
    expect(app.lines).toEqual(['closing', 'closed']);
  });

  it('leaves Ctrl-C to its supervisor', async () => {
    const app = supervised('orderly');
    await app.says('loaded');
    app.child.kill('SIGINT');
    app.child.send({ start: true });
    await app.says('started');
    expect(app.lines).toEqual([]);
  });

  it('ends all the same when closing takes too long', async () => {
    const app = supervised('hanging');
    await app.says('loaded');
    app.child.kill('SIGTERM');
    expect(await app.ended).toEqual([0, null]);
    expect(app.lines).toEqual(['closing']);
  });

  it('ends at once while there is nothing to close', async () => {
    const app = supervised('unfinished');
    await app.says('loaded');
    app.child.kill('SIGTERM');
    expect(await app.ended).toEqual([0, null]);
  });
});

describe('a process of its own', () => {
  it('starts at once, and closes on Ctrl-C', async () => {
    const app = alone('orderly');
    await app.says('started');
    app.child.kill('SIGINT');
    expect(await app.ended).toEqual([0, null]);
    expect(app.lines).toEqual(['loaded', 'started', 'closing', 'closed']);
  });
});
