import type { RecordedEvent } from '#libs/event-log';
import { parseStream, refusedStep, type EventMetadata, type StreamSubject } from '#libs/events';

/** An append, as the checks get it. */
export interface Append {
  /** Its first event, which says what is said once. */
  first: RecordedEvent;
  notes: EventMetadata;
  events: readonly RecordedEvent[];
  subject: StreamSubject | undefined;
  /** What ids and uids are derived from; undefined where it is not said: parts of a decision without a basis, and older logs. */
  operation: string | undefined;
}

export function appendOf(events: readonly RecordedEvent[], cluster: string): Append {
  const first = events[0] as RecordedEvent;
  const notes = first.metadata as unknown as EventMetadata;
  return { first, notes, events, subject: parseStream(cluster, first.stream), operation: operationOf(notes) };
}

function operationOf({ basis, step, op }: EventMetadata): string | undefined {
  if (!basis) return op;
  const isRecord = step === undefined || step === 'record' || refusedStep(step) !== undefined;
  return isRecord ? basis.decision : `${basis.decision}/${step}`;
}

/** Leads are written beside the runtime, before a process has begun; they carry no number. */
export function isLeadership({ subject }: Append): boolean {
  return subject?.kind === 'decision' && subject.stream === 'leadership';
}
