import { EventStoreDBClient } from '@eventstore/db-client';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it } from 'vitest';
import { EventStoreHost, EventStoreModule } from './event-store.module';
import { failure, happened } from './testing/store-fixture';

describe('the event store as a Nest module', () => {
  it('serves while the application runs, and no longer', async () => {
    const app = await NestFactory.createApplicationContext(EventStoreModule.with({ port: 0 }), { logger: false, abortOnError: false });
    const host = app.get(EventStoreHost);
    const client = EventStoreDBClient.connectionString(host.connectionString);
    expect((await client.appendToStream('s', happened())).success).toBe(true);
    await app.close();
    expect(await failure(client.appendToStream('s', happened()))).toBeInstanceOf(Error);
    expect(() => host.connectionString).toThrow(/not been started/);
    await client.dispose();
  });
});
