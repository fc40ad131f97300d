import type { Seal } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import { leafOf, MerkleRange, type EventData, type Hash } from '#libs/events';
import type { EventCheck } from '../verify/check';
import { findingAt, type Findings } from '../verify/finding';

/** A seal that was kept outside of the log. */
export interface KeptSeal extends Seal {
  /** Where, for messages: `seals.txt line 3`. */
  from: string;
  /** It lies beside the log: whoever can write one can write the other. */
  isBeside?: boolean;
}

/** Seals of one kind, and what they say of the log. */
export interface SealCount {
  seals: number;
  /** How many of them the log gives. */
  agreed: number;
  /** Events that the last of these covers. */
  events: number;
}

export interface SealReport {
  inLog: SealCount;
  /** Kept elsewhere. */
  kept: SealCount;
  /** Lying beside the log. */
  beside: SealCount;
}

/** Events that a seal may be late. What is looked at is what came since the seal before, and this much at most. */
const lateEventsMax = 65_536;

/**
 * Makes the Merkle tree over the log again, and compares it with the seals in the log and with those kept elsewhere. An event that was
 * changed, removed, put in or moved, a stream that is gone or has another name, an end that was cut off: each gives another root.
 */
export class SealCheck implements EventCheck {
  readonly letter = 'S';
  private count = 0;
  private last: RecordedEvent | undefined;
  /** The leaves up to the last seal in the log that was looked at, and those after it. */
  private readonly base = MerkleRange.empty();
  private leaves: Hash[] = [];
  private positions: number[] = [];
  /** Append numbers of the writers: the last ones up to there, and those after it. */
  private readonly numbers = new Map<string, number>();
  private laterNumbers: { events: number; writer: string; w: number }[] = [];
  /** What the log gives where the seal before should say it. */
  private rootBefore: Hash | undefined;
  /** The seal that did not agree, while none has agreed since. */
  private broken: { position: number; events: number } | undefined;
  /** The last place at which a seal in the log agreed. */
  private agreed = { position: 0, events: 0 };
  /** Of the log's own seals, the first that did not agree. */
  private firstBroken: { position: number; events: number } | undefined;
  private readonly kept: readonly KeptSeal[];
  private nextKept = 0;
  private readonly report: SealReport = { inLog: none(), kept: none(), beside: none() };

  constructor(
    private readonly findings: Findings,
    kept: readonly KeptSeal[] = [],
  ) {
    this.kept = [...kept].sort((a, b) => a.events - b.events);
    for (const seal of kept) this.countOf(seal).seals++;
  }

  event(event: RecordedEvent): void {
    if (event.type === 'Sealed') this.sealed(event, event.data as unknown as EventData<'Sealed'>);
    this.count++;
    this.last = event;
    this.leaves.push(leafOf(event));
    this.positions.push(event.position);
    const { w, writer } = event.metadata;
    if (typeof w === 'number' && typeof writer === 'string') this.laterNumbers.push({ events: this.count, writer, w });
    if (this.leaves.length > 2 * lateEventsMax) this.advance(this.count - lateEventsMax);
    for (let seal = this.kept[this.nextKept]; seal && seal.events <= this.count; seal = this.kept[++this.nextKept]) this.held(seal, event);
  }

  end(): void {
    const { last, count } = this;
    for (const seal of this.kept.slice(this.nextKept)) {
      const missing = seal.events - count;
      const text = `the log ends here, with its event ${count}; ${seal.from} is the seal of ${seal.events}, up to position ${seal.position}: the last ${missing} are gone`;
      const at = last ?? ({ type: 'nothing', stream: '-', revision: -1, position: 0, id: '-' } as RecordedEvent);
      this.findings.found(findingAt('S', at, text, { kind: 'truncated' }));
    }
  }

  result(): SealReport {
    return this.report;
  }

