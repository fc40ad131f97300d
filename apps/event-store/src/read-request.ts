import type { Accept, Direction, Position, Revision } from '#libs/event-log';
import { acceptOf, checkpointInterval } from './event-filter';
import { InvalidArgument } from './invalid-request';
import type { ReadOptions } from './wire/messages';
import { streamName } from './wire/stream-names';

interface Common {
  direction: Direction;
  resolveLinks: boolean;
  structuredIds: boolean;
}

export type ReadTarget =
  | { kind: 'stream'; stream: string; from: Revision | 'start' | 'end' }
  | { kind: 'all'; from: Position | 'start' | 'end'; accept?: Accept; checkpointEvery: number };

/** Absent count: a subscription. */
export type ReadRequest = Common & { target: ReadTarget; count: number | undefined };

/** Positions and revisions beyond this, such as the largest unsigned integers, mean the end. */
function place(text: string | undefined): number | 'end' {
  const value = Number(text ?? 0);
  return value >= Number.MAX_SAFE_INTEGER ? 'end' : value;
}

function targetOf(options: ReadOptions): ReadTarget {
  const { stream, all, filter } = options;
  if (stream) {
    if (filter) throw new InvalidArgument('only $all can be filtered');
    const from = stream.start ? 'start' : stream.end ? 'end' : place(stream.revision);
    return { kind: 'stream', stream: streamName(stream.stream_identifier), from };
  }
  if (!all) throw new InvalidArgument('either a stream or $all is to be read');
  const from = all.start ? 'start' : all.end ? 'end' : place(all.position?.commit_position);
  if (!filter) return { kind: 'all', from, checkpointEvery: Infinity };
  return { kind: 'all', from, accept: acceptOf(filter), checkpointEvery: checkpointInterval(filter) };
}

/** @throws InvalidArgument for what the protocol does not allow together */
export function readRequest(options: ReadOptions | undefined): ReadRequest {
  if (!options) throw new InvalidArgument('options are required');
  const direction = options.read_direction === 1 ? 'backwards' : 'forwards';
  if (!options.uuid_option) throw new InvalidArgument('a form of UUIDs is required');
  if (!options.subscription && options.count === undefined) throw new InvalidArgument('either a count or a subscription is required');
  if (options.subscription && direction === 'backwards') throw new InvalidArgument('a subscription goes forwards');
  return {
    target: targetOf(options),
    direction,
    resolveLinks: options.resolve_links === true,
    structuredIds: options.uuid_option.structured !== undefined,
    count: options.subscription ? undefined : Number(options.count),
  };
}
