import { budgetAt, eventRefillMs, toldKey } from '#libs/cluster-state';
import { fieldPathOf } from '../pod-types';
import type { Note, Passage, Progress } from './passage';

/** How often something has happened by now, counted from a moment on: the start of a container's run, or of a wait. */
export interface Occurrences {
  times: number;
  /** Ms since the epoch. */
  since: number;
}

/**
 * Tells of something that has happened, maybe again, and shows in no other change of the pod. Written is only what the log does not say
 * yet, and no more than upstream's recorder would write (25 at once of a type about a pod, then one in five minutes); what is held back
 * counts in the next one.
 */
export function tell(progress: Progress, passage: Passage, note: Note, { times, since }: Occurrences): void {
  const { marks } = passage;
  const told = marks.told?.[keyOf(passage, note)];
  const before = told && told.at >= since ? told.times : 0;
  if (times <= before || !mayTell(progress, passage, note.type)) return;
  progress.notes.push({ ...note, count: (told?.count ?? 0) + times - before, times });
}

/** How often it is said already to have happened since a moment; 0: not at all. */
export function timesTold(passage: Passage, note: Note, since: number): number {
  const told = passage.marks.told?.[keyOf(passage, note)];
  return told && told.at >= since ? told.times : 0;
}

/** When it was last told, ms, where that was not before a moment. */
export function toldAt(passage: Passage, note: Note, since: number): number | undefined {
  const told = passage.marks.told?.[keyOf(passage, note)];
  return told && told.at >= since ? told.at : undefined;
}

/** From when another Event of a type may be written, ms: nobody need look before, if the Event is all that he looks for. */
export function mayTellFrom({ marks, now }: Passage, type: Note['type']): number {
  const { left } = budgetAt(marks.budgets?.[type], now);
  return left >= 1 ? now : now + Math.ceil((1 - left) * eventRefillMs);
}

function mayTell({ notes }: Progress, { marks, now }: Passage, type: Note['type']): boolean {
  return budgetAt(marks.budgets?.[type], now).left - notes.filter((note) => note.type === type).length >= 1;
}

export function keyOf({ pod }: Passage, { type, reason, message, container }: Note): string {
  return toldKey(type, reason, message, container === undefined ? undefined : fieldPathOf(pod, container));
}
