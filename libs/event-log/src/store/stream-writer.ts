import { randomUUID } from 'node:crypto';
import { AppendTooLargeError, StreamDeletedError, WrongExpectedRevisionError } from '../errors';
import { POSITION_STRIDE, type AppendResult, type ExpectedRevision, type Position, type Revision } from '../port';
import { GenerationCache } from '#libs/kernel';
import type { EncodedAppend, EventPlace, LogEngine } from './log-engine';
import { METADATA_TYPE, TOMBSTONE_REVISION, TOMBSTONE_TYPE, type NewEvent, type PayloadCodec, type StoredEvent } from './stored-event';
import {
  describedBy,
  firstReadable,
  metadataStreamOf,
  settingsOf,
  settingsOfMetadataStream,
  SOFT_DELETE_DIGITS,
  withTruncateBefore,
  type StreamSettings,
} from './stream-settings';
import { checkExpected } from './version-check';

export interface AppendRequest<P> {
  kind: 'append';
  stream: string;
  expected: ExpectedRevision;
  events: readonly NewEvent<P>[];
  encoded: EncodedAppend;
}

export interface DeleteRequest {
  /** delete: may be written to again; tombstone: never. */
  kind: 'delete' | 'tombstone';
  stream: string;
  expected: ExpectedRevision;
}

export type WriteRequest<P> = AppendRequest<P> | DeleteRequest;

export interface WriterOptions {
  /** Real time for `created`, ms since the epoch. */
  now: () => number;
  bytesMax: number;
  /** How far apart two events are in the log; default POSITION_STRIDE. */
  positionStride?: number;
  /** An append without events takes a position too and is answered with it, as on a real server. */
  emptyAppendsTakePositions?: boolean;
}

/** Where an event is that was written before. */
interface WrittenPlace {
  revision: Revision;
  position: Position;
}

interface StreamState {
  /** -1: no event has ever been written. */
  head: Revision;
  settings: StreamSettings | undefined;
}

const HEADS_MAX = 100_000;
const RECENT_IDS_MAX = 10_000;
/** Ids read back from the log at first use: a writer that lost an answer because this process crashed may send its append again. */
const REMEMBERED_MAX = 2_000;

/** Checks and performs writes inside a transaction of the engine, remembering stream heads between transactions. */
export class StreamWriter<P> {
  private readonly heads = new GenerationCache<string, StreamState>(HEADS_MAX);
  private readonly recentIds = new GenerationCache<string, EventPlace>(RECENT_IDS_MAX);
  /** Whether what was written before this process began is among the recent ids. */
  private rememberedRecent = false;
  /** Written since `begin`. */
  written: StoredEvent<P>[] = [];
  private position: Position;
  private readonly stride: number;

  constructor(
    private readonly engine: LogEngine<P>,
    private readonly codec: PayloadCodec<P>,
    private readonly options: WriterOptions,
  ) {
    this.stride = options.positionStride ?? POSITION_STRIDE;
    this.position = engine.lastPosition();
  }

  begin(): void {
    this.written = [];
  }

  /** The transaction came to nothing: what was remembered from it is forgotten. */
  abandon(): void {
    this.written = [];
    this.heads.clear();
    this.recentIds.clear();
    this.rememberedRecent = false;
    this.position = this.engine.lastPosition();
  }

  /** @throws the port's errors, before anything was written, when the request is refused. */
  write(request: WriteRequest<P>): AppendResult {
    if (request.kind !== 'append') return this.remove(request);
    const { stream, events, encoded, expected } = request;
    if (encoded.bytes > this.options.bytesMax) throw new AppendTooLargeError(encoded.bytes, this.options.bytesMax);
    const state = this.stateOf(stream);
    const repeated = this.check(stream, state, expected, events);
    if (repeated) return repeated;
    if (events.length === 0) return this.writeNothing(stream, state);
    const before = state.head;
    const deleted = state.settings?.softDeleted === true;
    const described = describedBy(stream);
    const describesDeleted = described !== undefined && this.stateOf(described).settings?.softDeleted === true;
    const created = this.options.now();
    events.forEach((event, i) => this.put(stream, state, event, created, encoded.payloads?.[2 * i], encoded.payloads?.[2 * i + 1]));
    const result = { revision: state.head, position: this.position };
    if (deleted) this.revive(stream, before + 1);
    if (describesDeleted) this.revive(described, this.stateOf(described).head + 1);
    return result;
  }

