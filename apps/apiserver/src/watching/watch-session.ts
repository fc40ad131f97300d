import type { VersionedChange } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import type { Status } from '#libs/kube-api';
import type { StreamSink } from '../http/answer';
import { memoOf, type FrameMemo, type FrameWriter } from './frames';
import { translate, type WatchEvent, type WatchScope } from './translation';

/** Bytes given to a connection before it has taken the last ones. */
const writeAheadMax = 1024 * 1024;
/** Events that may wait for a slow client, beside the state it began with; then its watch is broken off. */
export const waitingMax = 20_000;
const bookmarkEveryMs = 60_000;
/** The last bookmark comes this long before the time-out. */
const bookmarkLeadMs = 2_000;

type Entry = WatchEvent | { type: 'BOOKMARK'; position: number; endsInitial: boolean };

export interface SessionOptions {
  scope: WatchScope;
  frames: FrameWriter;
  bookmarks: boolean;
  timeoutMs: number;
  /** Changes up to this version are not sent. It may lie in the future. */
  after: number;
  /** Version up to which everything has been handed to the session. */
  position: () => number;
}

/** One open watch: what has happened goes out in order, no faster than the client takes it. */
export class WatchSession {
  private readonly waiting: Entry[] = [];
  private head = 0;
  /** Waiting entries that belong to the state the watch began with. */
  private initialCount = 0;
  /** Older changes are still to come: no bookmark may say that everything has been told. */
  isBehind = false;
  /** Watchers that see the same changes in the same form. */
  private readonly form: string;
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly takers: (() => void)[] = [];

  constructor(
    private readonly sink: StreamSink,
    private readonly options: SessionOptions,
  ) {
    const { timeoutMs, bookmarks, scope, frames } = options;
    this.form = `${frames.form} ${scope.namespace ?? '*'} ${scope.name ?? ''}`;
    this.timers.push(setTimeout(() => this.sink.end(), timeoutMs));
    if (bookmarks) this.scheduleBookmarks(timeoutMs);
    sink.onDrained(() => this.pump());
    sink.onClosed(() => this.stop());
  }

  /** The state that the watch begins with, in key order, and the bookmark that ends it. */
  begin(objects: readonly KubeObject[], marksEnd: boolean, position = this.options.position()): void {
    for (const object of objects) this.waiting.push({ type: 'ADDED', object });
    if (marksEnd) this.waiting.push({ type: 'BOOKMARK', position, endsInitial: true });
    this.initialCount = this.waiting.length;
    this.pump();
  }

  take(changes: readonly VersionedChange[]): void {
    if (this.isKept(changes)) return this.takeShared(changes);
    for (const change of changes) {
      if (change.position <= this.options.after) continue;
      const event = translate(change, this.options.scope);
      if (event) this.waiting.push(event);
    }
    this.pump(memoOf(changes));
    if (this.waiting.length - this.head > waitingMax + this.initialCount) this.sink.abort();
  }

  /** Everything has been sent, more may be, and every one of the changes is to be looked at: what others made of them will do. */
  private isKept(changes: readonly VersionedChange[]): boolean {
    const { after, frames, scope } = this.options;
    return this.head === this.waiting.length && scope.all && frames.isShared && (changes[0]?.position ?? 0) > after && !this.isFull;
  }

  /** Who watches the same in the same form is sent the same frames: they are made, and put together, once. */
  private takeShared(changes: readonly VersionedChange[]): void {
    const { scope, frames } = this.options;
    const memo = memoOf(changes);
    const written = memo.batch(this.form, () => {
      const events = changes.flatMap((change) => translate(change, scope) ?? []);
      return events.map((event) => frames.event(event, memo));
    });
    if (written.length > 0) this.sink.writeFrames(written);
  }

  /** Tells the client how far it has been told everything. */
  bookmark(position = this.options.position()): void {
    this.waiting.push({ type: 'BOOKMARK', position, endsInitial: false });
    this.pump();
  }

  private get isFull(): boolean {
    return this.sink.waitingBytes >= writeAheadMax;
  }

  /** Tells why it cannot go on, and ends. */
  fail(status: Status): void {
    this.sink.write(this.options.frames.error(status));
    this.sink.end();
  }

  /** Resolves when the connection has been given everything, or is closed. */
  whenTaken(): Promise<void> {
    if (this.head === this.waiting.length) return Promise.resolve();
    return new Promise((resolve) => this.takers.push(resolve));
  }

  private pump(memo?: FrameMemo): void {
    const { waiting, sink } = this;
    while (this.head < waiting.length && !this.isFull) {
      const frames: Buffer[] = [];
      let bytes = 0;
      while (this.head < waiting.length && bytes < writeAheadMax) {
        const frame = this.frameOf(waiting[this.head++] as Entry, memo);
        bytes += frame.length;
        frames.push(frame);
      }
      sink.writeFrames(frames);
    }
    if (this.head === waiting.length) {
      waiting.length = 0;
      this.head = 0;
      this.initialCount = 0;
      for (const taker of this.takers.splice(0)) taker();
    }
  }

  private frameOf(entry: Entry, memo: FrameMemo | undefined): Buffer {
    const { frames } = this.options;
    return entry.type === 'BOOKMARK' ? frames.bookmark(entry.position, entry.endsInitial) : frames.event(entry, memo);
  }

  private scheduleBookmarks(timeoutMs: number): void {
    const mark = (): void => {
      if (!this.isBehind) this.bookmark();
    };
    this.timers.push(setInterval(mark, bookmarkEveryMs));
    if (timeoutMs > bookmarkLeadMs) this.timers.push(setTimeout(mark, timeoutMs - bookmarkLeadMs));
  }

  private stop(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.waiting.length = 0;
    this.head = 0;
    for (const taker of this.takers.splice(0)) taker();
  }
}
