import type { RecordedEvent } from '#libs/event-log';
import { jsonDigest, type Basis } from '#libs/events';
import { both, changedAll, changedData, changedMetadata, indexOf, ofType, withAppend, without, withoutAppend } from '../edits';
import {
  basisOf,
  isOf,
  isPreemption,
  changedBasis,
  isFruitful,
  lifeOf,
  changedSettlement,
  withoutDecision,
  exchanged,
  bindOf,
  markedFirst,
} from '../edit-decisions';
import { roundsOf, withRounds, type NumberedRound } from '../edit-tapes';
import type { Mutant } from '../mutant';

const secondMs = 1_000;

/** When controllers were asked, what they were told, and what they decided then. */
export const roundMutants: readonly Mutant[] = [
  {
    number: 15,
    name: 'a report that nobody made',
    log: 'workloads',
    edit: withAppend(
      (event) => event.type === 'Reported' && isOf('replicaset-controller', 'record')(event),
      ([copy]) => {
        const basis = basisOf(copy as RecordedEvent) as Basis;
        (copy as RecordedEvent).metadata.basis = { ...basis, decision: basis.decision.replace(/\d+$/, '900') } as never;
        (copy as RecordedEvent).data.message = 'Created pod: web-none';
      },
    ),
    rechain: true,
    expected: ['M'],
  },
  {
    number: 24,
    name: 'a decision on another subject',
    log: 'preemptions',
    edit: changedBasis(isOf('scheduler', 'record'), () => ({ subject: 'default/other' })),
    rechain: true,
    expected: ['M'],
  },
  {
    number: 25,
    name: 'a decision of another number',
    log: 'preemptions',
    edit: changedBasis(isOf('scheduler', 'record'), ({ decision }) => ({ decision: decision.replace(/\d+$/, '900') })),
    rechain: true,
    expected: ['M'],
  },
  {
    number: 26,
    name: 'a decision a second earlier',
    log: 'preemptions',
    edit: changedBasis(isOf('scheduler', 'record'), ({ now }) => ({ now: now - secondMs })),
    rechain: true,
    expected: ['M'],
  },
  {
    number: 27,
    name: 'a decision on an earlier state',
    log: 'preemptions',
    edit: changedBasis(isOf('scheduler', 'record'), ({ position }) => ({ position: position - 16 })),
    rechain: true,
    expected: ['M'],
  },
  {
    number: 28,
    name: 'an attempt that other plugins have failed',
    log: 'preemptions',
    edit: changedData(
      (event) => event.type === 'SchedulingAttempted' && Array.isArray(event.data.plugins),
      (data) => data.plugins.push('NodeName'),
    ),
    rechain: true,
    expected: ['M'],
  },
  {
    number: 29,
    unseen: 'a controller may be told of an outcome and its state be the same',
    name: 'a round without a decision left out',
    log: 'preemptions',
    edit: (events) => {
      const { writer, place } = lifeOf(events, 'kubelet');
      const dropped = roundsOf(events, writer).find(
        (round) => !isFruitful(round, events) && round.settlements.some(({ controller }) => controller === place),
      );
      return withRounds((rounds) => rounds.filter(({ number }) => number !== dropped?.number), writer)(events);
    },
    rechain: true,
    expected: ['M', 'C', 'O'],
  },
  {
    number: 30,
    name: 'a round that nobody took',
    log: 'preemptions',
    edit: (events) => {
      const { writer, position, now } = bindOf(events);
      return withRounds((rounds) => {
        const at = rounds.findIndex((round) => round.position === position && round.now === now);
        const added = { position, now: now - 1, settlements: [], marks: [], number: at - 0.5 };
        return at < 0 ? rounds : [...rounds.slice(0, at), added, ...rounds.slice(at)];
      }, writer)(events);
    },
    rechain: true,
    expected: ['M'],
  },
  {
    number: 103,
    name: 'a round in which nothing was due',
    log: 'preemptions',
    edit: withRounds((rounds) => {
      const at = rounds.findIndex((round, index) => index > 0 && round.now > (rounds[index - 1] as NumberedRound).now + 1);
      const { position, now, number } = rounds[at - 1] as NumberedRound;
      const added = { position, now: now + 1, settlements: [], marks: [], number: number + 0.5 };
      return [...rounds.slice(0, at), added, ...rounds.slice(at)];
    }),
    rechain: true,
    expected: ['M'],
  },
  {
    number: 31,
    name: 'an outcome told later than it was',
    log: 'preemptions',
    edit: (events) => {
      const { writer, place } = lifeOf(events, 'kubelet');
      return withRounds((rounds) => {
        const from = rounds.findIndex(({ settlements }) => settlements.some(({ controller }) => controller === place));
        if (from < 0) return rounds;
        const { settlements } = rounds[from] as NumberedRound;
        const moved = settlements.filter(({ controller }) => controller === place);
        const last = rounds.length - 1;
        return rounds.map((round, index) => {
          if (index === from) return { ...round, settlements: settlements.filter((each) => !moved.includes(each)) };
          return index === last ? { ...round, settlements: [...moved, ...round.settlements] } : round;
        });
      }, writer)(events);
    },
    rechain: true,
    expected: ['M', 'O'],
  },
  {
    number: 32,
    name: 'a refusal that was none',
    log: 'preemptions',
    edit: (events) => {
      const { writer, place } = lifeOf(events, 'kubelet');
      return changedSettlement(
        ({ controller, outcome }) => controller === place && outcome.kind === 'done',
        (settlement) => ({
          ...settlement,
          outcome: { kind: 'steps', steps: [{ kind: 'refused', code: 409, message: '', isUncertain: false, lacksRecord: false }] },
        }),
        writer,
      )(events);
    },
    rechain: true,
    expected: ['C'],
  },
  {
    number: 33,
    name: 'a step said to be written that was not',
    log: 'preemptions',
    edit: changedSettlement(
      ({ outcome }) =>
        outcome.kind === 'steps' && outcome.steps.some((step) => step.kind !== 'written' && !(step.kind === 'refused' && step.isUncertain)),
      (settlement) => ({ ...settlement, outcome: { kind: 'done' } }),
    ),
    rechain: true,
    expected: ['C', 'O'],
  },
  {
    number: 35,
    name: 'another cause',
    log: 'preemptions',
    edit: changedMetadata(isPreemption as never, (metadata) => (metadata.$causationId = '00000000-0000-5000-8000-000000000000')),
    rechain: true,
    expected: ['M'],
  },
  {
    number: 36,
    name: 'a controller that started with another configuration',
    log: 'preemptions',
    edit: changedData(
      (event) => event.type === 'ControllerStarted' && event.data.controller === 'kubelet',
      (data) => {
        data.config.startupMs = 5_000;
        data.configDigest = jsonDigest(data.config);
      },
    ),
    unseen: 'a kubelet that has started no container since decided nothing by it',
    rechain: true,
    expected: ['M'],
  },
  {
    number: 38,
    name: 'two steps of a decision under one another’s name',
    log: 'preemptions',
    edit: (events) => {
      const { decision } = basisOf(events[indexOf(events, ofType('PodPreempted'))] as RecordedEvent) as Basis;
      const isVictims = (event: RecordedEvent): boolean => event.type === 'PodPreempted' && basisOf(event)?.decision === decision;
      return exchanged(isVictims, (a, b) => [
        { metadata: { ...a.metadata, step: b.metadata.step } as never },
        { metadata: { ...b.metadata, step: a.metadata.step } as never },
      ])(events);
    },
    rechain: true,
    expected: ['M'],
  },
  {
    number: 39,
    name: 'two decisions under one another’s name',
    log: 'preemptions',
    edit: exchanged(ofType('PodScheduled') as never, (a, b) => [
      { metadata: { ...a.metadata, basis: { ...basisOf(a), decision: basisOf(b)?.decision } } as never },
      { metadata: { ...b.metadata, basis: { ...basisOf(b), decision: basisOf(a)?.decision } } as never },
    ]),
    rechain: true,
    expected: ['M'],
  },
  {
    number: 40,
    name: 'two pods decided on in the other order',
    log: 'preemptions',
    edit: exchanged(ofType('PodScheduled') as never, (a, b) => [
      { stream: b.stream, data: b.data },
      { stream: a.stream, data: a.data },
    ]),
    rechain: true,
    expected: ['M'],
  },
  {
    number: 42,
    name: 'the record of a preemption behind its steps',
    log: 'preemptions',
    edit: (events) => {
      const from = indexOf(events, isPreemption);
      const { decision } = basisOf(events[from] as RecordedEvent) as Basis;
      let to = from;
      while ((events[to + 1]?.metadata.i ?? 1) !== 1) to++;
      const last = events.findLastIndex((event) => basisOf(event)?.decision === decision);
      let end = last;
      while (events[end + 1] && (events[end + 1]?.metadata.i ?? 1) !== 1) end++;
      const order = [...events.slice(0, from), ...events.slice(to + 1, end + 1), ...events.slice(from, to + 1), ...events.slice(end + 1)];
      return order.map((event, index) => ({ ...event, position: (events[index] as RecordedEvent).position }));
    },
    rechain: true,
    expected: ['C', 'M'],
  },
  {
    number: 45,
    name: 'a decision left out',
    log: 'preemptions',
    edit: withoutDecision(isPreemption),
    rechain: true,
    expected: ['O'],
  },
  {
    number: 46,
    name: 'a decision left out, and its round',
    log: 'preemptions',
    edit: (events) => {
      const decided = events[indexOf(events, isPreemption)] as RecordedEvent;
      const { position, now } = basisOf(decided) as Basis;
      return both(
        withoutDecision(({ id }) => id === decided.id),
        withRounds(
          (rounds) => rounds.filter((round) => round.position !== position || round.now !== now),
          decided.metadata.writer as string,
        ),
      )(events);
    },
    rechain: true,
    expected: ['M', 'L', 'C'],
  },
  {
    number: 47,
    name: 'one step of several left out',
    log: 'preemptions',
    edit: withoutAppend((event) => event.type === 'PodPreempted' && event.stream.includes('/low-'), 'last'),
    rechain: true,
    expected: ['C'],
  },
  {
    number: 48,
    name: 'the deletion of a victim left out',
    log: 'preemptions',
    edit: withoutAppend(ofType('PodPreempted')),
    rechain: true,
    expected: ['C', 'O'],
  },
  {
    number: 54,
    name: 'everything that a controller wrote left out',
    log: 'preemptions',
    edit: (events) => {
      let isItsOwn = false;
      return events.filter((event) => {
        if ((event.metadata.i ?? 1) === 1)
          isItsOwn = isOf('scheduler')(event) || (event.type === 'ControllerStarted' && event.data.controller === 'scheduler');
        return !isItsOwn;
      });
    },
    rechain: true,
    expected: ['M', 'C', 'N'],
  },
  {
    number: 55,
    name: 'a tape left out',
    log: 'preemptions',
    edit: without(ofType('RoundsTaken')),
    rechain: true,
    expected: ['M', 'C', 'N'],
  },
  {
    number: 58,
    name: 'a decision recorded twice',
    log: 'preemptions',
    edit: withAppend(isOf('scheduler', 'record'), ([first]) => ((first as RecordedEvent).id = '00000000-0000-5000-8000-000000000001')),
    rechain: true,
    expected: ['M'],
  },
  {
    number: 72,
    name: 'other victims decided on than deleted',
    log: 'preemptions',
    edit: changedData(ofType('PreemptionDecided'), (data) => (data.victims[0].name += '0')),
    rechain: true,
    expected: ['M', 'C'],
  },
  {
    number: 73,
    name: 'steps without the record of their decision',
    log: 'preemptions',
    edit: withoutAppend(isPreemption),
    rechain: true,
    expected: ['C'],
  },
  {
    number: 76,
    name: 'a writer an hour ahead from some moment on',
    log: 'preemptions',
    edit: (events) => {
      const from = indexOf(events, isPreemption);
      return changedAll(
        (event, index) => index >= from && event.metadata.time !== undefined,
        ({ metadata }) => ((metadata.time as number) += 3_600_000),
      )(events);
    },
    rechain: true,
    expected: ['M', 'T'],
  },
  {
    number: 77,
    name: 'a back-off cut short',
    log: 'preemptions',
    edit: (events) => {
      const { position, now, decision, writer } = bindOf(events, '/big');
      const earlier = now - 500;
      return both(
        withRounds(
          (rounds) => rounds.map((round) => (round.position === position && round.now === now ? { ...round, now: earlier } : round)),
          writer,
        ),
        changedBasis(
          (event) => basisOf(event)?.decision === decision,
          () => ({ now: earlier }),
        ),
      )(events);
    },
    rechain: true,
    expected: ['M'],
  },
  {
    number: 94,
    unseen: 'where instances take turns in leading, one may have been barred in which nothing was due',
    name: 'a controller said not to lead, where nobody takes the lead',
    log: 'preemptions',
    edit: (events) => markedFirst(events, 'disruption', 'barred'),
    rechain: true,
    expected: ['M'],
  },
  {
    number: 95,
    unseen: 'a process may end within seconds of the stop of its controllers',
    name: 'a controller said to be stopped, by a process that lives on',
    log: 'workloads',
    edit: (events) => markedFirst(events, 'pod-garbage-collector', 'stopped'),
    rechain: true,
    expected: ['L'],
  },
];
