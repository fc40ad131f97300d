import type { RecordedEvent } from '#libs/event-log';

/**
 * The checks, a letter each.
 * Each is told in docs/verify.md.
 *
 * D digests · R revisions and whole appends · N append numbers · S seals · P starts and stops of writers · B decisions behind writes ·
 * I ids, uids and names · M decisions made again · O decisions due and absent · L looks that were due · U decisions without an outcome ·
 * C outcomes against the log · W writes made again · V reviews · T times · Y versions and streams
 */
export type CheckLetter = 'D' | 'R' | 'N' | 'S' | 'P' | 'B' | 'I' | 'M' | 'O' | 'L' | 'U' | 'C' | 'W' | 'V' | 'T' | 'Y';

/** Something in the log, or missing from it, that the rules of kubereel do not lead to. */
export interface Finding {
  check: CheckLetter;
  /** The word before it; that of its check when absent. */
  kind?: string;
  type: string;
  stream: string;
  revision: number;
  position: number;
  /** Id of the event. */
  id: string;
  text: string;
  /** `WHAT=NAME`: who names it so says that he knows, and it is no finding any more. */
  accept?: string;
}

/** What cannot be proven here, and is not refuted either. */
export interface Unproven {
  /** `WHAT=NAME`, by which it can be accepted. */
  accept: string;
  /** First and last position that it is about. */
  from: number;
  to: number;
  /** How many decisions or events it is about. */
  count: number;
  /** The first reason of its kind. */
  text: string;
  isAccepted: boolean;
}

const words: Record<CheckLetter, string> = {
  D: 'changed',
  R: 'removed',
  N: 'removed',
  S: 'sealed otherwise',
  P: 'without a start',
  B: 'without a decision',
  I: 'renamed',
  M: 'differs',
  O: 'omitted',
  L: 'not looked at',
  U: 'never settled',
  C: 'contradicts',
  W: 'unlawful',
  V: 'review',
  T: 'time',
  Y: 'unknown',
};

/** A finding about an event. */
export function findingAt(check: CheckLetter, event: RecordedEvent, text: string, more: Pick<Finding, 'kind' | 'accept'> = {}): Finding {
  const { stream, revision, position, id, type } = event;
  return { check, ...more, type, stream, revision, position, id, text };
}

/** `KIND: TYPE STREAM revision R (position P, id I): text`. */
export function findingText({ check, kind, type, stream, revision, position, id, text }: Finding): string {
  return `${kind ?? words[check]}: ${type} ${stream} revision ${revision} (position ${position}, id ${id}): ${text}`;
}

/** Findings kept in full; the rest is counted. */
const listedMax = 1_000;
/** Reasons kept for what is not proven; each is one version, one controller or one part of the log. */
const reasonsMax = 1_000;

/** Where the checks put what they find. Its size is bounded. */
export class Findings {
  /** The first of them, in the order found. */
  readonly listed: Finding[] = [];
  private readonly counts = new Map<CheckLetter, number>();
  private readonly reasons = new Map<string, Unproven>();

  /** @param accepted `WHAT=NAME` of what the user knows of */
  constructor(private readonly accepted: ReadonlySet<string> = new Set()) {}

  found(finding: Finding): void {
    if (finding.accept !== undefined && this.accepted.has(finding.accept)) return;
    this.counts.set(finding.check, (this.counts.get(finding.check) ?? 0) + 1);
    if (this.listed.length < listedMax) this.listed.push(finding);
  }

  foundAt(check: CheckLetter, event: RecordedEvent, text: string, more?: Pick<Finding, 'kind' | 'accept'>): void {
    this.found(findingAt(check, event, text, more));
  }

  /** Something at this position cannot be proven; all of one name are told as one. */
  unproven(accept: string, position: number, text: string, { to = position, count = 1 } = {}): void {
    const known = this.reasons.get(accept);
    if (known) {
      known.count += count;
      known.from = Math.min(known.from, position);
      known.to = Math.max(known.to, to);
    } else if (this.reasons.size < reasonsMax) {
      this.reasons.set(accept, { accept, from: position, to, count, text, isAccepted: this.accepted.has(accept) });
    }
  }

  get count(): number {
    let sum = 0;
    for (const count of this.counts.values()) sum += count;
    return sum;
  }

  countOf(...checks: CheckLetter[]): number {
    return checks.reduce((sum, check) => sum + (this.counts.get(check) ?? 0), 0);
  }

  notProven(): Unproven[] {
    return [...this.reasons.values()];
  }
}

/** Joins the reasons of several readings of one log; those with the same name become one. */
export function joinUnproven(all: readonly Unproven[]): Unproven[] {
  const byName = new Map<string, Unproven>();
  for (const reason of all) {
    const known = byName.get(reason.accept);
    if (!known) byName.set(reason.accept, { ...reason });
    else {
      known.count += reason.count;
      known.from = Math.min(known.from, reason.from);
      known.to = Math.max(known.to, reason.to);
    }
  }
  return [...byName.values()];
}
