import type { EventLog } from '../port';
import { EventStoreDbLog, type EventStoreDbOptions } from './event-store-db-log';

/**
 * A log on an EventStoreDB or KurrentDB server, or on kubereel's own event store. Nothing is loaded or connected before it
 * is used; what fails because the store cannot be reached is tried again for a minute, with the same event ids.
 * @throws EventLogError when the connection string is not one
 */
export function connectEventStoreDb(options: EventStoreDbOptions): EventLog {
  return new EventStoreDbLog(options);
}
