import type { KubeObject } from '#libs/kernel';

/** What pod priority needs to know of a PriorityClass. */
export interface PriorityClassFacts {
  readonly name: string;
  readonly value: number;
  readonly globalDefault?: boolean;
  readonly preemptionPolicy?: string;
}

/** The classes in force. */
export interface PriorityClassLookup {
  get(name: string): PriorityClassFacts | undefined;
  /** The class for pods that name none; of several the one with the lowest value. */
  globalDefault(): PriorityClassFacts | undefined;
}

/** What pod priority needs to know of a pod. */
export interface PodPriorityFacts {
  readonly priorityClassName?: string;
  readonly priority?: number;
  readonly preemptionPolicy?: string;
}

export interface PodPriority {
  /** Absent where neither pod nor cluster name a class. */
  readonly priorityClassName?: string;
  readonly priority: number;
  readonly preemptionPolicy: string;
}

/** The reason behind `RES "name" is forbidden: `. */
export interface Refusal {
  readonly refusal: string;
}

export function isRefusal(verdict: object | undefined): verdict is Refusal {
  return verdict !== undefined && 'refusal' in verdict;
}

/** What counts of a PriorityClass as it is stored. */
export function priorityClassFacts(object: KubeObject): PriorityClassFacts {
  const { value = 0, globalDefault, preemptionPolicy } = object as { value?: number; globalDefault?: boolean; preemptionPolicy?: string };
  return { name: object.metadata.name, value, globalDefault: globalDefault === true, preemptionPolicy };
}

/** Of several defaults (which only a race or an older server leaves behind) the lowest value wins, then the name. */
export function defaultPriorityClass(classes: Iterable<PriorityClassFacts>): PriorityClassFacts | undefined {
  let found: PriorityClassFacts | undefined;
  for (const candidate of classes) {
    if (!candidate.globalDefault) continue;
    if (!found || candidate.value < found.value || (candidate.value === found.value && candidate.name < found.name)) found = candidate;
  }
  return found;
}

/** The classes of a map, by name. */
export function priorityClassLookup(classes: ReadonlyMap<string, PriorityClassFacts>): PriorityClassLookup {
  return { get: (name) => classes.get(name), globalDefault: () => defaultPriorityClass(classes.values()) };
}

const preemptingByDefault = 'PreemptLowerPriority';

/**
 * The priority a new pod gets: its class's value and policy, the global default's where it names no class, 0 where there is
 * none. Values that the pod brings along must be the computed ones.
 */
export function resolvePodPriority(pod: PodPriorityFacts, classes: PriorityClassLookup): PodPriority | Refusal {
  const named = pod.priorityClassName ? classes.get(pod.priorityClassName) : classes.globalDefault();
  if (pod.priorityClassName && !named) return { refusal: `no PriorityClass with name ${pod.priorityClassName} was found` };
  const priority = named?.value ?? 0;
  if (pod.priority !== undefined && pod.priority !== null && pod.priority !== priority) {
    return {
      refusal: `the integer value of priority (${pod.priority}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
    };
  }
  const preemptionPolicy = named?.preemptionPolicy ?? preemptingByDefault;
  if (pod.preemptionPolicy !== undefined && pod.preemptionPolicy !== null && pod.preemptionPolicy !== preemptionPolicy) {
    return {
      refusal: `the string value of PreemptionPolicy (${pod.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
    };
  }
  return named ? { priorityClassName: named.name, priority, preemptionPolicy } : { priority, preemptionPolicy };
}

/** The pod with its resolved priority. */
export function withPriority(pod: KubeObject, { priorityClassName, priority, preemptionPolicy }: PodPriority): KubeObject {
  const spec = { ...pod.spec, priority, preemptionPolicy };
  if (priorityClassName) spec.priorityClassName = priorityClassName;
  return { ...pod, spec };
}

/** An update that leaves priority or policy out keeps what was resolved; any other change is for validation to refuse. */
export function keepPriority(updated: KubeObject, old: KubeObject): KubeObject {
  let { spec } = updated;
  for (const field of ['priority', 'preemptionPolicy']) {
    const before = old.spec?.[field];
    if ((spec?.[field] ?? undefined) === undefined && before !== undefined) spec = { ...spec, [field]: before };
  }
  return spec === updated.spec ? updated : { ...updated, spec };
}

/** Only one class may be the default; the one that is may be updated. */
export function admitPriorityClass(
  operation: 'create' | 'update',
  priorityClass: PriorityClassFacts,
  classes: Iterable<PriorityClassFacts>,
): Refusal | undefined {
  if (!priorityClass.globalDefault) return undefined;
  const present = defaultPriorityClass(classes);
  if (!present || (operation === 'update' && present.name === priorityClass.name)) return undefined;
  return { refusal: `PriorityClass ${present.name} is already marked as default. Only one default can exist` };
}

/** The classes every cluster has; their names, values and being no default are fixed. */
export const systemPriorityClasses: readonly { name: string; value: number; description: string }[] = [
  {
    name: 'system-node-critical',
    value: 2000001000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: 2000000000,
    description: 'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
];

/** The system's own classes stay. */
export function admitPriorityClassDeletion(name: string): Refusal | undefined {
  return systemPriorityClasses.some((known) => known.name === name)
    ? { refusal: 'this is a system priority class and cannot be deleted' }
    : undefined;
}
