import type { Accept } from '#libs/event-log';
import { dotnetRegex } from './dotnet-regex';
import { InvalidArgument, MissingCase } from './invalid-request';
import type { WireExpression, WireFilter } from './wire/messages';

const REGEX_LENGTH_MAX = 16_384;
const PREFIXES_MAX = 1000;

/** Events looked at for a page, when the client names no number. */
const WINDOW_DEFAULT = 32;

/** A regular expression goes before prefixes. */
function matcher({ regex, prefix = [] }: WireExpression): (text: string) => boolean {
  if (!regex) {
    if (prefix.length > PREFIXES_MAX) throw new InvalidArgument(`more than ${PREFIXES_MAX} prefixes`);
    return (text) => prefix.some((each) => text.startsWith(each));
  }
  if (regex.length > REGEX_LENGTH_MAX) throw new InvalidArgument(`the regular expression is longer than ${REGEX_LENGTH_MAX}`);
  try {
    const expression = dotnetRegex(regex);
    return (text) => expression.test(text);
  } catch (error) {
    throw new InvalidArgument(`the regular expression cannot be used: ${(error as Error).message}`);
  }
}

const FILTER = 'ReadReq+Types+Options+Types+FilterOptions';

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
  throw new MissingCase(`${FILTER}+FilterOneofCase`);
}

/** How many events, accepted or not, are looked at for a page, and how many pages lie between two checkpoints. @throws InvalidArgument */
export function windowOf(
  { max, count, checkpointIntervalMultiplier = 0 }: WireFilter,
  subscription: boolean,
): { window: number; checkpointPages: number } {
  if (max === undefined && !count) throw new MissingCase(`${FILTER}+WindowOneofCase`);
  if (subscription && checkpointIntervalMultiplier < 1) throw new InvalidArgument('the checkpoint interval must be at least 1');
  return { window: max ?? WINDOW_DEFAULT, checkpointPages: checkpointIntervalMultiplier };
}
