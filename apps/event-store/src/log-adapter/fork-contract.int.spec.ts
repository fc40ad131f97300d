import { afterAll, beforeAll, describe } from 'vitest';
import { connectEventStoreDb, ForkedLog } from '#libs/event-log';
import { event } from '../../../../libs/event-log/src/contract/contract-target';
import { describeEventLog } from '../../../../libs/event-log/src/contract/event-log-contract';
import { startEventStoreServer, type EventStoreServer } from '../event-store-server';

describe('over event store servers', () => {
  let parents: EventStoreServer;
  let own: EventStoreServer;
  let position: number;
  beforeAll(async () => {
    [parents, own] = await Promise.all([startEventStoreServer({}), startEventStoreServer({})]);
    const parent = connectEventStoreDb({ connectionString: parents.connectionString });
    for (let i = 0; i < 20; i++) position = (await parent.append(`before-${i % 3}`, [event('Before', { i })], 'any')).position!;
    for (let i = 0; i < 20; i++) await parent.append(`before-${i % 3}`, [event('After', { i })], 'any');
    await parent.close();
  });
  afterAll(async () => {
    await Promise.all([parents.close(), own.close()]);
  });

  describeEventLog({
    name: 'a fork, eventstoredb adapter',
    open: () =>
      Promise.resolve(
        new ForkedLog({
          parent: connectEventStoreDb({ connectionString: parents.connectionString }),
          position,
          own: connectEventStoreDb({ connectionString: own.connectionString }),
        }),
      ),
  });
});
