import type { RecordedEvent } from '#libs/event-log';
import type { EventMetadata } from '#libs/events';
import type { AppendCheck } from './check';
import { appendOf } from './append-of';
import type { Findings } from './finding';

type Notes = Partial<Record<keyof EventMetadata, unknown>>;

const isText = (value: unknown): boolean => typeof value === 'string';
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isOptional =
  (is: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || is(value);

const shapes: readonly (readonly [keyof EventMetadata, (value: unknown) => boolean])[] = [
  ['writer', isText],
  ['actor', isText],
  ['time', Number.isFinite],
  ['at', isOptional(isCount)],
  ['w', isOptional((value) => isCount(value) && value !== 0)],
  ['open', isOptional(isCount)],
  ['lost', isOptional((value) => Array.isArray(value) && value.every(isCount))],
  ...(['op', 'verb', 'sub', 'body', 'version', 'agent', 'impersonator', 'tape', 'step'] as const).map(
    (name) => [name, isOptional(isText)] as const,
  ),
  ['groups', isOptional((value) => Array.isArray(value) && value.every(isText))],
];

/**
 * What an append says of itself is of the kinds that it is of, and is there: the other checks pass over what an older version did not say,
 * so whoever numbers his appends has to say the rest too.
 */
export class NotesCheck implements AppendCheck {
  readonly letter = 'Y';

  constructor(
    private readonly cluster: string,
    private readonly findings: Findings,
  ) {}

  append(events: readonly RecordedEvent[]): void {
    const { first, notes } = appendOf(events, this.cluster);
    const wrong = shapes.filter(([name, isRight]) => !isRight((notes as Notes)[name])).map(([name]) => name);
    if (wrong.length > 0) this.invalid(first, `its ${wrong.join(', ')} cannot be`);
    else if (notes.w !== undefined && notes.at === undefined)
      this.invalid(first, 'it has a number, and does not say what it was prepared on');
    else if (notes.w === undefined && (notes.at ?? notes.tape) !== undefined)
      this.invalid(first, 'it says what it was prepared on, and has no number');
  }

  private invalid(event: RecordedEvent, text: string): void {
    this.findings.foundAt('Y', event, text, { kind: 'invalid' });
  }
}
