import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectEventStoreDb, type EventLog } from '#libs/event-log';
import { collect, events } from '../../../../libs/event-log/src/contract/contract-target';
import { Recorder } from '../../../../libs/event-log/src/contract/recorder';
import { startEventStoreServer, type EventStoreServer } from '../event-store-server';

interface Inside {
  connection: { renew(): Promise<void> };
}

/** The client ends its streams, when it is disposed of, as if they had come to their end. */
describe('a client that is made anew while others read from it', () => {
  let server: EventStoreServer;
  let log: EventLog;
  beforeEach(async () => {
    server = await startEventStoreServer({});
    log = connectEventStoreDb(server);
    for (let i = 0; i < 4; i++) {
      await log.append(
        'long',
        events(500, (j) => ({ i: i * 500 + j })),
        'any',
      );
    }
  });
  afterEach(async () => {
    await log.close();
    await server.close();
  });
  const expected = Array.from({ length: 2000 }, (_, i) => i);
  const renew = (): Promise<void> => (log as unknown as Inside).connection.renew();

  it.each(['readStream', 'readAll'] as const)('%s gives everything all the same', async (kind) => {
    const read: unknown[] = [];
    for await (const page of kind === 'readAll' ? log.readAll() : log.readStream('long')) {
      if (read.length === 0) await renew();
      read.push(...page.map(({ data }) => data['i']));
    }
    expect(read).toEqual(expected);
  });

  it('a subscription goes on without a gap, also while its handler is busy', async () => {
    const recorder: Recorder = new Recorder(async () => {
      if (recorder.received.length === 0) await renew();
    }).on(log, { after: 'start' });
    await recorder.count(2000);
    await log.append(
      'long',
      events(1, () => ({ i: 2000 })),
      'any',
    );
    await recorder.count(2001);
    expect(recorder.received.map(({ data }) => data['i'])).toEqual([...expected, 2000]);
    expect(recorder.failure).toBeUndefined();
  });

  it('a log is not taken for another, empty one', async () => {
    const recorder = new Recorder().on(log, { after: 'start' });
    await recorder.count(2000);
    const checks = Array.from({ length: 20 }, () => log.check());
    await renew();
    await Promise.all(checks);
    await log.append('long', events(1), 'any');
    await recorder.count(2001);
    expect(recorder.failure).toBeUndefined();
    expect(await collect(log.readStream('long', { from: 2000 }))).toHaveLength(1);
  });
});
