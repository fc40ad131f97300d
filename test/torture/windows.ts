import { countWhile } from '#libs/kernel';
import type { Operation } from './recorded-operation';

/** The versions between which a request took its effect: later than all that was known before it, earlier than all begun after it. */
export interface Window {
  /** resourceVersion that was in the log before the request was sent. */
  after: number;
  /** resourceVersion of the first write that was begun after the answer. */
  before: number;
}

/** For every request, the window that real time leaves it: an answer is a promise about all that is asked later. */
export class Windows {
  /** By place of the answer: the highest version answered up to there. */
  private readonly known: { place: number; version: number }[] = [];
  /** By place of the sending: the lowest version written by requests sent from there on. */
  private readonly begun: { place: number; version: number }[] = [];

  constructor(operations: readonly Operation[]) {
    const answered = operations.filter(({ code }) => code > 0).sort((a, b) => a.answered - b.answered);
    let highest = 0;
    for (const operation of answered) {
      highest = Math.max(highest, versionIn(operation) ?? 0);
      this.known.push({ place: operation.answered, version: highest });
    }
    const sent = operations.filter(isWrite).sort((a, b) => b.sent - a.sent);
    let lowest = Infinity;
    for (const operation of sent) {
      lowest = Math.min(lowest, versionIn(operation) ?? Infinity);
      this.begun.push({ place: operation.sent, version: lowest });
    }
    this.begun.reverse();
  }

  of({ sent, answered }: Operation): Window {
    const known = lastBelow(this.known, sent);
    const next = lastBelow(this.begun, answered) + 1;
    return { after: this.known[known]?.version ?? 0, before: this.begun[next]?.version ?? Infinity };
  }
}

/** Index of the last entry whose place is below; -1: none. */
function lastBelow(entries: readonly { place: number }[], place: number): number {
  return countWhile(entries, (entry) => entry.place < place) - 1;
}

/** A write that certainly made the version it answered with: one that empties the finalizers may be the deletion instead. */
function isWrite({ verb, code, finalizers }: Operation): boolean {
  return (verb === 'create' && code === 201) || (verb === 'patch' && code === 200 && finalizers?.length !== 0);
}

/** The version that an answer shows. */
function versionIn({ code, body }: Operation): number | undefined {
  if (code < 200 || code >= 300) return undefined;
  const version = Number(body?.metadata?.resourceVersion);
  return Number.isFinite(version) && version > 0 ? version : undefined;
}
