import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '#libs/control-loop';
import { openEmbeddedLog, type RecordedEvent } from '#libs/event-log';
import { startProcess, type ControlPlaneProcess } from './control-plane-process';

const start = Date.parse('2026-01-01T00:00:00Z');

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'kubereel-process-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const closed: string[] = [];
@Module({})
class AppModule implements OnModuleDestroy {
  onModuleDestroy(): void {
    closed.push('app');
  }
}
@Module({})
class BrokenModule implements OnModuleInit {
  onModuleInit(): void {
    throw new Error('this app cannot start');
  }
}

async function run(): Promise<ControlPlaneProcess> {
  const log = await openEmbeddedLog({ folder });
  const options = { cluster: 'local', seed: 'seed' };
  const process = await startProcess({ log, clock: new VirtualClock(start), options, modules: [AppModule], name: 'all' });
  await process.runtime.begin();
  return process;
}

async function eventsInLog(): Promise<RecordedEvent[]> {
  const log = await openEmbeddedLog({ folder, readOnly: true });
  const events: RecordedEvent[] = [];
  for await (const page of log.readAll()) events.push(...page);
  await log.close();
  return events;
}

describe('a process of the control plane', () => {
  it('says whether it goes on with a cluster or begins one', async () => {
    const first = await run();
    expect(first.resumed).toBe(false);
    await first.close();
    const second = await run();
    expect(second.resumed).toBe(true);
    await second.close();
  });

  it('lets its apps go, records its stop as the last that it writes, and leaves the log to others', async () => {
    const process = await run();
    const { writer } = process.runtime.options;
    closed.length = 0;
    await process.close();
    expect(closed).toEqual(['app']);
    const own = (await eventsInLog()).filter(({ metadata }) => metadata.writer === writer);
    expect(own.at(-1)?.type).toBe('ProcessStopped');
    // The file has one writer at a time: it is free.
    await (await openEmbeddedLog({ folder })).close();
  });

  it('leaves the log to others when an app cannot start', async () => {
    const log = await openEmbeddedLog({ folder });
    const options = { cluster: 'local', seed: 'seed' };
    const start = startProcess({ log, clock: new VirtualClock(0), options, modules: [AppModule, BrokenModule], name: 'all' });
    await expect(start).rejects.toThrow('this app cannot start');
    const again = await run();
    expect(again.resumed).toBe(false);
    await again.close();
  });
});
