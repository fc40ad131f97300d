import type { RecordedEvent } from '#libs/event-log';
import { refusedStep } from '#libs/events';
import { derivedId, derivedUid, type KubeObject } from '#libs/kernel';
import { appendOf, isLeadership, type Append } from './append-of';
import type { AppendCheck } from './check';
import type { Findings } from './finding';

/** How often a writer prepares a write again at most. */
export const attemptsMax = 1_001;

/** Ids of events follow from who wrote them in which operation, uids of objects from the cluster's seed and the operation. */
export class Identity implements AppendCheck {
  readonly letter = 'I';

  constructor(
    private readonly cluster: string,
    private readonly seed: string,
    private readonly findings: Findings,
  ) {}

  append(events: readonly RecordedEvent[]): void {
    const append = appendOf(events, this.cluster);
    const { first, notes, operation } = append;
    if (notes.w === undefined || isLeadership(append)) return;
    if (operation === undefined) {
      // Questions of a decision to reviewers: held against the write that they were asked for.
      if (!isQuestion(first)) this.findings.foundAt('I', first, 'it does not say which operation it is of');
      return;
    }
    const label = labelOf(append, operation);
    if (label === undefined) {
      this.findings.foundAt('I', first, `its id is not one of ${operation}`);
      return;
    }
    events.forEach((event, index) => {
      if (event.id !== derivedId(`${notes.writer}/${operation}/${label}/${index}`))
        this.findings.foundAt('I', event, `its id is not that of event ${index + 1} of ${operation}`);
    });
    if (first.type === 'Created' && !isAdoption(append)) this.uid(first, operation);
  }

  private uid(event: RecordedEvent, operation: string): void {
    const { metadata } = event.data.object as unknown as KubeObject;
    if (metadata.uid !== derivedUid(`${this.seed}/${operation}`))
      this.findings.foundAt('I', event, `the uid ${metadata.uid} is not that of ${operation}`);
  }
}

const questions: ReadonlySet<string> = new Set([
  'PodAdmissionRequested',
  'PriorityClassAdmissionRequested',
  'EvictionRequested',
  'QuotaRequested',
  'WebhookAsked',
  'ConversionAsked',
]);

export function isQuestion({ type }: RecordedEvent): boolean {
  return questions.has(type);
}

/** A derived Event becomes a stored one by the first write to it, with the uid that it was shown with. */
export function isAdoption({ events, notes, subject }: Append): boolean {
  return notes.frame === 1 && events.length > 1 && subject?.kind === 'object' && subject.resource === 'events';
}

/** Questions asked at once, at most: to reviewers, and to webhooks. */
const questionsMax = 8;
const callsMax = 128;

/**
 * Labels of the questions that one preparation of a write asks: of the first, and of those that are asked together with it.
 * @param attempt how often the write was prepared before
 */
function questionLabels(attempt: number, type: string): string[] {
  return Array.from(
    { length: type === 'WebhookAsked' ? callsMax : questionsMax },
    (_, index) => `review.${attempt}${index > 0 ? `.${index}` : ''}`,
  );
}

/**
 * Tells the appends of one operation apart: `r` for a decision's record, the step's number where its refusal is recorded, else how often
 * the write was prepared before.
 */
function labelOf({ first, notes, subject }: Append, operation: string): string | undefined {
  const fits = (label: string): boolean => derivedId(`${notes.writer}/${operation}/${label}/0`) === first.id;
  if (notes.basis && subject?.kind === 'decision') {
    const label = refusedStep(notes.step) === undefined ? 'r' : (notes.step as string);
    return fits(label) ? label : undefined;
  }
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const labels = isQuestion(first) ? questionLabels(attempt, first.type) : [String(attempt)];
    const label = labels.find(fits);
    if (label !== undefined) return label;
  }
  return undefined;
}
