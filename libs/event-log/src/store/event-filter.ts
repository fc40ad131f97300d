import type { EventFilter } from '../port';
import type { Accept } from './log-engine';
import { isSystemEvent } from './stored-event';

/** The port's filter as a predicate. An empty list of prefixes accepts nothing; no list accepts all but system events. */
export function acceptOf(filter: EventFilter | undefined): Accept {
  const exceptions = filter?.exceptPrefixes;
  if (exceptions?.length) {
    const accept = acceptOf({ streamPrefixes: filter?.streamPrefixes });
    return (stream, type) => accept(stream, type) && !exceptions.some((prefix) => stream.startsWith(prefix));
  }
  const prefixes = filter?.streamPrefixes;
  if (!prefixes) return (stream, type) => !isSystemEvent(stream, type);
  const only = prefixes[0];
  if (prefixes.length === 1 && only !== undefined) return (stream, type) => stream.startsWith(only) && !isSystemEvent(stream, type);
  return (stream, type) => !isSystemEvent(stream, type) && prefixes.some((prefix) => stream.startsWith(prefix));
}
