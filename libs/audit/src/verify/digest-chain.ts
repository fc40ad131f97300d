import type { TornAppendError } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import { digestOf, parseStream } from '#libs/events';
import type { EventCheck } from './check';
import { findingAt, type Finding, type Findings } from './finding';

interface Link {
  revision: number;
  digest: string;
}

/**
 * Follows the digest chain event by event. Each event's digest covers what it says and the digest of its predecessor: the stream's
 * last event, or, in a stream of decisions that several write to, the same writer's last one there.
 */
export class DigestChain implements EventCheck {
  readonly letter = 'D';
  private readonly heads = new Map<string, Link>();
  /** Digest of each writer's last event in a stream of decisions, by stream and writer. */
  private readonly writers = new Map<string, string>();

  constructor(
    private readonly cluster: string,
    private readonly findings: Findings,
  ) {}

  event(event: RecordedEvent): void {
    const { stream, revision } = event;
    const { follows, digest, writer } = event.metadata as { follows?: string; digest?: string; writer?: string };
    const subject = parseStream(this.cluster, stream);
    if (!subject) return;
    const head = this.heads.get(stream);
    const before = head?.revision ?? -1;
    const isWhole = revision <= before + 1;
    const isUnchanged = digestOf(event, stream, follows) === digest;
    if (!isWhole) this.findings.foundAt('R', event, gapText(before + 1, revision - 1));
    if (!isUnchanged) this.findings.foundAt('D', event, 'its digest does not fit what it says');
    const writerKey = subject.kind === 'decision' ? `${stream} ${writer ?? ''}` : undefined;
    const predecessor = writerKey === undefined ? head?.digest : this.writers.get(writerKey);
    if (follows !== predecessor && isWhole && isUnchanged) this.findings.found(unlinked(event));
    this.heads.set(stream, { revision, digest: digest ?? '' });
    if (writerKey !== undefined) this.writers.set(writerKey, digest ?? '');
  }
}

/** A part of an append: the rest of it was removed. */
export function tornAppend({ event, message }: TornAppendError): Finding {
  return findingAt('R', event, message);
}

/** What stands in the log at this place follows from nothing before it. */
export function brokenEvent(event: RecordedEvent, { message }: Error): Finding {
  return findingAt('D', event, `it does not fit what is before it (${message})`);
}

function unlinked(event: RecordedEvent): Finding {
  return findingAt('R', event, 'it does not follow its predecessor: an event before it was inserted or removed', { kind: 'inserted' });
}

function gapText(from: number, to: number): string {
  return from === to ? `revision ${from} before it is gone` : `revisions ${from} to ${to} before it are gone`;
}
