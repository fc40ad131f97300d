import { randomUUID } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectEventStoreDb, openFollowedLog, POSITION_STRIDE, type EventLog, type EventToAppend } from '#libs/event-log';
import { startEventStoreServer, type EventStoreServer } from '../event-store-server';

const event = (type: string): EventToAppend => ({ id: randomUUID(), type, data: {}, metadata: {} });

describe('a file followed beside the store that writes it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubereel-followed-'));
  let server: EventStoreServer;
  let followed: EventLog;
  let other: EventLog;

  beforeAll(async () => {
    server = await startEventStoreServer({ folder });
    followed = await openFollowedLog({ folder, connectionString: server.connectionString });
    other = connectEventStoreDb({ connectionString: server.connectionString });
  });
  afterAll(async () => {
    await followed.close();
    await other.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Everything that a subscription gives until there are so many. */
  function collect(count: number): Promise<string[]> {
    const types: string[] = [];
    return new Promise((resolve, reject) => {
      const subscription = followed.subscribe(
        { after: 'end', filter: { streamPrefixes: ['wanted-'] } },
        {
          events: (batch) => {
            types.push(...batch.map(({ type }) => type));
            if (types.length >= count) void subscription.close().then(() => resolve(types));
          },
          caughtUp: () => undefined,
          failed: reject,
        },
      );
    });
  }

  it('misses nothing however often it has looked in vain', async () => {
    const seen = collect(3);
    for (const type of ['First', 'Second', 'Third']) {
      await followed.append('unwanted-a', [event('Passed')], 'any');
      // Each of these has it look, and writes nothing: more often than there are positions between two events.
      for (let i = 0; i < 2 * POSITION_STRIDE; i++) await followed.append('unwanted-a', [], 'any');
      await other.append('wanted-a', [event(type)], 'any');
    }
    expect(await seen).toEqual(['First', 'Second', 'Third']);
  });

  it('shows at once what its own append was answered for', async () => {
    await followed.append('wanted-own', [event('Mine')], 'any');
    const pages: string[] = [];
    for await (const page of followed.readStream('wanted-own')) pages.push(...page.map(({ type }) => type));
    expect(pages).toEqual(['Mine']);
  });

  it('ends when the file it follows is taken away or replaced', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'kubereel-replaced-'));
    const doomed = await startEventStoreServer({ folder: elsewhere });
    const log = await openFollowedLog({ folder: elsewhere, connectionString: doomed.connectionString });
    const failure = new Promise<Error>((resolve) => {
      log.subscribe(
        { after: 'start' },
        { events: () => undefined, caughtUp: () => renameSync(join(elsewhere, 'log.sqlite'), join(elsewhere, 'other')), failed: resolve },
      );
    });
    expect((await failure).message).toBe(
      `the event log ${join(elsewhere, 'log.sqlite')} has been removed or replaced by another while it was followed`,
    );
    await log.close();
    await doomed.close();
    rmSync(elsewhere, { recursive: true, force: true });
  });

  it('is woken by a file that nobody else may read', () => {
    expect(statSync(join(folder, 'commits')).mode & 0o777).toBe(0o600);
  });
});
