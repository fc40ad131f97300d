import type { ClusterState } from '#libs/cluster-state';
import type { Reconciler, Reconciliation, Step } from '#libs/control-loop';
import type { KubeObject } from '#libs/kernel';
import { podsOnNode } from '../pods-on-node';
import {
  allEnded,
  collectorIndex,
  controllerName,
  followPods,
  nodeSubject,
  noteEnded,
  outSubject,
  podSubject,
  type CollectorIndex,
} from './collector-index';
import { collect, orphanMark } from './steps';

export interface PodGCSettings {
  /** `--terminated-pod-gc-threshold`: ended pods that are left; with 0 all are. */
  terminatedPodThreshold?: number;
}

const thresholdDefault = 12_500;
/** Pods ended or deleted in one look; what is left is for the next. */
const stepsMax = 500;

/**
 * Collects pods that nobody else ends (upstream pod garbage collector): ended ones beyond a number, those whose node is gone, those that are going on a
 * node that is out of service, and unscheduled ones whose deletion nobody finishes. Subjects: `ended pods`, `node NAME`, `out-of-service NAME`,
 * `pod NAMESPACE/NAME`.
 */
export function podGarbageCollector(settings: PodGCSettings = {}): Reconciler<CollectorIndex> {
  const { terminatedPodThreshold: threshold = thresholdDefault } = settings;
  return {
    name: controllerName,
    behaviour: '2',
    stream: 'controller-decisions',
    config: { ...settings },
    index: (cluster, now) => collectorIndex(cluster, threshold, now),

    *allSubjects(index): Iterable<string> {
      for (const node of index.absent.keys()) yield nodeSubject(node);
      for (const node of index.outOfService.keys()) yield outSubject(node);
      for (const key of index.unscheduled.keys()) yield podSubject(key);
      if (index.endedAt !== undefined) yield allEnded;
    },

    follows: ['nodes', 'pods'],
    follow: (index, append, cluster) => followPods(index, append, cluster, threshold),

    reconcile(cluster, index, subject, { now }) {
      if (subject === allEnded) return atLook(index.endedAt, now, () => surplus(cluster, index, threshold));
      const space = subject.indexOf(' ');
      const key = subject.slice(space + 1);
      switch (subject.slice(0, space)) {
        case 'node':
          return atLook(index.absent.get(key), now, () => collect(podsOn(cluster, key), (pod) => [orphanMark(pod)]));
        case 'out-of-service':
          return atLook(index.outOfService.get(key), now, () => collect(podsOn(cluster, key).filter(isGoing)));
        default:
          return atLook(index.unscheduled.get(key), now, () => collect([cluster.byKey('pods', key) as KubeObject]));
      }
    },

    looked(index, subject, memory, now) {
      if (memory !== true || subject !== allEnded) return;
      index.endedAt = undefined;
      noteEnded(index, threshold, now + 1);
    },
  };
}

/** What is to be done at a look, once it has come. */
function atLook(at: number | undefined, now: number, steps: () => Step[]): Reconciliation | undefined {
  if (at === undefined) return undefined;
  return now < at ? { steps: [], wakeAt: at } : { steps: steps().slice(0, stepsMax), memory: true };
}

function podsOn(cluster: ClusterState, node: string): KubeObject[] {
  return podsOnNode(cluster, node).map(([, pod]) => pod);
}

function isGoing({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Evicted ones go first, then the oldest, then by name. */
function surplus(cluster: ClusterState, { ended }: CollectorIndex, threshold: number): Step[] {
  const pods = [...ended].map((key) => cluster.byKey('pods', key)).filter((pod) => pod !== undefined);
  pods.sort(
    (a, b) =>
      Number(isEvicted(b)) - Number(isEvicted(a)) ||
      compare(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
      compare(a.metadata.name, b.metadata.name),
  );
  return collect(pods.slice(0, Math.max(0, pods.length - threshold)));
}

function isEvicted({ status }: KubeObject): boolean {
  return status?.phase === 'Failed' && status.reason === 'Evicted';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
