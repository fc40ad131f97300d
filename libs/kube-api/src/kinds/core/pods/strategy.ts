import type { KubeObject } from '#libs/kernel';
import { formatTime } from '#libs/kernel';
import type { CreateContext } from '../../../strategy/context';
import { withAppArmorFields } from './app-armor';
import { podQosClass } from './qos';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

/** A new pod is Pending, whatever its status said; gates that hold it are shown as a condition. */
export function prepareNewPod(pod: KubeObject, { now }: CreateContext): KubeObject {
  const status: Loose = { phase: 'Pending' };
  if (pod.spec?.schedulingGates?.length > 0) {
    status.conditions = [
      {
        type: 'PodScheduled',
        status: 'False',
        lastProbeTime: null,
        lastTransitionTime: formatTime(now),
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      },
    ];
  }
  // Upstream looks whether a class is told before it forgets the status that was sent.
  status.qosClass = pod.status?.qosClass || podQosClass(pod);
  return withAppArmorFields({ ...pod, spec: withLabelKeys(pod), status });
}

/** The pod's own labels named by `matchLabelKeys` become part of the selectors that name them. */
function withLabelKeys(pod: KubeObject): Loose {
  let spec = pod.spec;
  const labels = pod.metadata.labels ?? {};
  const constraints: Loose[] | undefined = spec?.topologySpreadConstraints;
  if (constraints?.some((constraint) => constraint.matchLabelKeys?.length > 0)) {
    spec = { ...spec, topologySpreadConstraints: constraints.map((constraint) => mergeKeys(constraint, labels)) };
  }
  for (const side of ['podAffinity', 'podAntiAffinity']) {
    const affinity = spec?.affinity?.[side];
    if (affinity) spec = { ...spec, affinity: { ...spec.affinity, [side]: mergeAffinity(affinity, labels) } };
  }
  return spec;
}

function mergeAffinity(affinity: Loose, labels: Record<string, string>): Loose {
  const merged = { ...affinity };
  const hard: Loose[] | undefined = affinity.requiredDuringSchedulingIgnoredDuringExecution;
  const soft: Loose[] | undefined = affinity.preferredDuringSchedulingIgnoredDuringExecution;
  if (hard) merged.requiredDuringSchedulingIgnoredDuringExecution = hard.map((term) => mergeKeys(term, labels));
  if (soft) {
    merged.preferredDuringSchedulingIgnoredDuringExecution = soft.map((weighted) => ({
      ...weighted,
      podAffinityTerm: mergeKeys(weighted.podAffinityTerm ?? {}, labels),
    }));
  }
  return merged;
}

function mergeKeys(term: Loose, labels: Record<string, string>): Loose {
  const added: Loose[] = [];
  const collect = (keys: string[] | undefined, operator: 'In' | 'NotIn') => {
    for (const key of keys ?? []) if (Object.hasOwn(labels, key)) added.push({ key, operator, values: [labels[key]] });
  };
  collect(term.matchLabelKeys, 'In');
  collect(term.mismatchLabelKeys, 'NotIn');
  if (!term.labelSelector || added.length === 0) return term;
  return {
    ...term,
    labelSelector: { ...term.labelSelector, matchExpressions: [...(term.labelSelector.matchExpressions ?? []), ...added] },
  };
}

/** pods/status: the class of service stays, owners are not the kubelet's to write, observed generations are not lost. */
export function preparePodStatus(updated: KubeObject, old: KubeObject): KubeObject {
  const metadata = { ...updated.metadata };
  delete metadata.deletionTimestamp;
  if (old.metadata.deletionTimestamp) metadata.deletionTimestamp = old.metadata.deletionTimestamp;
  delete metadata.ownerReferences;
  if (old.metadata.ownerReferences) metadata.ownerReferences = old.metadata.ownerReferences;
  const status: Loose = { ...updated.status };
  if (!status.qosClass && old.status?.qosClass) status.qosClass = old.status.qosClass;
  if (!status.observedGeneration && old.status?.observedGeneration) status.observedGeneration = old.status.observedGeneration;
  if (status.conditions) status.conditions = keepGenerations(status.conditions, old.status?.conditions ?? []);
  for (const list of statusLists) if (status[list]) status[list] = status[list].map(withoutDeviceHealth);
  return { ...updated, metadata, spec: old.spec, status };
}

const statusLists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'];

/** The health of a container's devices belongs to a feature that is off in the recorded release. */
function withoutDeviceHealth({ allocatedResourcesStatus: _, ...status }: Loose): Loose {
  return status;
}

function keepGenerations(conditions: Loose[], old: Loose[]): Loose[] {
  const known = new Map<string, number[]>();
  for (const { type, observedGeneration = 0 } of old) known.set(type, [...(known.get(type) ?? []), observedGeneration]);
  return conditions.map((condition) => {
    const before = known.get(condition.type)?.shift() ?? 0;
    return condition.observedGeneration || before === 0 ? condition : { ...condition, observedGeneration: before };
  });
}

/** pods/ephemeralcontainers: nothing but that list may change. */
export function prepareEphemeralContainers(updated: KubeObject, old: KubeObject): KubeObject {
  const spec = { ...old.spec };
  delete spec.ephemeralContainers;
  if (updated.spec?.ephemeralContainers) spec.ephemeralContainers = updated.spec.ephemeralContainers;
  return { ...updated, spec, status: old.status };
}

/** pods/resize: nothing but containers' resources and resize policies; containers added or renamed are left for validation. */
export function prepareResize(updated: KubeObject, old: KubeObject): KubeObject {
  const containers = resized(updated.spec?.containers ?? [], old.spec?.containers ?? []);
  const initContainers = resized(updated.spec?.initContainers, old.spec?.initContainers);
  if (!containers || !initContainers) return updated;
  const spec = { ...old.spec, containers };
  if (initContainers.length > 0) spec.initContainers = initContainers;
  return { ...updated, spec, status: old.status };
}

function resized(updated: Loose[] = [], old: Loose[] = []): Loose[] | undefined {
  if (updated.length !== old.length) return undefined;
  if (updated.some((container, index) => container.name !== old[index].name)) return updated;
  return updated.map(({ resources, resizePolicy }, index) => {
    const container = { ...old[index], resources };
    delete container.resizePolicy;
    return resizePolicy ? { ...container, resizePolicy } : container;
  });
}
