import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEventStoreServer, type EventStoreServer } from './event-store-server';
import { testCertificates } from './testing/certificates';
import { all, failure, happened } from './testing/store-fixture';

const USERS = [
  { name: 'admin', password: 'a secret: with a colon' },
  { name: 'ops', password: 'changeit', admin: false },
];

/** The type of an official client's error, and the code of the call's end. */
interface Refused extends Error {
  type: string;
  code?: number;
}

describe('an event store with TLS and users', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubereel-tls-'));
  const caFile = join(folder, 'ca.crt');
  let server: EventStoreServer;
  const clients: EventStoreDBClient[] = [];

  beforeAll(async () => {
    const { ca, certificate, key } = await testCertificates();
    writeFileSync(caFile, ca);
    server = await startEventStoreServer({ host: 'localhost', tls: { certificate, key }, users: USERS });
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.dispose()));
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** @param login `name:password` as in a connection string */
  function client(login?: string): EventStoreDBClient {
    const made = EventStoreDBClient.connectionString(
      `esdb://${login === undefined ? '' : `${login}@`}localhost:${server.port}?tls=true&tlsCAFile=${encodeURIComponent(caFile)}`,
    );
    clients.push(made);
    return made;
  }
  const admin = (): EventStoreDBClient => client(`admin:${encodeURIComponent(USERS[0]!.password)}`);

  /** What each kind of call is answered with, by name. */
  async function answers(by: EventStoreDBClient, stream: string): Promise<Record<string, string>> {
    const told = async (call: Promise<unknown>): Promise<string> =>
      call.then(
        () => 'done',
        (error: unknown) => (error as Refused).type,
      );
    const subscribed = (subscription: NodeJS.EventEmitter & { unsubscribe(): Promise<void> }): Promise<unknown> =>
      new Promise((resolve, reject) => subscription.once('confirmation', resolve).once('error', reject)).finally(() => {
        subscription.on('error', () => undefined);
        return subscription.unsubscribe();
      });
    return {
      append: await told(by.appendToStream(stream, happened())),
      read: await told(all(by.readStream(stream))),
      metadata: await told(by.setStreamMetadata(stream, { maxCount: 9 })),
      $all: await told(all(by.readAll({ maxCount: 1 }))),
      subscribe: await told(subscribed(by.subscribeToStream(stream) as never)),
      'subscribe to $all': await told(subscribed(by.subscribeToAll() as never)),
      delete: await told(by.deleteStream(stream)),
    };
  }
  const everything = (answer: string): Record<string, string> =>
    Object.fromEntries(['append', 'read', 'metadata', '$all', 'subscribe', 'subscribe to $all', 'delete'].map((call) => [call, answer]));

  it('serves its administrator through the official client', async () => {
    expect(await answers(admin(), 'plain-admin')).toEqual(everything('done'));
    await admin().appendToStream('$system', happened());
    expect(await all(admin().readStream('$system'))).toHaveLength(1);
  });

  it('serves nobody who names no user', async () => {
    await admin().appendToStream('plain-nobody', happened());
    expect(await answers(client(), 'plain-nobody')).toEqual(everything('access-denied'));
    expect(await all(admin().readStream('plain-nobody'))).toHaveLength(1);
  });

  it.each(['admin:wrong', 'nobody:x'])('serves nobody with wrong credentials (%s)', async (login) => {
    await admin().appendToStream('plain-wrong', happened());
    expect(await answers(client(login), 'plain-wrong')).toEqual(everything('access-denied'));
    const error = await failure<Refused>(all(client(login).readStream('plain-wrong')));
    expect(error.message).toContain('UNAUTHENTICATED');
  });

  it("keeps $all and the system's streams from users who are no administrators", async () => {
    const ops = client('ops:changeit');
    expect(await answers(ops, 'plain-ops')).toEqual({
      ...everything('done'),
      $all: 'access-denied',
      'subscribe to $all': 'access-denied',
    });
    const refused = await failure<Refused>(ops.appendToStream('$system', happened()));
    expect(refused.type).toBe('access-denied');
    expect((await failure<Refused>(ops.setStreamMetadata('$system', {}))).type).toBe('access-denied');
  });

  it('is not to be had in halves', async () => {
    const { certificate, key } = await testCertificates();
    await expect(startEventStoreServer({ tls: { certificate, key } })).rejects.toThrow(/go together/);
    await expect(startEventStoreServer({ users: USERS })).rejects.toThrow(/go together/);
    await expect(startEventStoreServer({ tls: { certificate, key: 'none' }, users: USERS })).rejects.toThrow(/certificate and key/);
  });
});
