// Our event store, started for the sequences, and channels to it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { startEventStoreServer, type EventStoreServer } from '#apps/event-store';
import { testCertificates } from '../../../../apps/event-store/src/testing/certificates';
import type { Channels } from './sequence';

/** What grpc calls its algorithms in channel options. */
const ALGORITHMS: Record<string, number> = { deflate: 1, gzip: 2 };
const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;

export interface Target extends Channels {
  close(): Promise<void>;
}

export type TargetKind = 'plain' | 'tls';

function channels(address: string, creds = credentials.createInsecure()): Channels & { close(): void } {
  const clients = new Map<string, Client>();
  return {
    client(compression = '') {
      let client = clients.get(compression);
      if (!client) {
        const algorithm = ALGORITHMS[compression];
        client = new Client(address, creds, {
          'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
          'grpc.max_send_message_length': MESSAGE_BYTES_MAX,
          'grpc.use_local_subchannel_pool': 1,
          ...(algorithm === undefined ? {} : { 'grpc.default_compression_algorithm': algorithm }),
        });
        clients.set(compression, client);
      }
      return client;
    },
    close() {
      for (const client of clients.values()) client.close();
    },
  };
}

/** A server that is there already. @param address host:port */
export function targetAt(address: string): Target {
  const { client, close } = channels(address);
  return { client, close: () => Promise.resolve(close()) };
}

/** The real node's default users. */
const USERS = [
  { name: 'admin', password: 'changeit', admin: true },
  { name: 'ops', password: 'changeit', admin: false, groups: ['$ops'] },
];

/** @param onDisk keep the events in a file, not in memory */
export async function startTarget(kind: TargetKind, onDisk: boolean): Promise<Target> {
  const folder = onDisk ? mkdtempSync(join(tmpdir(), 'kubereel-golden-store-')) : undefined;
  const certificates = kind === 'tls' ? await testCertificates() : undefined;
  const server: EventStoreServer = await startEventStoreServer({
    folder,
    host: 'localhost',
    ...(certificates && { tls: certificates, users: USERS }),
  });
  const { client, close } = channels(`localhost:${server.port}`, certificates && credentials.createSsl(Buffer.from(certificates.ca)));
  return {
    client,
    async close() {
      close();
      await server.close();
      if (folder) rmSync(folder, { recursive: true, force: true });
    },
  };
}
