import type { EventStoreDBClient, StreamingRead } from '@eventstore/db-client';
import { LogUnavailableError, type LogMark } from '../errors';
import { isRefusedPosition } from './client-errors';
import { readOne } from './client-reads';
import type { Connection } from './connection';
import { clientPosition, positionOf, type Resolved } from './conversion';
import type { GuardedLog } from './log-guard';

/** Longest wait for one answer, ms. */
const LOOK_MS_MAX = 2_000;

/** What the guard asks of a store. A connection that does not answer is made anew. */
export function guardedLog(connection: Connection): GuardedLog {
  const look = async (from: number | 'start'): Promise<LogMark | undefined> => {
    const fromPosition = from === 'start' ? from : clientPosition(from);
    const read = (client: EventStoreDBClient): StreamingRead<Resolved> => client.readAll({ fromPosition, maxCount: 1 });
    try {
      const found = await readOne(connection, read, LOOK_MS_MAX);
      return found?.event && { position: positionOf(found.commitPosition!), id: found.event.id };
    } catch (error) {
      if (error instanceof LogUnavailableError && !connection.isClosed) void connection.renew();
      throw error;
    }
  };
  return {
    first: () => look('start'),
    async at({ position }) {
      try {
        return await look(position);
      } catch (error) {
        if (isRefusedPosition(error)) return undefined;
        throw error;
      }
    },
  };
}
