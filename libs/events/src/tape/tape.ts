import type { Round, Tape, TapeBase, TapedMark, TapedOutcome, TapedSettlement, TapedStep } from './round';
import { TapeError, VarintReader, VarintWriter } from './varints';

/**
 * A tape as the metadata of an append carries it, base64url of varints:
 *
 *     tape       := first count round*
 *     round      := ±position ±now settlements·2+hasMarks settlement* [marks mark*]      both from the round before, or the append's base
 *     settlement := controller ordinal outcome
 *     outcome    := 0 done | 1 unrecorded | 2 unled | 3+n step{n}
 *     step       := 0 written | 1 unchanged | 2 skipped | 3 unled | 4..7 code message    refused; +1 uncertain, +2 lacks its record
 *     mark       := 0 stopped | 1 barred | 2 freed, controller
 */
export function encodeTape(first: number, rounds: readonly EncodedRound[], base: TapeBase): string {
  const writer = new VarintWriter();
  writer.put(first);
  writer.put(rounds.length);
  let { position, time } = base;
  for (const round of rounds) {
    writer.putSigned(round.position - position);
    writer.putSigned(round.now - time);
    writer.bytes.push(...round.told);
    position = round.position;
    time = round.now;
  }
  return Buffer.from(writer.bytes).toString('base64url');
}

/** A round with what was told in it already as bytes: it may be carried more than once. */
export interface EncodedRound {
  readonly position: number;
  readonly now: number;
  readonly told: readonly number[];
}

export function encodeRound({ position, now, settlements, marks }: Round): EncodedRound {
  const writer = new VarintWriter();
  writer.put(settlements.length * 2 + (marks.length > 0 ? 1 : 0));
  for (const settlement of settlements) putSettlement(writer, settlement);
  if (marks.length > 0) {
    writer.put(marks.length);
    for (const mark of marks) {
      writer.put(markKinds.indexOf(mark.kind));
      writer.put(mark.controller);
    }
  }
  return { position, now, told: writer.bytes };
}

/** @throws TapeError */
export function decodeTape(text: string, base: TapeBase): Tape {
  const reader = readerOf(text);
  const first = reader.take();
  const count = reader.take();
  const rounds: Round[] = [];
  let { position, time } = base;
  for (let i = 0; i < count; i++) {
    position += reader.takeSigned();
    time += reader.takeSigned();
    rounds.push({ position, now: time, ...takeTold(reader) });
  }
  if (!reader.isAtEnd) throw new TapeError('a tape goes on behind its rounds');
  return { first, rounds };
}

/** The number behind a tape's last round. @throws TapeError */
export function endOfTape(text: string): number {
  const reader = readerOf(text);
  return reader.take() + reader.take();
}

const markKinds: readonly TapedMark['kind'][] = ['stopped', 'barred', 'freed'];
const plainSteps = ['written', 'unchanged', 'skipped', 'unled'] as const;
const refused = 4;
const stepsFrom = 3;

function readerOf(text: string): VarintReader {
  return new VarintReader(Buffer.from(text, 'base64url'));
}

function putSettlement(writer: VarintWriter, { controller, ordinal, outcome }: TapedSettlement): void {
  writer.put(controller);
  writer.put(ordinal);
  if (outcome.kind === 'done') writer.put(0);
  else if (outcome.kind === 'unrecorded') writer.put(1);
  else if (outcome.kind === 'unled') writer.put(2);
  else {
    writer.put(stepsFrom + outcome.steps.length);
    for (const step of outcome.steps) putStep(writer, step);
  }
}

function putStep(writer: VarintWriter, step: TapedStep): void {
  if (step.kind !== 'refused') {
    writer.put(plainSteps.indexOf(step.kind));
    return;
  }
  writer.put(refused + (step.isUncertain ? 1 : 0) + (step.lacksRecord ? 2 : 0));
  writer.put(step.code);
  writer.putText(step.message);
}

function takeTold(reader: VarintReader): Pick<Round, 'settlements' | 'marks'> {
  const head = reader.take();
  const settlements: TapedSettlement[] = [];
  for (let left = Math.floor(head / 2); left > 0; left--) {
    settlements.push({ controller: reader.take(), ordinal: reader.take(), outcome: takeOutcome(reader) });
  }
  const marks: TapedMark[] = [];
  for (let left = head % 2 === 1 ? reader.take() : 0; left > 0; left--) {
    const kind = markKinds[reader.take()];
    if (kind === undefined) throw new TapeError('a tape has a mark that nobody makes');
    marks.push({ kind, controller: reader.take() });
  }
  return { settlements, marks };
}

function takeOutcome(reader: VarintReader): TapedOutcome {
  const code = reader.take();
  if (code === 0) return { kind: 'done' };
  if (code === 1) return { kind: 'unrecorded' };
  if (code === 2) return { kind: 'unled' };
  const steps: TapedStep[] = [];
  for (let left = code - stepsFrom; left > 0; left--) steps.push(takeStep(reader));
  return { kind: 'steps', steps };
}

function takeStep(reader: VarintReader): TapedStep {
  const code = reader.take();
  const kind = plainSteps[code];
  if (kind !== undefined) return { kind };
  const flags = code - refused;
  if (flags > 3) throw new TapeError('a tape has an outcome that nothing has');
  return { kind: 'refused', isUncertain: flags % 2 === 1, lacksRecord: flags >= 2, code: reader.take(), message: reader.takeText() };
}
