import { changedData, changedMetadata, ofType, withoutAppend, type Which } from '../edits';
import type { Mutant } from '../mutant';

const log = 'kubelets';
const rechain = true;

const exitOf =
  (pod: string): Which =>
  ({ type, stream }) =>
    type === 'ContainerExited' && stream.endsWith(`/${pod}`);
const restartOf =
  (pod: string): Which =>
  ({ type, stream, data }) =>
    type === 'ContainerStarted' && stream.endsWith(`/${pod}`) && Number(data.restartCount ?? 0) > 1;
const toldOf =
  (reason: string): Which =>
  ({ type, data }) =>
    type === 'Reported' && data.resource === 'pods' && data.reason === reason;
const hasRanking: Which = ({ type, data }) => type === 'PodEvictedByKubelet' && (data.ranking as unknown[] | undefined)?.length === 2;
/** Readiness goes, or comes back. */
const turnsReady: Which = ({ type, stream, data }) =>
  type === 'StatusUpdated' && stream.endsWith('/failing') && JSON.stringify(data.conditions ?? '').includes('"Ready"');

/** Logs of kubelets: what befell containers is otherwise than it can have been. */
export const kubeletMutants: readonly Mutant[] = [
  {
    number: 115,
    name: 'a container that crashed ended well',
    log,
    edit: changedData(exitOf('crashing'), (data) => Object.assign(data, { exitCode: 0, reason: 'Completed' })),
    rechain,
    expected: ['M'],
  },
  {
    number: 116,
    name: 'who ran out of memory ended by himself',
    log,
    edit: changedData(exitOf('hungry'), (data) => (data.reason = 'Error')),
    rechain,
    expected: ['M'],
  },
  {
    number: 117,
    name: 'a restart before its back-off was over',
    log,
    edit: changedMetadata(restartOf('crashing'), (metadata) => (metadata.time -= 4_000)),
    rechain,
    expected: ['T', 'M', 'N', 'R'],
  },
  {
    number: 118,
    name: 'another back-off after a restart',
    log,
    edit: changedData(restartOf('crashing'), (data) => (data.backOffMs = 1_000)),
    rechain,
    expected: ['M'],
  },
  {
    number: 119,
    name: 'one restart more than there were',
    log,
    edit: changedData(restartOf('crashing'), (data) => data.restartCount++),
    rechain,
    expected: ['M'],
  },
  {
    number: 120,
    name: 'a pod said to be ready that is not',
    log,
    edit: changedData(turnsReady, (data) => {
      for (const condition of data.conditions) condition.status = condition.status === 'False' ? 'True' : 'False';
    }),
    rechain,
    expected: ['M'],
  },
  {
    number: 121,
    name: 'a liveness probe that failed more often',
    log,
    edit: changedData(toldOf('Unhealthy'), (data) => data.count++),
    rechain,
    expected: ['M'],
  },
  {
    number: 122,
    name: 'a kill for a failed probe of which nothing is told',
    log,
    edit: withoutAppend(toldOf('Killing')),
    rechain,
    expected: ['M', 'N', 'O', 'C'],
  },
  {
    number: 123,
    name: 'an eviction whose ranking is in another order',
    log,
    edit: changedData(hasRanking, (data) => data.ranking.reverse()),
    rechain,
    expected: ['M'],
  },
  {
    number: 124,
    name: 'another pod evicted than the first of the ranking',
    log,
    edit: changedData(hasRanking, (data) => (data.pod = 'small')),
    rechain,
    expected: ['M'],
  },
  {
    number: 125,
    name: 'an eviction that is gone',
    log,
    edit: withoutAppend(ofType('PodEvictedByKubelet')),
    rechain,
    expected: ['M', 'N', 'O', 'C'],
  },
  {
    number: 126,
    name: 'a node that was less short of memory',
    log,
    edit: changedData(ofType('NodeLoadChanged'), (data) => (data.memoryBytes = 0)),
    rechain,
    expected: ['M'],
    unseen: 'a node that had room enough all the same did nothing about it',
  },
  {
    number: 127,
    name: 'a kubelet that did not begin anew',
    log,
    edit: withoutAppend(ofType('KubeletRestarted')),
    rechain,
    expected: ['M', 'N', 'O', 'C'],
    unseen: 'nobody stood in for a kubelet that had nobody to look after before its process ended',
  },
  {
    number: 128,
    name: 'a container that took longer to stop',
    log,
    edit: changedMetadata(exitOf('leaving'), (metadata) => (metadata.time += 2_000)),
    rechain,
    expected: ['T', 'M', 'N', 'R'],
  },
];
