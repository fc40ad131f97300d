import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { openFollowedLog } from '#libs/event-log';
import { describeEventLog } from '../../../../libs/event-log/src/contract/event-log-contract';
import { startEventStoreServer, type EventStoreServer } from '../event-store-server';

describe('the file followed, appends through the server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubereel-store-'));
  let server: EventStoreServer;
  beforeAll(async () => {
    server = await startEventStoreServer({ folder });
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  describeEventLog({
    name: 'followed file',
    open: () => openFollowedLog({ folder, connectionString: server.connectionString }),
  });
});
