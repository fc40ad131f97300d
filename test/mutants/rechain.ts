import type { RecordedEvent } from '#libs/event-log';
import { digestOf, isFirstOfAppend, leafOf, MerkleRange, parseStream } from '#libs/events';

interface Covered {
  position: number;
  events: number;
  root: string;
  peaks: string[];
}

/**
 * The events with revisions, digests, and the seals among them as if they had been written like this: what somebody does who edits a log and
 * knows how it is chained.
 * @param seals whether these are made good too
 */
export function rechained(events: readonly RecordedEvent[], seals = true): RecordedEvent[] {
  const chain = new Chain(seals);
  return events.map((event) => chain.add(event));
}

class Chain {
  private readonly revisions = new Map<string, number>();
  /** Of the stream, or of the writer in a stream of decisions. */
  private readonly digests = new Map<string, string>();
  private readonly writers = new Map<string, string>();
  private readonly range = MerkleRange.empty();
  private readonly covered: Covered[] = [];
  private sealed: string | undefined;

  constructor(private readonly seals: boolean) {}

  add(event: RecordedEvent): RecordedEvent {
    const { stream } = event;
    const revision = (this.revisions.get(stream) ?? -1) + 1;
    this.revisions.set(stream, revision);
    const { digest: _, ...metadata } = event.metadata;
    const writer = isFirstOfAppend(metadata) ? (metadata.writer as string) : (this.writers.get(stream) ?? '');
    this.writers.set(stream, writer);
    const key = parseStream('local', stream)?.kind === 'decision' ? `${stream} ${writer}` : stream;
    const data = this.seals && event.type === 'Sealed' ? this.seal(event) : event.data;
    const plain = { ...event, data, revision, metadata };
    const digest = digestOf(plain, stream, this.digests.get(key));
    this.digests.set(key, digest);
    const whole: RecordedEvent = { ...plain, metadata: { ...metadata, digest } };
    this.range.add(leafOf(whole));
    this.covered.push({
      position: event.position,
      events: this.covered.length + 1,
      root: this.range.root(),
      peaks: this.range.peakHashes(),
    });
    return whole;
  }

  /** The seal over what is there now up to its position. */
  private seal({ data }: RecordedEvent): RecordedEvent['data'] {
    const last = this.covered.findLast(({ position }) => position <= (data.position as number));
    if (!last) return data;
    const { prev: _, ...rest } = data;
    const sealed = { ...rest, ...last, ...(this.sealed === undefined ? {} : { prev: this.sealed }) };
    this.sealed = last.root;
    return sealed;
  }
}
