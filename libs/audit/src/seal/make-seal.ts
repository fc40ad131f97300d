import { readAppends, type Seal } from '#libs/cluster-state';
import type { EventLog } from '#libs/event-log';
import { decisionStream, leafOf, MerkleRange, type EventData } from '#libs/events';

export interface MakeSealOptions {
  /** From the first event on, instead of from the last seal in the log. */
  whole?: boolean;
}

/**
 * The seal of all that is in the log, as far as its last whole append; undefined when nothing is. It goes on from the log's last seal: where
 * what that covers is not there any more as it was sealed, `verify` finds the one as the other.
 * @throws TornAppendError
 */
export async function makeSeal(log: EventLog, cluster: string, { whole = false }: MakeSealOptions = {}): Promise<Seal | undefined> {
  const last = whole ? undefined : await lastSealed(log, cluster);
  const range = last ? MerkleRange.of(last.events, last.peaks) : MerkleRange.empty();
  let position = last?.position ?? 0;
  for await (const appends of readAppends(log, cluster, { after: position })) {
    for (const event of appends.flat()) {
      range.add(leafOf(event));
      position = event.position;
    }
  }
  return range.end === 0 ? undefined : { position, events: range.end, root: range.root() };
}

async function lastSealed(log: EventLog, cluster: string): Promise<EventData<'Sealed'> | undefined> {
  const stream = decisionStream(cluster, 'cluster-lifecycle');
  for await (const page of log.readStream(stream, { direction: 'backwards', limit: 1 }))
    for (const { type, data } of page) if (type === 'Sealed') return data as unknown as EventData<'Sealed'>;
  return undefined;
}
