import type { EventLog } from '#libs/event-log';

/** Which event log a process works on. */
export type LogSource =
  /** `historyBytesMax`: let go of the oldest events beyond it; absent: keep all. */
  | { kind: 'memory'; historyBytesMax?: number }
  | { kind: 'embedded'; folder: string; durability: 'default' | 'full' }
  | { kind: 'eventstoredb'; connectionString: string };

export async function openLog(source: LogSource): Promise<EventLog> {
  const adapters = await import('#libs/event-log');
  if (source.kind === 'memory') return adapters.createMemoryLog({ live: true, historyBytesMax: source.historyBytesMax });
  if (source.kind === 'embedded') return adapters.openEmbeddedLog({ folder: source.folder, durability: source.durability });
  return adapters.connectEventStoreDb({ connectionString: source.connectionString });
}