  private writeNothing(stream: string, state: StreamState): AppendResult {
    const revision = state.head < 0 ? undefined : state.head;
    if (!this.options.emptyAppendsTakePositions) return { revision, position: undefined };
    this.position += this.stride;
    const { position } = this;
    if (state.settings?.softDeleted) this.revive(stream, state.head + 1);
    return { revision, position };
  }

  head(stream: string): StreamState {
    return this.stateOf(stream);
  }

  private put(
    stream: string,
    state: StreamState,
    event: NewEvent<P>,
    created: number,
    data?: string | Uint8Array,
    metadata?: string | Uint8Array,
  ): void {
    this.position += this.stride;
    state.head += 1;
    const stored: StoredEvent<P> = {
      id: event.id,
      type: event.type,
      data: event.data,
      metadata: event.metadata,
      stream,
      revision: state.head,
      position: this.position,
      created,
    };
    if (event.octets) stored.octets = true;
    this.keep(stored, data, metadata);
  }

  private keep(stored: StoredEvent<P>, data?: string | Uint8Array, metadata?: string | Uint8Array): void {
    this.engine.insert(stored, data, metadata);
    this.written.push(stored);
    // An id stands for where it was written first.
    if (!this.recentIds.get(stored.id))
      this.recentIds.set(stored.id, { id: stored.id, stream: stored.stream, revision: stored.revision, position: stored.position });
    const described = describedBy(stored.stream);
    if (described !== undefined) this.heads.delete(described);
  }

  /** Undefined: go ahead and write. A result: the very events are there already. */
  private check(stream: string, state: StreamState, expected: ExpectedRevision, events: readonly NewEvent<P>[]): AppendResult | undefined {
    const check = checkExpected(expected, {
      revision: state.head,
      tombstoned: state.head === TOMBSTONE_REVISION,
      softDeleted: state.settings?.softDeleted === true,
      hasMetadata: expected === 'stream_exists' && state.head < 0 && this.hasMetadata(stream),
    });
    switch (check.kind) {
      case 'write':
        return undefined;
      case 'deleted':
        throw new StreamDeletedError(stream);
      case 'recent':
        return this.recentlyWritten(stream, state, expected, events);
      case 'repeat': {
        const { matching, last } = this.matching(stream, check.from, events);
        if (events.length > 0 && matching === events.length) return this.answeredAgain(stream, state, last!);
        if (events.length > 0 && matching === 0 && check.otherwise === 'write') return undefined;
        throw this.wrong(stream, expected, state);
      }
      case 'wrong':
        throw this.wrong(stream, expected, state);
    }
  }

  /** How many of the events are in the stream from a revision on, and the last of those. */
  private matching(stream: string, from: Revision, events: readonly NewEvent<P>[]): { matching: number; last: StoredEvent<P> | undefined } {
    let matching = 0;
    let last: StoredEvent<P> | undefined;
    while (matching < events.length) {
      const page = this.engine.readStream(stream, from + matching, events.length - matching, 'forwards');
      for (const found of page) {
        if (found.id !== events[matching]!.id) return { matching, last };
        matching += 1;
        last = found;
      }
      if (page.length === 0) break;
    }
    return { matching, last };
  }

  private recentlyWritten(
    stream: string,
    state: StreamState,
    expected: ExpectedRevision,
    events: readonly NewEvent<P>[],
  ): AppendResult | undefined {
    this.rememberRecent();
    let last: WrittenPlace | undefined;
    for (const [i, event] of events.entries()) {
      const recent = this.recentIds.get(event.id);
      if (recent?.stream === stream) last = recent;
      else if (i === 0) return undefined;
      else throw this.wrong(stream, expected, state);
    }
    return last && this.answeredAgain(stream, state, last);
  }

  /** An event that is hidden by now is known to have been written, but not where. */
  private answeredAgain(stream: string, { head, settings }: StreamState, { revision, position }: WrittenPlace): AppendResult {
    const hidden =
      settings && (settings.softDeleted || revision < firstReadable(settings, head) || this.isTooOld(stream, revision, settings));
    return { revision, position: hidden ? undefined : position };
  }

