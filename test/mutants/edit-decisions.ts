import type { RecordedEvent } from '#libs/event-log';
import { wholeMetadata, type Basis, type TapedSettlement } from '#libs/events';
import { changed, indexOf, NotInThisLogError, ofType } from './edits';
import { withRounds, type NumberedRound } from './edit-tapes';

/** The basis of a decision's append, all of it. */
export function basisOf({ metadata, stream }: RecordedEvent): Basis | undefined {
  return metadata.basis === undefined ? undefined : wholeMetadata(metadata, stream, undefined).basis;
}

export const isOf =
  (controller: string, step?: string) =>
  (event: RecordedEvent): boolean =>
    basisOf(event)?.decision.startsWith(`${controller}/`) === true && (step === undefined || event.metadata.step === step);

/** The record of a preemption, with the attempt that led to it. */
export const isPreemption = (event: RecordedEvent, index: number, events: readonly RecordedEvent[]): boolean =>
  isOf('scheduler', 'record')(event) && events[index + 1]?.type === 'PreemptionDecided';

/** One append's basis is another. */
export function changedBasis(which: (event: RecordedEvent) => boolean, change: (basis: Basis) => Partial<Basis>) {
  return changed(which, (event) => {
    const basis = basisOf(event) as Basis;
    return { metadata: { ...event.metadata, basis: { ...basis, ...change(basis) } } as never };
  });
}

/** A round in which something was decided. */
export function isFruitful({ position, now }: NumberedRound, events: readonly RecordedEvent[]): boolean {
  return events.some((event) => basisOf(event)?.position === position && basisOf(event)?.now === now);
}

/** A start of a controller: whose, at which place among his, and where. */
export function lifeOf(events: readonly RecordedEvent[], controller: string): { writer: string; place: number; position: number } {
  const started = events[
    indexOf(events, ({ type, data }) => type === 'ControllerStarted' && data.controller === controller)
  ] as RecordedEvent;
  const { position } = started;
  const writer = started.metadata.writer as string;
  const his = events.filter(({ type, metadata }) => type === 'ControllerStarted' && metadata.writer === writer);
  return { writer, place: his.indexOf(started), position };
}

/** The first settlement that is meant is another one. */
export function changedSettlement(
  isMeant: (settlement: TapedSettlement, round: NumberedRound) => boolean,
  change: (settlement: TapedSettlement) => TapedSettlement,
  writer?: string,
) {
  return withRounds((rounds) => {
    let isDone = false;
    return rounds.map((round) => ({
      ...round,
      settlements: round.settlements.map((settlement) => {
        if (isDone || !isMeant(settlement, round)) return settlement;
        isDone = true;
        return change(settlement);
      }),
    }));
  }, writer);
}

/** All appends of one decision are gone. */
export function withoutDecision(which: (event: RecordedEvent, index: number, events: readonly RecordedEvent[]) => boolean) {
  return (events: readonly RecordedEvent[]): readonly RecordedEvent[] => {
    const { decision } = basisOf(events[indexOf(events, which)] as RecordedEvent) as Basis;
    let isItsOwn = false;
    return events.filter((event) => {
      if ((event.metadata.i ?? 1) === 1) isItsOwn = basisOf(event)?.decision === decision;
      return !isItsOwn;
    });
  };
}

/** What two events of the same kind say of themselves is exchanged. */
export function exchanged(
  which: (event: RecordedEvent) => boolean,
  exchange: (a: RecordedEvent, b: RecordedEvent) => [Partial<RecordedEvent>, Partial<RecordedEvent>],
) {
  return (events: readonly RecordedEvent[]): readonly RecordedEvent[] => {
    const first = indexOf(events, which);
    const second = events.findIndex((event, index) => index > first && which(event));
    if (second < 0) throw new NotInThisLogError();
    const [a, b] = exchange(events[first] as RecordedEvent, events[second] as RecordedEvent);
    return events.map((event, index) => (index === first ? { ...event, ...a } : index === second ? { ...event, ...b } : event));
  };
}

/** The basis of a binding, and who wrote it. */
export function bindOf(events: readonly RecordedEvent[], name = ''): Basis & { writer: string } {
  const bound = events[
    indexOf(events, (event) => ofType('PodScheduled', name)(event, 0, events) && basisOf(event) !== undefined)
  ] as RecordedEvent;
  return { ...(basisOf(bound) as Basis), writer: bound.metadata.writer as string };
}

/** The first round behind a controller's start says something of it besides. */
export function markedFirst(events: readonly RecordedEvent[], name: string, kind: 'barred' | 'stopped'): readonly RecordedEvent[] {
  const { writer, place, position } = lifeOf(events, name);
  return withRounds((rounds) => {
    const at = rounds.findIndex((round) => round.position > position);
    return rounds.map((round, index) => (index === at ? { ...round, marks: [...round.marks, { kind, controller: place }] } : round));
  }, writer)(events);
}
