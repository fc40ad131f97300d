import type { TornAppendError } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import { digestOf, parseStream } from '#libs/events';

/** Something in the log that nobody of ours wrote this way. */
export interface ChainProblem {
  kind: 'changed' | 'removed' | 'inserted';
  stream: string;
  revision: number;
  position: number;
  eventId: string;
  type: string;
  text: string;
}

interface Link {
  revision: number;
  digest: string;
}

/**
 * Follows the digest chain event by event. Each event's digest covers what it says and the digest of its predecessor: the stream's
 * last event, or, in a stream of decisions that several write to, the same writer's last one there.
 */
export class DigestChain {
  private readonly heads = new Map<string, Link>();
  /** Digest of each writer's last event in a stream of decisions, by stream and writer. */
  private readonly writers = new Map<string, string>();

  constructor(private readonly cluster: string) {}

  check(event: RecordedEvent): ChainProblem[] {
    const problems: ChainProblem[] = [];
    const { stream, revision } = event;
    const { follows, digest, writer } = event.metadata as { follows?: string; digest?: string; writer?: string };
    const subject = parseStream(this.cluster, stream);
    if (!subject) return problems;
    const head = this.heads.get(stream);
    const before = head?.revision ?? -1;
    if (revision > before + 1) problems.push(problem('removed', event, gapText(before + 1, revision - 1)));
    if (digestOf(event, stream, follows) !== digest) problems.push(problem('changed', event, 'its digest does not fit what it says'));
    const writerKey = subject.kind === 'decision' ? `${stream} ${writer ?? ''}` : undefined;
    const predecessor = writerKey === undefined ? head?.digest : this.writers.get(writerKey);
    if (follows !== predecessor && problems.length === 0) problems.push(unlinked(event));
    this.heads.set(stream, { revision, digest: digest ?? '' });
    if (writerKey !== undefined) this.writers.set(writerKey, digest ?? '');
    return problems;
  }
}

/** A part of an append: the rest of it was removed. */
export function tornAppend({ event, message }: TornAppendError): ChainProblem {
  return problem('removed', event, message);
}

/** What stands in the log at this place follows from nothing before it. */
export function brokenEvent(event: RecordedEvent, { message }: Error): ChainProblem {
  return problem('changed', event, `it does not fit what is before it (${message})`);
}

function unlinked(event: RecordedEvent): ChainProblem {
  return problem('inserted', event, 'it does not follow its predecessor: an event before it was inserted or removed');
}

function gapText(from: number, to: number): string {
  return from === to ? `revision ${from} before it is gone` : `revisions ${from} to ${to} before it are gone`;
}

function problem(kind: ChainProblem['kind'], event: RecordedEvent, text: string): ChainProblem {
  const { stream, revision, position, id, type } = event;
  return { kind, stream, revision, position, eventId: id, type, text };
}
