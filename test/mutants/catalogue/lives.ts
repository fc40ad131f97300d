import type { RecordedEvent } from '#libs/event-log';
import { derivedId, derivedUid } from '#libs/kernel';
import {
  changed,
  changedAll,
  changedData,
  changedMetadata,
  indexOf,
  isUsers,
  isUsersPod,
  ofType,
  replacedEverywhere,
  withAppend,
  without,
  withoutAppend,
} from '../edits';
import type { Mutant } from '../mutant';

const isUsersOn = (type: string, end: string) => (event: RecordedEvent) =>
  event.type === type && event.stream.endsWith(end) && event.metadata.op !== undefined;
const isScheduled = (event: RecordedEvent): boolean => event.type === 'PodScheduled' && event.metadata.basis !== undefined;

/** Gives the copy of an append the ids of another operation. */
function asOperation(copy: RecordedEvent[], op: string, label = '0'): void {
  const metadata = (copy[0] as RecordedEvent).metadata;
  metadata.op = op;
  copy.forEach((event, index) => (event.id = derivedId(`${metadata.writer as string}/${op}/${label}/${index}`)));
}

/** As an append that nobody numbers. */
function unnumbered(copy: RecordedEvent[], stream: string): void {
  copy.forEach((event, index) => {
    const { w: _w, at: _at, open: _open, tape: _tape, ...metadata } = event.metadata;
    Object.assign(event, { stream, id: derivedId(`put in/${stream}/${index}`), metadata });
  });
}

