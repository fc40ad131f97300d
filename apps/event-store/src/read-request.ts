import type { Accept, Direction } from '#libs/event-log';
import { acceptOf, windowOf } from './event-filter';
import { InvalidArgument, MissingCase } from './invalid-request';
import type { ReadOptions } from './wire/messages';
import { streamName } from './wire/stream-names';

/** A revision or position as it was asked for: an unsigned 64-bit number, more than a number holds exactly. */
export type Place = bigint | 'start' | 'end';

export interface StreamTarget {
  kind: 'stream';
  stream: string;
  from: Place;
}

export interface AllTarget {
  kind: 'all';
  /** Of the commit. */
  from: Place;
  /** The position of the prepare is before that: what is at the commit is left out. */
  leavesOutFirst: boolean;
  accept?: Accept;
  /** With a filter: events looked at between two pages, and pages between two checkpoints. */
  window: number;
  checkpointPages: number;
}

export interface ReadRequest {
  target: StreamTarget | AllTarget;
  direction: Direction;
  resolveLinks: boolean;
  structuredIds: boolean;
  /** Absent: a subscription. */
  count: bigint | undefined;
  /** Also told is where the stream begins and ends. */
  tellsEnds: boolean;
}

const UINT64_MAX = 2n ** 64n - 1n;
const INT64_MAX = 2n ** 63n - 1n;

/** The largest number means the end. @throws InvalidArgument above what a signed number holds */
function place(text: string | undefined, what: string): Place {
  const value = BigInt(text ?? 0);
  if (value === UINT64_MAX) return 'end';
  if (value > INT64_MAX) throw new InvalidArgument(`${what} ${value} is larger than any can be`);
  return value;
}

function allPlace({ start, end, position }: NonNullable<ReadOptions['all']>): Pick<AllTarget, 'from' | 'leavesOutFirst'> {
  if (start || end) return { from: start ? 'start' : 'end', leavesOutFirst: false };
  if (!position) throw new InvalidArgument('a place in $all is required: start, end or a position');
  const commit = place(position.commit_position, 'position');
  const prepare = place(position.prepare_position, 'position');
  if (typeof commit === 'bigint' && (typeof prepare !== 'bigint' || commit < prepare))
    throw new InvalidArgument(`the commit position ${String(commit)} is before the prepare position ${String(prepare)}`);
  return { from: commit, leavesOutFirst: commit !== prepare };
}

const STREAM_CASE = 'ReadReq+Types+Options+StreamOptionOneofCase';
const DIRECTIONS = ['Forwards', 'Backwards'];

/** Which stream is asked for, before anything else is looked at; undefined: `$all`. @throws InvalidArgument */
export function streamAskedFor(options: ReadOptions | undefined): string | undefined {
  if (!options) throw new InvalidArgument('options are required');
  if (options.stream) return streamName(options.stream.stream_identifier);
  if (!options.all) throw new MissingCase(STREAM_CASE);
  return undefined;
}

/** In the words of a real server. */
function assertCombination(options: ReadOptions): void {
  const { stream, subscription, count, filter, no_filter: noFilter, read_direction: direction = 0 } = options;
  const combination = [
    stream ? 'Stream' : 'All',
    subscription ? 'Subscription' : count === undefined ? 'None' : 'Count',
    DIRECTIONS[direction] ?? String(direction),
    filter ? 'Filter' : noFilter ? 'NoFilter' : 'None',
  ];
  const [what, how, way, filtered] = combination;
  const fits = how !== 'None' && way !== undefined && DIRECTIONS.includes(way) && filtered !== 'None';
  if (!fits || (what === 'Stream' && filtered === 'Filter') || (how === 'Subscription' && way === 'Backwards'))
    throw new InvalidArgument(`The combination of (${combination.join(', ')}) is invalid.`);
}

/** @throws InvalidArgument for what the protocol does not allow together */
export function readRequest(options: ReadOptions): ReadRequest {
  assertCombination(options);
  if (!options.uuid_option) throw new InvalidArgument('a form of UUIDs is required');
  const { stream, all = {}, filter } = options;
  const target: ReadRequest['target'] = stream
    ? { kind: 'stream', stream: streamName(stream.stream_identifier), from: revisionPlace(stream) }
    : {
        kind: 'all',
        ...allPlace(all),
        ...(filter ? { accept: acceptOf(filter), ...windowOf(filter, !!options.subscription) } : NO_WINDOW),
      };
  return {
    target,
    direction: options.read_direction === 1 ? 'backwards' : 'forwards',
    resolveLinks: options.resolve_links === true,
    structuredIds: options.uuid_option?.string === undefined,
    count: options.subscription ? undefined : BigInt(options.count ?? 0),
    tellsEnds: (options.control_option?.compatibility ?? 0) >= 1,
  };
}

const NO_WINDOW = { window: Infinity, checkpointPages: Infinity };

function revisionPlace({ revision, start, end }: NonNullable<ReadOptions['stream']>): Place {
  if (start) return 'start';
  if (end) return 'end';
  if (revision === undefined) throw new InvalidArgument('a place in the stream is required: start, end or a revision');
  return place(revision, 'revision');
}
