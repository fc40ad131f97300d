import { changedData, changedMetadata, isUsers, isUsersPod } from '../edits';
import type { Mutant } from '../mutant';

/** What a write rests on is said otherwise. */
export const basisMutants: readonly Mutant[] = [
  {
    number: 34,
    name: 'prepared at another position',
    log: 'preemptions',
    edit: changedMetadata(isUsersPod, (metadata) => (metadata.at = 0)),
    rechain: true,
    expected: ['W', 'V'],
  },
  {
    number: 37,
    name: 'a behaviour that never was, everywhere',
    log: 'preemptions',
    edit: changedData(
      (event) => event.type === 'ControllerStarted' && event.data.controller === 'scheduler',
      (data) => (data.behaviour = 'v1.34/0'),
    ),
    rechain: true,
    expected: ['Y'],
  },
  {
    number: 43,
    name: 'a status before the creation',
    log: 'workloads',
    edit: (events) => {
      const first = events.findIndex(({ stream }) => stream.endsWith('pods-default/bound'));
      const bind = events.findIndex((event, index) => index > first && event.metadata.verb === 'bind');
      const moved = { ...(events[bind] as (typeof events)[number]), position: (events[first] as (typeof events)[number]).position - 1 };
      return [...events.slice(0, first), moved, ...events.slice(first, bind), ...events.slice(bind + 1)];
    },
    rechain: true,
    expected: ['W', 'R', 'D', 'T'],
  },
  {
    number: 75,
    name: 'a write before what it rests on',
    log: 'workloads',
    edit: changedMetadata(isUsers('Updated'), (metadata) => (metadata.time -= 3_600_000)),
    rechain: true,
    expected: ['T'],
  },
  {
    number: 99,
    name: 'a deletion at once, with a grace that it did not have',
    log: 'workloads',
    edit: changedData(
      (event, index, events) => isUsers('DeletionRequested', 'delete')(event, index, events) && events[index + 1]?.type === 'Deleted',
      (data) => (data.gracePeriodSeconds += 5),
    ),
    rechain: true,
    expected: ['W'],
  },
  {
    number: 100,
    name: 'a configuration that is not that of its digest',
    log: 'workloads',
    edit: changedData(
      (event) => event.type === 'ControllerStarted',
      (data) => (data.configDigest = `x${data.configDigest as string}`),
    ),
    rechain: true,
    expected: ['Y'],
  },
  {
    number: 78,
    name: 'another time of a condition',
    log: 'workloads',
    edit: changedData(isUsers('DeletionRequested', 'delete'), (data) => (data.deletionTimestamp = '2026-01-01T00:00:00Z')),
    rechain: true,
    expected: ['W'],
  },
];