/** Who wrote, and whether: events left out, put in, or said to be somebody else's. */
export const lifeMutants: readonly Mutant[] = [
  {
    number: 49,
    name: 'the answer of a reviewer gone',
    log: 'preemptions',
    edit: withoutAppend(ofType('PodAdmitted'), 'last'),
    rechain: true,
    expected: ['O', 'V'],
  },
  {
    number: 51,
    name: 'the start of a controller gone',
    log: 'preemptions',
    edit: without((event) => event.type === 'ControllerStarted' && event.data.controller === 'scheduler'),
    rechain: true,
    expected: ['P'],
  },
  {
    number: 52,
    name: 'the start of a process gone',
    log: 'preemptions',
    edit: without(ofType('ProcessStarted')),
    rechain: true,
    expected: ['P'],
  },
  {
    number: 53,
    name: 'a deletion by a user gone',
    log: 'workloads',
    edit: withoutAppend(isUsers('DeletionRequested', 'delete')),
    rechain: true,
    expected: ['N'],
  },
  {
    number: 57,
    name: 'a write of a controller that nothing decided',
    log: 'preemptions',
    edit: withAppend(isScheduled, (copy) => {
      const [first] = copy as [RecordedEvent];
      const { basis: _, step: _step, ...metadata } = first.metadata;
      first.metadata = { ...metadata, actor: 'scheduler', w: 100_000 };
      asOperation(copy, 'scheduler/16/100000/0');
    }),
    rechain: true,
    expected: ['B'],
  },
  {
    number: 59,
    name: 'a write of a user put in under a live writer',
    log: 'workloads',
    edit: withAppend(isUsers('Updated'), (copy) => asOperation(copy, 'request/100000')),
    rechain: true,
    expected: ['N', 'I'],
  },
  {
    number: 60,
    name: 'an event after the stop of its writer',
    log: 'workloads',
    edit: (events) => {
      const user = events[indexOf(events, isUsers('Created', 'create'))] as RecordedEvent;
      const last = events[events.length - 1] as RecordedEvent;
      const w = Math.max(...events.map(({ metadata }) => (metadata.w as number | undefined) ?? 0)) + 1;
      const copy = structuredClone({ ...user, position: last.position + 16, metadata: { ...user.metadata, w, at: last.position } });
      asOperation([copy], 'request/100000');
      return [...events, copy];
    },
    rechain: true,
    expected: ['P'],
  },
  {
    number: 61,
    name: 'a second answer to a review',
    log: 'preemptions',
    edit: withAppend(ofType('PodAdmitted'), (copy) => ((copy[0] as RecordedEvent).metadata.w = 100_000)),
    rechain: true,
    expected: ['V'],
  },
  {
    number: 62,
    name: 'an answer that nobody asked for',
    log: 'preemptions',
    edit: changedData(ofType('PodAdmitted'), (data) => (data.review = '00000000-0000-4000-8000-000000000000')),
    rechain: true,
    expected: ['V'],
  },
  {
    number: 101,
    name: 'an answer bound to another question',
    log: 'preemptions',
    edit: changedData(ofType('PodAdmitted'), (data) => (data.question = `x${data.question as string}`)),
    rechain: true,
    expected: ['V'],
  },
  {
    number: 102,
    name: 'a question that is not what its digest says',
    log: 'preemptions',
    edit: changedData(ofType('PodAdmissionRequested'), (data) => (data.question = `x${data.question as string}`)),
    rechain: true,
    expected: ['V'],
  },
  {
    number: 63,
    name: 'a false restart to excuse a loss',
    log: 'workloads',
    edit: (events) => {
      const index = indexOf(events, (event) => event.metadata.verb === 'delete' && event.stream.endsWith('/own'));
      const lost = events[index] as RecordedEvent;
      const start = events[indexOf(events, ofType('ProcessStarted'))] as RecordedEvent;
      const again = {
        ...start,
        position: lost.position,
        id: lost.id,
        metadata: { ...start.metadata, w: lost.metadata.w, at: lost.metadata.at, time: lost.metadata.time },
      };
      return events.map((event, i) => (i === index ? (again as RecordedEvent) : event));
    },
    rechain: true,
    expected: ['P', 'N'],
  },
  {
    number: 64,
    name: 'a writer without a start',
    log: 'workloads',
    edit: changedMetadata(isUsers('Updated'), (metadata) => (metadata.writer = 'somebody')),
    rechain: true,
    expected: ['P'],
  },
  {
    number: 71,
    name: 'an event moved to another pod',
    log: 'workloads',
    edit: changed(isUsersPod, ({ stream }) => ({ stream: `${stream}-else` })),
    rechain: true,
    expected: ['I', 'W'],
  },
  {
    number: 79,
    name: 'a write of a user said to be a controller’s',
    log: 'workloads',
    edit: changedMetadata(isUsers('Updated'), (metadata) => (metadata.actor = 'deployment-controller')),
    rechain: true,
    expected: ['B'],
  },
  {
    number: 80,
    name: 'a write of a controller said to be a user’s',
    log: 'preemptions',
    edit: changedMetadata(isScheduled, (metadata) => {
      delete metadata.basis;
      delete metadata.step;
      Object.assign(metadata, { actor: 'user:admin', op: 'request/100000', verb: 'bind' });
    }),
    rechain: true,
    expected: ['I', 'O'],
  },
  {
    number: 81,
    name: 'a writer renamed in part',
    log: 'workloads',
    edit: (events) => {
      const middle = (events[events.length >> 1] as RecordedEvent).position;
      return changedAll(
        (event) => event.metadata.writer !== undefined && event.position > middle,
        (event) => void (event.metadata.writer = 'simulation-2'),
      )(events);
    },
    rechain: true,
    expected: ['N', 'P'],
  },
  {
    number: 82,
    name: 'a uid exchanged everywhere',
    log: 'workloads',
    edit: replacedEverywhere(
      (events) => (events[indexOf(events, isUsersPod)] as any).data.object.metadata.uid as string,
      '00000000-0000-4000-8000-000000000000',
    ),
    rechain: true,
    expected: ['I'],
  },
  {
    number: 83,
    name: 'another seed',
    log: 'workloads',
    edit: changedData(ofType('ClusterCreated'), (data) => (data.seed = 'another')),
    rechain: true,
    expected: ['I', 'M'],
  },
  {
    number: 87,
    name: 'a user’s write that does not say what it was prepared on',
    log: 'workloads',
    edit: changedMetadata(
      ({ metadata }) => metadata.verb === 'patch' && metadata.tape === undefined,
      (metadata) => delete metadata.at,
    ),
    rechain: true,
    expected: ['Y'],
  },
  {
    number: 88,
    name: 'an object put in beside the leads, which carry no number',
    log: 'workloads',
    edit: withAppend(isUsers('Created', 'create'), (copy) => unnumbered(copy, 'local.leadership')),
    rechain: true,
    expected: ['Y'],
  },
  {
    number: 89,
    name: 'a fork that nobody made',
    log: 'workloads',
    edit: withAppend(isUsers('Created', 'create'), (copy) => {
      unnumbered(copy, 'local.cluster-lifecycle');
      const [first] = copy as [RecordedEvent];
      first.type = 'LogForked';
      first.data = { parent: derivedId('another log'), position: first.position - 1 };
      first.metadata.actor = 'apiserver';
    }),
    rechain: true,
    expected: ['P'],
  },
  {
    number: 90,
    name: 'a user’s object said to be the server’s own',
    log: 'workloads',
    edit: (events) => {
      const { data, metadata } = events[indexOf(events, isUsersOn('Created', 'configmaps-default/settings'))] as RecordedEvent;
      const op = 'bootstrap/configmaps/default/settings';
      const { uid } = (data.object as { metadata: { uid: string } }).metadata;
      const { seed } = (events[indexOf(events, ofType('ClusterCreated'))] as RecordedEvent).data;
      const renamed = changed(isUsersOn('Created', 'configmaps-default/settings'), (event) => {
        const { verb: _verb, body: _body, agent: _agent, ...rest } = event.metadata;
        return { id: derivedId(`${metadata.writer as string}/${op}/0/0`), metadata: { ...rest, actor: 'apiserver', op } };
      });
      return replacedEverywhere(() => uid, derivedUid(`${seed as string}/${op}`))(renamed(events));
    },
    rechain: true,
    expected: ['B'],
  },
  {
    number: 91,
    name: 'a number that is larger than any log',
    log: 'workloads',
    edit: changedMetadata(isUsersOn('StatusUpdated', 'nodes-node-3'), (metadata) => (metadata.w = 1e12), 'last'),
    rechain: true,
    expected: ['N'],
  },
  {
    number: 92,
    name: 'numbers given up that nobody gave',
    log: 'workloads',
    edit: changedData(ofType('ProcessStopped'), (data) => data.absent.push(1e12)),
    rechain: true,
    expected: ['N'],
  },
  {
    number: 93,
    name: 'a cluster said to have stood still for long',
    log: 'workloads',
    edit: withAppend(ofType('RoundsTaken'), (copy) => {
      const [first] = copy as [RecordedEvent];
      const { tape: _, ...metadata } = first.metadata;
      Object.assign(first, { type: 'ClusterResumed', data: { from: 1, to: 2 }, stream: 'local.cluster-lifecycle', metadata });
      first.metadata.actor = 'apiserver';
      asOperation(copy, 'bootstrap');
    }),
    rechain: true,
    expected: ['T'],
  },
  {
    number: 96,
    name: 'a preemption that a user has decided',
    log: 'preemptions',
    edit: (events) => {
      const decided = events[indexOf(events, ofType('PreemptionDecided'))] as RecordedEvent;
      const { stream, type, data } = decided;
      return withAppend(ofType('RoundsTaken'), (copy) => {
        const [first] = copy as [RecordedEvent];
        const { tape: _, ...metadata } = first.metadata;
        Object.assign(first, { type, stream, data, metadata: { ...metadata, actor: 'user:admin' } });
        asOperation(copy, 'request/100000');
      })(events);
    },
    rechain: true,
    expected: ['B'],
  },
  {
    number: 97,
    name: 'an extender’s answer that nobody asked for',
    log: 'preemptions',
    edit: withAppend(ofType('RoundsTaken'), (copy) => {
      const [first] = copy as [RecordedEvent];
      const { tape: _, ...metadata } = first.metadata;
      const data = { ask: 'scheduler/432/1', namespace: 'default', pod: 'big', uid: 'u', answer: { error: 'away' } };
      const stream = 'local.scheduler-decisions/simulation';
      Object.assign(first, { type: 'ExtenderAnswered', stream, data, metadata: { ...metadata, actor: 'scheduler' } });
      asOperation(copy, 'scheduler/432/1/answer');
    }),
    rechain: true,
    expected: ['V'],
  },
  {
    number: 98,
    name: 'a cluster created a second time, by another seed',
    log: 'workloads',
    edit: withAppend(ofType('ClusterCreated'), (copy) => {
      const [first] = copy as [RecordedEvent];
      first.data = { ...first.data, seed: 'another' };
      asOperation(copy, 'bootstrap', '1');
    }),
    rechain: true,
    expected: ['P'],
  },
];
