import type { RecordedEvent } from '#libs/event-log';
import {
  appendAround,
  both,
  changed,
  changedData,
  changedMetadata,
  indexOf,
  isUsers,
  isUsersPod,
  objectIn,
  ofType,
  withAppend,
  withoutAppend,
} from '../edits';
import type { Mutant } from '../mutant';

/** A controller has decided the event, whose first-event metadata these are. */
const isDecidedBy = (controller: string) => (event: RecordedEvent) => JSON.stringify(event.metadata.basis ?? '').includes(`${controller}/`);

/** One event says something that did not happen, and the chains are made good. */
export const contentMutants: readonly Mutant[] = [
  {
    number: 2,
    name: 'one of three decided victims spared',
    log: 'preemptions',
    edit: (events) => {
      const decided = events[
        indexOf(events, (event) => event.type === 'PreemptionDecided' && (event.data.victims as unknown[]).length === 3)
      ] as RecordedEvent;
      const [victim] = decided.data.victims as unknown as { name: string }[];
      const spared = withoutAppend((event) => event.type === 'PodPreempted' && event.stream.endsWith(`/${victim?.name}`));
      const unnamed = changedData(
        (event) => event.id === decided.id,
        (data) => void data.victims.shift(),
      );
      return both(spared, unnamed)(events);
    },
    rechain: true,
    expected: ['M', 'O', 'N'],
  },
  { number: 3, name: 'every pod the same IP', log: 'one address', expected: ['M'] },
  {
    number: 4,
    name: 'another node that fits as well',
    log: 'preemptions',
    edit: changedData(ofType('PodScheduled'), (data) => (data.node = data.node === 'node-1' ? 'node-2' : 'node-1'), 'last'),
    rechain: true,
    expected: ['M'],
  },
  {
    number: 5,
    name: 'a tie drawn otherwise',
    log: 'preemptions',
    edit: changedData(ofType('PodScheduled'), (data) => (data.node = data.node === 'node-3' ? 'node-1' : 'node-3')),
    rechain: true,
    expected: ['M'],
  },
  {
    number: 6,
    name: 'another priority than the review said',
    log: 'preemptions',
    edit: changedData(isUsersPod, (data) => (objectIn(data).spec.priority += 5)),
    rechain: true,
    expected: ['V'],
  },
  {
    number: 7,
    name: 'a default missing',
    log: 'preemptions',
    edit: changedData(isUsersPod, (data) => delete objectIn(data).spec.terminationGracePeriodSeconds),
    rechain: true,
    expected: ['W'],
  },
  {
    number: 8,
    name: 'an immutable field changed',
    log: 'workloads',
    edit: changedData(ofType('Updated', 'deployments.apps-default/web'), (data) =>
      data.patch.push({ op: 'replace', path: '/spec/selector/matchLabels/app', value: 'other' }),
    ),
    rechain: true,
    expected: ['W', 'M'],
  },
  {
    number: 9,
    name: 'an invalid value',
    log: 'workloads',
    edit: changedData(ofType('Created', 'services-default/web'), (data) => (objectIn(data).spec.ports[0].port = 99_999)),
    rechain: true,
    expected: ['W'],
  },
  {
    number: 10,
    name: 'a status written by a plain update',
    log: 'workloads',
    edit: changedMetadata(
      (event) => event.metadata.sub === 'status' && event.metadata.verb === 'update',
      (metadata) => delete metadata.sub,
    ),
    rechain: true,
    expected: ['W'],
  },
  {
    number: 11,
    name: 'a generation not raised',
    log: 'workloads',
    edit: changedData(
      (event, index, events) =>
        isUsers('Updated', 'patch')(event, index, events) && /"\/metadata\/generation"/.test(JSON.stringify(event.data)),
      (data) => (data.patch = data.patch.filter(({ path }: { path: string }) => path !== '/metadata/generation')),
    ),
    rechain: true,
    expected: ['W'],
  },
  {
    number: 12,
    name: 'a finalizer skipped',
    log: 'workloads',
    edit: (events) => {
      const index = indexOf(events, (event) => event.type === 'DeletionRequested' && event.stream.endsWith('/settings'));
      const { from, to } = appendAround(events, index);
      const { n: _, ...metadata } = (events[from] as RecordedEvent).metadata;
      const gone = { ...(events[from] as RecordedEvent), type: 'Deleted', data: {}, metadata };
      return [...events.slice(0, from), gone, ...events.slice(to + 1)];
    },
    rechain: true,
    expected: ['W'],
  },
  {
    number: 13,
    name: 'a grace cut',
    log: 'workloads',
    edit: changedData(isUsers('DeletionRequested', 'delete'), (data) => (data.gracePeriodSeconds += 5)),
    rechain: true,
    expected: ['W'],
  },
  {
    number: 14,
    name: 'another message',
    log: 'preemptions',
    edit: changedData(ofType('PodSchedulingFailed'), (data) => (data.message = '0/3 nodes are available: 3 Insufficient memory.')),
    rechain: true,
    expected: ['M'],
  },
  {
    number: 16,
    name: 'another count of replicas',
    log: 'workloads',
    edit: changedData(
      (event) => event.type === 'StatusUpdated' && isDecidedBy('replicaset-controller')(event) && event.data.patch !== undefined,
      (data) =>
        (data.patch = data.patch.map((step: { value: unknown }) =>
          typeof step.value === 'number' ? { ...step, value: step.value + 1 } : step,
        )),
      'last',
    ),
    rechain: true,
    expected: ['M'],
  },
  {
    number: 17,
    name: 'the IP of a Service given twice',
    log: 'workloads',
    edit: (events) => {
      const web = events[indexOf(events, ofType('Created', 'services-default/web'))] as RecordedEvent;
      const { clusterIP, clusterIPs } = objectIn(web.data).spec;
      return changedData(ofType('Created', 'services-default/other'), (data) =>
        Object.assign(objectIn(data).spec, { clusterIP, clusterIPs }),
      )(events);
    },
    rechain: true,
    expected: ['W'],
  },
  {
    number: 18,
    name: 'an eviction granted where the budget has no room',
    log: 'workloads',
    edit: changed(ofType('EvictionRefused'), ({ data }) => {
      const { status: _, ...granted } = data;
      return { type: 'EvictionGranted', data: { ...granted, uid: 'u', budget: 'web' } };
    }),
    rechain: true,
    expected: ['M'],
  },
  {
    number: 19,
    name: 'another exit code',
    log: 'workloads',
    edit: changedData(ofType('ContainerExited'), (data) => data.exitCode++),
    rechain: true,
    expected: ['M'],
  },
  {
    number: 20,
    name: 'a bound pod bound again',
    log: 'workloads',
    edit: withAppend(
      (event) => event.metadata.verb === 'bind',
      (copy) => {
        for (const event of copy) if (event.type === 'PodScheduled') event.data.node = 'node-1';
      },
    ),
    rechain: true,
    expected: ['W'],
  },
  {
    number: 21,
    name: 'a taint missing',
    log: 'workloads',
    edit: withoutAppend((event) => isDecidedBy('node-lifecycle-controller')(event) && event.stream.includes('nodes-')),
    rechain: true,
    expected: ['M', 'N', 'O', 'C'],
  },
  {
    number: 22,
    name: 'a byte of a payload, the chain left as it was',
    log: 'preemptions',
    edit: changedData(ofType('PodScheduled'), (data) => (data.node = 'node-9')),
    expected: ['D'],
  },
  {
    number: 23,
    name: 'a byte of metadata, the chain left as it was',
    log: 'preemptions',
    edit: changedMetadata(ofType('PodScheduled'), (metadata) => (metadata.time += 1)),
    expected: ['D'],
  },
  {
    number: 74,
    name: 'another owner of a pod',
    log: 'workloads',
    edit: changedData(
      (event) => event.type === 'Created' && isDecidedBy('replicaset-controller')(event),
      (data) => (objectIn(data).metadata.ownerReferences[0].uid = '00000000-0000-4000-8000-000000000000'),
    ),
    rechain: true,
    expected: ['W', 'M', 'C'],
  },
];
