import { StreamHeads, type TornAppendError } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import { digestOf, parseStream, type StoredMetadata } from '#libs/events';
import type { EventCheck } from './check';
import { findingAt, type Finding, type Findings } from './finding';

interface Link {
  digest: string;
  /** What it should be: another only where the event was changed, which is found there. What follows it is whole all the same. */
  computed: string;
}

interface Head extends Link {
  revision: number;
  writer: string | undefined;
}

/**
 * Follows the digest chain event by event. Each event's digest covers what it says and the digest of its predecessor: the stream's
 * last event, or, in a stream of decisions that several write to, the same writer's last one there.
 */
export class DigestChain implements EventCheck {
  readonly letter = 'D';
  private readonly heads = new Map<string, Head>();
  /** Of streams whose objects are gone, most of all in a long log: as small as can be. */
  private readonly gone = new StreamHeads();
  /** Each writer's last event in a stream of decisions, by stream and writer. */
  private readonly writers = new Map<string, Link>();

  constructor(
    private readonly cluster: string,
    private readonly findings: Findings,
  ) {}

  event(event: RecordedEvent): void {
    const { stream, revision } = event;
    const { follows, digest = '', writer: named } = event.metadata as StoredMetadata;
    const subject = parseStream(this.cluster, stream);
    if (!subject) return;
    const head = this.headOf(stream);
    const before = head?.revision ?? -1;
    const isWhole = revision <= before + 1;
    if (!isWhole) this.findings.foundAt('R', event, gapText(before + 1, revision - 1));
    // The later events of an append do not repeat who wrote it.
    const writer = named ?? head?.writer;
    const writerKey = subject.kind === 'decision' ? `${stream} ${writer ?? ''}` : undefined;
    const predecessor = writerKey === undefined ? head : this.writers.get(writerKey);
    const computed = this.digestAfter(event, predecessor);
    const isKnown = isWhole || follows !== undefined;
    if (isKnown && computed !== digest) this.findings.foundAt('D', event, 'its digest does not fit its content and the event before it');
    const isLinked = follows === undefined || follows === predecessor?.digest;
    if (!isLinked && isWhole && computed === digest) this.findings.found(unlinked(event));
    const link = { digest, computed: isKnown ? computed : digest };
    this.heads.set(stream, { ...link, revision, writer });
    if (event.type === 'Deleted' && link.computed === digest) this.bury(event, digest);
    if (writerKey !== undefined) this.writers.set(writerKey, link);
  }

  private headOf(stream: string): Head | undefined {
    const head = this.heads.get(stream);
    if (head) return head;
    const gone = this.gone.get(stream);
    return gone && { ...gone, computed: gone.digest, writer: undefined };
  }

  private bury({ stream, revision }: RecordedEvent, digest: string): void {
    this.heads.delete(stream);
    this.gone.set(stream, { revision, digest });
    this.gone.bury(stream);
  }

  /** Until version 0.1.0 an event named what it follows. */
  private digestAfter(event: RecordedEvent, predecessor: Link | undefined): string {
    const { follows, digest } = event.metadata as StoredMetadata;
    const computed = digestOf(event, event.stream, follows ?? predecessor?.digest);
    if (computed === digest || follows !== undefined || !predecessor || predecessor.computed === predecessor.digest) return computed;
    return digestOf(event, event.stream, predecessor.computed);
  }
}

/** A part of an append: the rest of it was removed. */
export function tornAppend({ event, message }: TornAppendError): Finding {
  return findingAt('R', event, message);
}

/** An event that no event before it can have led to. */
export function brokenEvent(event: RecordedEvent, { message }: Error): Finding {
  return findingAt('D', event, `it does not fit what is before it (${message})`);
}

function unlinked(event: RecordedEvent): Finding {
  return findingAt('R', event, 'it does not follow its predecessor: an event before it was inserted or removed', { kind: 'inserted' });
}

function gapText(from: number, to: number): string {
  return from === to ? `revision ${from} before it is gone` : `revisions ${from} to ${to} before it are gone`;
}
