import type { RecordedEvent } from '#libs/event-log';
import { isFirstOfAppend } from '#libs/events';
import { appendAround, changedData, indexOf, isUsersPod, NotInThisLogError, ofType, type Edit } from '../edits';
import type { Mutant } from '../mutant';

/** The log ends with the append before that of this event. */
function cutBefore(index: (events: readonly RecordedEvent[]) => number): Edit {
  return (events) => events.slice(0, appendAround(events, index(events)).from);
}

/**
 * The first two appends of one event each, of pods, behind an eighth of the log, that follow one another and go to two streams. The second was made
 * when the first was there: two that are under way at a time may come in either order.
 */
const swapped: Edit = (events) => {
  const isAlone = (index: number): boolean =>
    [index, index + 1].every((i) => isFirstOfAppend(events[i]?.metadata)) && events[index]?.stream.startsWith('local.pods-') === true;
  const first = events.findIndex(
    ({ stream, position }, i) =>
      i > events.length / 8 &&
      isAlone(i) &&
      isAlone(i + 1) &&
      stream !== events[i + 1]?.stream &&
      Number(events[i + 1]?.metadata.at) >= position,
  );
  const [a, b] = [events[first], events[first + 1]];
  if (!a || !b) throw new NotInThisLogError();
  const changed = [
    { ...b, position: a.position },
    { ...a, position: b.position },
  ];
  return [...events.slice(0, first), ...changed, ...events.slice(first + 2)];
};

/** What breaks no chain, or has every chain made good: seals, in the log and kept elsewhere, show it. */
export const sealMutants: readonly Mutant[] = [
  { number: 41, name: 'appends of two streams in another order', log: 'workloads', edit: swapped, rechain: true, expected: ['M', 'C'] },
  {
    number: 50,
    name: 'a stream gone',
    log: 'preemptions',
    edit: (events) => {
      const gone = (events[indexOf(events, isUsersPod)] as RecordedEvent).stream;
      return events.filter(({ stream }) => stream !== gone);
    },
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
    keptSeal: {},
  },
  {
    number: 65,
    name: 'the last append gone',
    log: 'preemptions',
    edit: cutBefore((events) => events.length - 1),
    rechain: true,
    expected: ['S'],
    keptSeal: {},
  },
  {
    number: 66,
    name: 'half of an append gone, and what came after it',
    log: 'preemptions',
    edit: (events) =>
      events.slice(
        0,
        indexOf(events, ({ metadata }) => !isFirstOfAppend(metadata), 'last'),
      ),
    rechain: true,
    expected: ['R'],
  },
  {
    number: 67,
    name: 'the end gone',
    log: 'preemptions',
    edit: cutBefore((events) => indexOf(events, (_, index) => index > 0, 'last') - 99),
    rechain: true,
    expected: ['S'],
    keptSeal: {},
  },
  {
    number: 68,
    name: 'back to a seal in the log',
    log: 'preemptions',
    edit: (events) => events.slice(0, indexOf(events, ofType('Sealed')) + 1),
    rechain: true,
    expected: ['S'],
    keptSeal: {},
  },
  {
    number: 69,
    unseen: 'in a log of several processes it may be a word on who leads, which carries no number',
    name: 'the first event gone',
    log: 'preemptions',
    edit: (events) => events.slice(1),
    rechain: true,
    expected: ['P'],
  },
  {
    number: 70,
    name: 'a range in the middle gone',
    log: 'workloads',
    edit: (events) => {
      const { from } = appendAround(events, Math.floor(events.length / 3));
      const { to } = appendAround(events, Math.floor(events.length / 2));
      return events.filter((_, i) => i < from || i > to);
    },
    rechain: true,
    expected: ['N', 'M'],
  },
  {
    number: 85,
    name: 'a seal with the root of another log',
    log: 'preemptions',
    edit: changedData(
      ofType('Sealed'),
      (data) => (data.root = (data.root as string).replace(/^./, (first: string) => (first === 'A' ? 'B' : 'A'))),
    ),
    rechain: 'but seals',
    expected: ['S'],
  },
  { number: 86, name: 'a fork shown as the original', log: 'a fork', expected: ['S'], keptSeal: { of: 'preemptions' } },
];