  private isTooOld(stream: string, revision: Revision, { maxAgeMs }: StreamSettings): boolean {
    if (maxAgeMs === undefined) return false;
    const [event] = this.engine.readStream(stream, revision, 1, 'forwards');
    return event !== undefined && event.created < this.options.now() - maxAgeMs;
  }

  private rememberRecent(): void {
    if (this.rememberedRecent) return;
    this.rememberedRecent = true;
    const known = new Set<string>();
    for (const place of this.engine.recent(REMEMBERED_MAX)) {
      // Newest first; what was written since this process began is among them and stays.
      if (known.has(place.id) || !this.recentIds.get(place.id)) {
        this.recentIds.set(place.id, place);
        known.add(place.id);
      }
    }
  }

  private wrong(stream: string, expected: ExpectedRevision, state: StreamState): WrongExpectedRevisionError {
    return new WrongExpectedRevisionError(stream, expected, state.head < 0 ? undefined : state.head);
  }

  private remove(request: DeleteRequest): AppendResult {
    const { stream, kind, expected } = request;
    const state = this.stateOf(stream);
    const { empty } = this.codec;
    const tombstone: NewEvent<P> = { id: randomUUID(), type: TOMBSTONE_TYPE, data: empty, metadata: empty, octets: true };
    this.check(stream, state, expected, [tombstone]);
    if (kind === 'delete') {
      if (state.head < 0 && !this.hasMetadata(stream)) throw this.wrong(stream, expected, state);
      // What else the metadata said goes with the stream.
      this.writeMetadata(stream, `{"$tb":${SOFT_DELETE_DIGITS}}`);
      return { revision: undefined, position: this.position };
    }
    this.position += this.stride;
    state.head = TOMBSTONE_REVISION;
    const { payloads } = this.engine.encode([tombstone]);
    const stored = { ...tombstone, stream, revision: TOMBSTONE_REVISION, position: this.position, created: this.options.now() };
    this.keep(stored, payloads?.[0], payloads?.[1]);
    // Its metadata, and theirs, are gone with it.
    for (let name = metadataStreamOf(stream); this.heads.get(name); name = metadataStreamOf(name)) this.heads.delete(name);
    return { revision: undefined, position: this.position };
  }

  /** A soft-deleted stream that is written to again, it or its metadata, shows only what comes from now on. */
  private revive(stream: string, from: Revision): void {
    const last = this.lastMetadata(stream);
    const revived = last && withTruncateBefore(this.codec.text(last.data), String(from));
    // What is no JSON stays as it is, and with it nothing of the stream is hidden any more.
    if (revived !== undefined) this.writeMetadata(stream, revived);
  }

  private writeMetadata(stream: string, text: string): void {
    const { codec, engine, options } = this;
    const event: NewEvent<P> = { id: randomUUID(), type: METADATA_TYPE, data: codec.ofJsonText(text), metadata: codec.empty };
    const { payloads } = engine.encode([event]);
    const metadataStream = metadataStreamOf(stream);
    this.put(metadataStream, this.stateOf(metadataStream), event, options.now(), payloads?.[0], payloads?.[1]);
  }

  private hasMetadata(stream: string): boolean {
    return this.stateOf(metadataStreamOf(stream)).head >= 0;
  }

  private stateOf(stream: string): StreamState {
    let state = this.heads.get(stream);
    if (!state) {
      state = { head: this.headOf(stream), settings: this.settings(stream) };
      this.heads.set(stream, state);
    }
    return state;
  }

  /** The metadata of a tombstoned stream are gone with it. */
  private headOf(stream: string): Revision {
    const described = describedBy(stream);
    if (described !== undefined && this.stateOf(described).head === TOMBSTONE_REVISION) return TOMBSTONE_REVISION;
    return this.engine.headRevision(stream) ?? -1;
  }

  private settings(stream: string): StreamSettings | undefined {
    if (describedBy(stream) !== undefined) return settingsOfMetadataStream();
    const last = this.lastMetadata(stream);
    // Data that their writer did not declare to be JSON say nothing.
    return last && settingsOf(last.octets ? '' : this.codec.text(last.data));
  }

  private lastMetadata(stream: string): StoredEvent<P> | undefined {
    return this.engine.readStream(metadataStreamOf(stream), Number.MAX_SAFE_INTEGER, 1, 'backwards')[0];
  }
}
