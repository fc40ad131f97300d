import type { KubeObject } from '#libs/kernel';

/** What a pod's spec says of its priority before admission. */
export interface PodPriorityRequest {
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: string;
}

export interface PodPriority {
  /** Absent when no class applies: the field stays empty then. */
  priorityClassName?: string;
  priority: number;
  preemptionPolicy: string;
}

/** A rule said no: the text after `is forbidden: `. */
export interface Forbidden {
  forbidden: string;
}

const preemptByDefault = 'PreemptLowerPriority';

/** The class that pods without one get: of several defaults the lowest value. */
export function defaultPriorityClass(classes: Iterable<KubeObject>): KubeObject | undefined {
  let found: KubeObject | undefined;
  for (const candidate of classes) {
    if (candidate.globalDefault === true && (!found || valueOf(candidate) < valueOf(found))) found = candidate;
  }
  return found;
}

/** Priority of a new pod, from its class or the default one; integer and policy may be given, but not differ (plugin Priority, create). */
export function resolvePodPriority(
  request: PodPriorityRequest,
  classNamed: (name: string) => KubeObject | undefined,
  classes: () => Iterable<KubeObject>,
): PodPriority | Forbidden {
  const { priorityClassName, priority, preemptionPolicy } = request;
  const found = priorityClassName ? classNamed(priorityClassName) : defaultPriorityClass(classes());
  if (priorityClassName && !found) return { forbidden: `no PriorityClass with name ${priorityClassName} was found` };
  const computed = found ? valueOf(found) : 0;
  const policy = (found?.preemptionPolicy as string | undefined) ?? preemptByDefault;
  if (priority !== undefined && priority !== computed) return { forbidden: mustNotDiffer('integer value of priority', priority, computed) };
  if (preemptionPolicy !== undefined && preemptionPolicy !== policy) {
    return { forbidden: mustNotDiffer('string value of PreemptionPolicy', preemptionPolicy, policy) };
  }
  return { ...(found ? { priorityClassName: found.metadata.name } : {}), priority: computed, preemptionPolicy: policy };
}

/** Only one class may be the global default; undefined when this one may be as it is asked for. */
export function priorityClassProblem(request: { name: string; globalDefault: boolean }, classes: Iterable<KubeObject>): Forbidden | undefined {
  if (!request.globalDefault) return undefined;
  const present = defaultPriorityClass(classes);
  if (!present || present.metadata.name === request.name) return undefined;
  return { forbidden: `PriorityClass ${present.metadata.name} is already marked as default. Only one default can exist` };
}

function valueOf(priorityClass: KubeObject): number {
  return (priorityClass.value as number | undefined) ?? 0;
}

function mustNotDiffer(what: string, given: number | string, computed: number | string): string {
  return `the ${what} (${given}) must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`;
}
