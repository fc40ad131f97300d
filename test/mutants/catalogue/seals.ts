import type { RecordedEvent } from '#libs/event-log';
import { isFirstOfAppend } from '#libs/events';
import { appendAround, changedData, indexOf, ofType, without, type Edit } from '../edits';
import type { Mutant } from '../mutant';

/** The log ends with the append before that of this event. */
function cutBefore(index: (events: readonly RecordedEvent[]) => number): Edit {
  return (events) => events.slice(0, appendAround(events, index(events)).from);
}

/** The first two appends of one event each, of pods, behind an eighth of the log, that follow one another and go to two streams. */
const swapped: Edit = (events) => {
  const isAlone = (index: number): boolean =>
    [index, index + 1].every((i) => isFirstOfAppend(events[i]?.metadata)) && events[index]?.stream.startsWith('local.pods-') === true;
  const first = events.findIndex(
    ({ stream }, i) => i > events.length / 8 && isAlone(i) && isAlone(i + 1) && stream !== events[i + 1]?.stream,
  );
  const [a, b] = [events[first], events[first + 1]];
  if (!a || !b) throw new Error('the log has no such appends');
  const changed = [
    { ...b, position: a.position },
    { ...a, position: b.position },
  ];
  return [...events.slice(0, first), ...changed, ...events.slice(first + 2)];
};

/** Up to the middle the log is as it was; from there on it lives on under other ids, as a fork does. */
const forked: Edit = (events) => {
  const { to } = appendAround(events, Math.floor(events.length / 2));
  return events.map((event, i) => (i > to ? { ...event, id: event.id.replace(/.$/, (last) => (last === '0' ? '1' : '0')) } : event));
};

/** What breaks no chain, or has every chain made good: seals, in the log and kept elsewhere, show it. */
export const sealMutants: readonly Mutant[] = [
  { number: 41, name: 'appends of two streams in another order', log: 'workloads', edit: swapped, expected: ['C', 'S'] },
  {
    number: 50,
    name: 'a stream gone',
    log: 'preemptions',
    edit: without(({ stream }) => stream === 'local.pods-default/low-3'),
    rechain: true,
    expected: ['N', 'S'],
  },
  {
    number: 56,
    name: 'everything after a crash gone',
    log: 'preemptions',
    edit: cutBefore((events) => Math.floor(events.length * 0.7)),
    rechain: true,
    expected: ['S'],
    keptSeal: { withoutLast: 0 },
  },
  {
    number: 65,
    name: 'the last append gone',
    log: 'preemptions',
    edit: cutBefore((events) => events.length - 1),
    expected: ['S'],
    keptSeal: { withoutLast: 0 },
  },
  {
    number: 66,
    name: 'half of the last append of several events gone, and what came after it',
    log: 'preemptions',
    edit: (events) =>
      events.slice(
        0,
        indexOf(events, ({ metadata }) => !isFirstOfAppend(metadata), 'last'),
      ),
    expected: ['R'],
  },
  {
    number: 67,
    name: 'the last 100 events gone',
    log: 'preemptions',
    edit: cutBefore((events) => events.length - 100),
    expected: ['S'],
    keptSeal: { withoutLast: 20 },
  },
  {
    number: 68,
    name: 'back to a seal in the log',
    log: 'preemptions',
    edit: (events) => events.slice(0, indexOf(events, ofType('Sealed')) + 1),
    expected: ['S'],
    keptSeal: { withoutLast: 0 },
  },
  { number: 69, name: 'the first event gone', log: 'preemptions', edit: (events) => events.slice(1), expected: ['P'] },
  {
    number: 70,
    name: 'a range in the middle gone',
    log: 'workloads',
    edit: (events) => {
      const { from } = appendAround(events, Math.floor(events.length / 3));
      const { to } = appendAround(events, Math.floor(events.length / 2));
      return events.filter((_, i) => i < from || i > to);
    },
    expected: ['R', 'N', 'S'],
  },
  {
    number: 85,
    name: 'a seal with the root of another log',
    log: 'preemptions',
    edit: changedData(
      ofType('Sealed'),
      (data) => (data.root = (data.root as string).replace(/^./, (first: string) => (first === 'A' ? 'B' : 'A'))),
    ),
    expected: ['S'],
  },
  {
    number: 86,
    name: 'a fork shown as the original',
    log: 'preemptions',
    edit: forked,
    rechain: true,
    expected: ['S'],
    keptSeal: { withoutLast: 0 },
  },
];
