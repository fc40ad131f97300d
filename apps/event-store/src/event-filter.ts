import type { Accept } from '#libs/event-log';
import { InvalidArgument } from './invalid-request';
import type { WireExpression, WireFilter } from './wire/messages';

const REGEX_LENGTH_MAX = 1000;
const PREFIXES_MAX = 1000;

/** Events looked at between two checkpoints are this times the multiplier, when the client names no window. */
const WINDOW_DEFAULT = 32;

function matcher({ regex, prefix = [] }: WireExpression): (text: string) => boolean {
  if (prefix.length > 0) {
    if (prefix.length > PREFIXES_MAX) throw new InvalidArgument(`more than ${PREFIXES_MAX} prefixes`);
    return (text) => prefix.some((each) => text.startsWith(each));
  }
  if (!regex) return () => true;
  if (regex.length > REGEX_LENGTH_MAX) throw new InvalidArgument(`the regular expression is longer than ${REGEX_LENGTH_MAX}`);
  try {
    const expression = new RegExp(regex);
    return (text) => expression.test(text);
  } catch (error) {
    throw new InvalidArgument((error as Error).message);
  }
}

/** @throws InvalidArgument */
export function acceptOf(filter: WireFilter): Accept {
  if (filter.stream_identifier) {
    const matches = matcher(filter.stream_identifier);
    return (stream) => matches(stream);
  }
  if (filter.event_type) {
    const matches = matcher(filter.event_type);
    return (_stream, type) => matches(type);
  }
  throw new InvalidArgument('a filter is on stream names or on event types');
}

/** How many events, accepted or not, lie between two checkpoints. */
export function checkpointInterval(filter: WireFilter): number {
  return (filter.max || WINDOW_DEFAULT) * Math.max(1, filter.checkpointIntervalMultiplier ?? 1);
}
