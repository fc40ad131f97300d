import type { KubeObject } from '#libs/kernel';
import { parseTime } from '#libs/kernel';
import type { AffinityTerm, WeightedAffinityTerm } from './affinity-terms';
import { preferredTerms, requiredTerms } from './affinity-terms';
import type { HostPort } from './host-ports';
import { hostPortsOf } from './host-ports';
import type { RawPodSpec } from './kube-types';
import { podSpec, podStatus } from './kube-types';
import { nonZeroRequests, podRequests, statusAsksAlike } from './pod-requests';
import type { MilliList, Resource } from './resource';
import { amountOf, resourceFromList } from './resource';
import type { Labels } from './selectors';
import { noLabels } from './selectors';
import type { Toleration } from './tolerations';

/** A pod with everything that scheduling asks of it again and again computed once (upstream PodInfo). */
export interface PodInfo {
  readonly pod: KubeObject;
  readonly spec: RawPodSpec;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** `namespace/name`. */
  readonly key: string;
  readonly labels: Labels;
  readonly priority: number;
  readonly terminating: boolean;
  /** Milliseconds since the epoch; undefined for a pod that has not started. */
  readonly startTime: number | undefined;
  readonly tolerations: readonly Toleration[];
  readonly hostPorts: readonly HostPort[];
  readonly requestList: MilliList;
  readonly requests: Resource;
  readonly nonZeroMilliCpu: number;
  readonly nonZeroMemory: number;
  readonly requiredAffinity: readonly AffinityTerm[];
  readonly requiredAntiAffinity: readonly AffinityTerm[];
  readonly preferredAffinity: readonly WeightedAffinityTerm[];
  readonly preferredAntiAffinity: readonly WeightedAffinityTerm[];
  readonly hasAffinity: boolean;
  /** `namespace/claim` of the claims that volumes name directly. */
  readonly claimKeys: readonly string[];
}

const noTolerations: readonly Toleration[] = [];
const noKeys: readonly string[] = [];

// Objects are immutable, so what was computed for one stays true for as long as it lives.
const known = new WeakMap<KubeObject, PodInfo>();

/** What scheduling needs of a pod, computed once for each version of the object. */
export function podInfoOf(pod: KubeObject): PodInfo {
  return known.get(pod) ?? keep(pod, computePodInfo(pod));
}

/** The same, where it is known of an earlier version: most versions of a pod that runs differ in nothing that is computed. */
export function podInfoAfter(before: PodInfo, pod: KubeObject): PodInfo {
  return known.get(pod) ?? keep(pod, asksAlike(before.pod, pod) ? withChanging(before, pod) : computePodInfo(pod));
}

function keep(pod: KubeObject, info: PodInfo): PodInfo {
  known.set(pod, info);
  return info;
}

function asksAlike(before: KubeObject, pod: KubeObject): boolean {
  const { uid, labels } = before.metadata;
  return uid === pod.metadata.uid && labels === pod.metadata.labels && before.spec === pod.spec && statusAsksAlike(before, pod);
}

/** The same pod: these alone are read of what may be otherwise. */
function withChanging(before: PodInfo, pod: KubeObject): PodInfo {
  return { ...before, pod, ...changing(pod) };
}

function changing(pod: KubeObject): Pick<PodInfo, 'terminating' | 'startTime'> {
  return { terminating: Boolean(pod.metadata.deletionTimestamp), startTime: parseTime(podStatus(pod).startTime) };
}

function computePodInfo(pod: KubeObject): PodInfo {
  const spec = podSpec(pod);
  const namespace = pod.metadata.namespace ?? '';
  const requestList = podRequests(pod);
  const nonZero = nonZeroRequests(pod, requestList);
  const affinity = spec.affinity;
  const requiredAffinity = requiredTerms(affinity?.podAffinity, namespace);
  const requiredAntiAffinity = requiredTerms(affinity?.podAntiAffinity, namespace);
  const preferredAffinity = preferredTerms(affinity?.podAffinity, namespace);
  const preferredAntiAffinity = preferredTerms(affinity?.podAntiAffinity, namespace);
  return {
    pod,
    spec,
    uid: pod.metadata.uid,
    namespace,
    name: pod.metadata.name,
    key: `${namespace}/${pod.metadata.name}`,
    labels: pod.metadata.labels ?? noLabels,
    priority: spec.priority ?? 0,
    ...changing(pod),
    tolerations: spec.tolerations ?? noTolerations,
    hostPorts: hostPortsOf(spec),
    requestList,
    requests: resourceFromList(requestList),
    nonZeroMilliCpu: amountOf(nonZero, 'cpu'),
    nonZeroMemory: amountOf(nonZero, 'memory'),
    requiredAffinity,
    requiredAntiAffinity,
    preferredAffinity,
    preferredAntiAffinity,
    hasAffinity: requiredAffinity.length + requiredAntiAffinity.length + preferredAffinity.length + preferredAntiAffinity.length > 0,
    claimKeys: claimKeysOf(spec, namespace),
  };
}

function claimKeysOf(spec: RawPodSpec, namespace: string): readonly string[] {
  let keys: string[] | undefined;
  for (const volume of spec.volumes ?? []) {
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined) (keys ??= []).push(`${namespace}/${claim}`);
  }
  return keys ?? noKeys;
}
