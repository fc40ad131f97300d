import type { EventLog } from '#libs/event-log';

/** Which event log a process works on. */
export type LogSource =
  /** `historyBytesMax`: let go of the oldest events beyond it; absent: keep all. */
  | { kind: 'memory'; historyBytesMax?: number }
  | { kind: 'embedded'; folder: string; durability: 'default' | 'full' }
  /** `fileFolder`: where the file is that this store writes, when it is a file of this machine: it is read instead of asked for. */
  | { kind: 'eventstoredb'; connectionString: string; fileFolder?: string };

export async function openLog(source: LogSource): Promise<EventLog> {
  const adapters = await import('#libs/event-log');
  if (source.kind === 'memory') return adapters.createMemoryLog({ live: true, historyBytesMax: source.historyBytesMax });
  if (source.kind === 'embedded') return adapters.openEmbeddedLog({ folder: source.folder, durability: source.durability });
  const { connectionString, fileFolder } = source;
  return fileFolder === undefined
    ? adapters.connectEventStoreDb({ connectionString })
    : adapters.openFollowedLog({ connectionString, folder: fileFolder });
}
