import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { connectEventStoreDb } from '#libs/event-log';
import { describeEventLog } from '../../../../libs/event-log/src/contract/event-log-contract';
import { startEventStoreServer, type EventStoreServer } from '../event-store-server';

for (const kind of ['memory', 'file'] as const) {
  describe(`over the event store server, ${kind}`, () => {
    let server: EventStoreServer;
    const folder = kind === 'file' ? mkdtempSync(join(tmpdir(), 'kubereel-store-')) : undefined;
    beforeAll(async () => {
      server = await startEventStoreServer({ folder });
    });
    afterAll(async () => {
      await server.close();
      if (folder) rmSync(folder, { recursive: true, force: true });
    });
    describeEventLog({
      name: `eventstoredb adapter, own server, ${kind}`,
      open: () => Promise.resolve(connectEventStoreDb({ connectionString: server.connectionString })),
    });
  });
}

const url = process.env.EVENTSTORE_URL;
if (url) {
  describeEventLog({
    name: 'eventstoredb adapter, the server at EVENTSTORE_URL',
    open: () => Promise.resolve(connectEventStoreDb({ connectionString: url })),
    shared: true,
  });
} else {
  console.warn('\n*** EVENTSTORE_URL is not set: the contract suite was NOT run against a real EventStoreDB. ***\n');
  describe.skip('event log contract: the server at EVENTSTORE_URL (not set: skipped)', () =>
    describeEventLog({ name: 'real server', open: () => Promise.reject(new Error()) }));
}