  /** A seal in the log, before it is a leaf itself. */
  private sealed(event: RecordedEvent, data: EventData<'Sealed'>): void {
    const { inLog } = this.report;
    inLog.seals++;
    const problem = this.placeProblem(data) ?? this.rootProblem(data) ?? this.chainProblem(data) ?? this.writerProblem(data);
    if (problem === undefined) {
      this.broken = undefined;
      this.agreed = { position: data.position, events: data.events };
      inLog.agreed++;
      inLog.events = data.events;
    } else {
      // Those after the first are all different from what the log gives.
      if (!this.broken) this.findings.foundAt('S', event, problem);
      this.broken ??= { position: data.position, events: data.events };
      this.firstBroken ??= this.broken;
    }
    this.rootBefore = this.base.root();
  }

  private placeProblem({ events, position }: EventData<'Sealed'>): string | undefined {
    if (!Number.isInteger(events) || events <= 0 || events > this.count)
      return `it seals ${events} events, and ${this.count} are before it`;
    if (events <= this.base.end) return `it seals the first ${events} events, long after they were sealed or should have been`;
    const there = this.positions[events - this.base.end - 1];
    return there === position ? undefined : `it seals ${events} events up to position ${position}; event ${events} is at ${there}`;
  }

  private rootProblem({ events, root, peaks }: EventData<'Sealed'>): string | undefined {
    this.advance(events);
    const gives = this.base.root();
    const { position } = this.agreed;
    if (root !== gives)
      return `it says ${root} for the first ${events} events, the log gives ${gives}: what it has after position ${position}, or this seal, is not what was written`;
    return JSON.stringify(peaks) === JSON.stringify(this.base.peakHashes()) ? undefined : 'its peaks are not those of its root';
  }

  private chainProblem({ prev }: EventData<'Sealed'>): string | undefined {
    if (prev === this.rootBefore) return undefined;
    return `it names ${prev ?? 'nothing'} as the root of the seal before it, where the log gives ${this.rootBefore ?? 'none'}`;
  }

  private writerProblem({ writers }: EventData<'Sealed'>): string | undefined {
    const wrong = writers.find(([name, w]) => this.numbers.get(name) !== w);
    return wrong && `it says that append ${wrong[1]} is the last of ${wrong[0]}, which is ${this.numbers.get(wrong[0]) ?? 'unknown'}`;
  }

  /** The tree is made as far as the first `events` events. */
  private advance(events: number): void {
    const step = events - this.base.end;
    for (let i = 0; i < step; i++) this.base.add(this.leaves[i] as Hash);
    this.leaves = this.leaves.slice(step);
    this.positions = this.positions.slice(step);
    const isLater = this.laterNumbers.findIndex((number) => number.events > events);
    const taken = this.laterNumbers.splice(0, isLater < 0 ? this.laterNumbers.length : isLater);
    for (const { writer, w } of taken) this.numbers.set(writer, w);
  }

  /** The log has come to the event that is the last of a kept seal. */
  private held(seal: KeptSeal, event: RecordedEvent): void {
    const tree = this.base.fork();
    for (const leaf of this.leaves) tree.add(leaf);
    const gives = tree.root();
    if (seal.root === gives && seal.position === event.position) {
      const count = this.countOf(seal);
      count.agreed++;
      count.events = seal.events;
      return;
    }
    const text =
      seal.root === gives
        ? `${seal.from} is the seal of ${seal.events} events up to position ${seal.position}; event ${seal.events} is this one`
        : `${seal.from} says ${seal.root} for the first ${seal.events} events, the log gives ${gives}: ${this.whereText()}`;
    this.findings.found(findingAt('S', event, text, { kind: 'rewritten' }));
  }

  private countOf(seal: KeptSeal): SealCount {
    return seal.isBeside ? this.report.beside : this.report.kept;
  }

  private whereText(): string {
    const { firstBroken, agreed, report } = this;
    if (firstBroken) return `the first of its own seals that it does not give is of position ${firstBroken.position}`;
    const known = Math.max(report.kept.events, report.beside.events);
    if (known > 0) return `it was written anew, with its own seals, after event ${known}, up to which a kept seal agrees`;
    return agreed.events > 0 ? 'it was written anew, with its own seals' : 'it was written anew';
  }
}

function none(): SealCount {
  return { seals: 0, agreed: 0, events: 0 };
}
