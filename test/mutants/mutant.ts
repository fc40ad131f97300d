import type { CheckLetter } from '#libs/audit';
import type { RecordedEvent } from '#libs/event-log';
import type { LogName } from './exercising-logs';

/** A log that is not as it was written: made by an edit of one that is, or by a control plane that breaks a rule. */
export interface Mutant {
  /** As in the design of the proof. */
  number: number;
  /** What was done to the log, in few words. */
  name: string;
  /** The log that has what the edit is about. */
  log: LogName;
  /** A new list of events, of new objects where they differ. Absent: the log itself is wrong from the start. */
  edit?: (events: readonly RecordedEvent[]) => readonly RecordedEvent[];
  /** Revisions, digests and seals are made good behind the edit, as somebody who knows how would; `but seals`: all but these. */
  rechain?: boolean | 'but seals';
  /** One of these has to find it. */
  expected: readonly CheckLetter[];
  /** Only what was kept elsewhere shows it: the root of the log as it was (of another one, where it is named), over all of its events. */
  keptSeal?: { of?: LogName };
  /** Why it may change nothing that anything follows from, in a log that does not exercise it: a seal that was kept elsewhere shows it then. */
  unseen?: string;
}

export interface Verdict {
  mutant: Mutant;
  /** Letters of all checks that found something. */
  found: readonly CheckLetter[];
  isFound: boolean;
  /** The first finding, as verify prints it. */
  text: string;
}
