import { RecentIds } from '#libs/cluster-state';
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
 * Follows the digest chain event by event. Each event's digest covers what it says and its predecessor's digest: the stream's
 * last event for objects, the same writer's last one in a decision stream.
 */
export class DigestChain {
  private readonly heads = new Map<string, Link>();
  private readonly writers = new Map<string, WriterChain>();
  private readonly recentIds = new RecentIds();

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
    this.heads.set(stream, { revision, digest: digest ?? '' });
    // A retry after a lost answer may stand twice in a decision stream: the same event, whole, and without effect.
    if (subject.kind === 'decision' && this.recentIds.seenBefore(stream, event.id)) return problems;
    if (subject.kind === 'object') {
      if (follows !== head?.digest && problems.length === 0) problems.push(unlinked(event));
      return problems;
    }
    const writerKey = `${stream} ${writer ?? ''}`;
    let chain = this.writers.get(writerKey);
    if (!chain) this.writers.set(writerKey, (chain = new WriterChain()));
    const isExcused = problems.length > 0;
    problems.push(...chain.add(event, follows, digest ?? '', isExcused));
    return problems;
  }

  /** Events whose predecessor has not come by the end of the log. */
  end(): ChainProblem[] {
    return [...this.writers.values()].flatMap((chain) => chain.waitingBefore(Infinity));
  }
}

/**
 * How far behind its successors an event of a decision stream may stand: a writer has several appends on their way, and when its
 * connection breaks, one of them may have to be sent again after those that followed it.
 */
const lateMax = 64;

/** What one writer appended to a decision stream: a chain in which each event is followed once. */
class WriterChain {
  private hasFirst = false;
  private readonly unfollowed = new Set<string>();
  /** By the digest that they follow. */
  private readonly waiting = new Map<string, RecordedEvent>();

  add(event: RecordedEvent, follows: string | undefined, digest: string, isExcused: boolean): ChainProblem[] {
    const problems = this.waitingBefore(event.revision - lateMax);
    const isLinked = follows === undefined ? !this.hasFirst : this.unfollowed.delete(follows);
    this.hasFirst ||= follows === undefined;
    if (!isLinked && !isExcused) {
      if (follows === undefined || this.waiting.has(follows)) problems.push(unlinked(event));
      else this.waiting.set(follows, event);
    }
    if (!this.waiting.delete(digest)) this.unfollowed.add(digest);
    return problems;
  }

  /** Gives up those that have waited since before the revision. */
  waitingBefore(revision: number): ChainProblem[] {
    const problems: ChainProblem[] = [];
    for (const [follows, event] of this.waiting) {
      if (event.revision >= revision) break;
      this.waiting.delete(follows);
      problems.push(unlinked(event));
    }
    return problems;
  }
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
