// Recorded manifests are in stored form; these are the objects that a client would have submitted to get them stored so.
import type { JsonObject, KubeObject } from '#libs/kernel';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

export interface PriorityClassUse {
  name: string;
  value: number;
  preemptionPolicy?: string;
}

/** The class that gives a recorded pod its priority and policy; the API computes both from a class and takes neither as they are. */
export function priorityClassOf({ spec }: KubeObject): PriorityClassUse {
  const value = (spec?.priority as number | undefined) ?? 0;
  const preemptionPolicy = spec?.preemptionPolicy as string | undefined;
  const name = `recorded-${value < 0 ? `minus-${-value}` : value}${preemptionPolicy === 'Never' ? '-never' : ''}`;
  return preemptionPolicy === undefined ? { name, value } : { name, value, preemptionPolicy };
}

export interface RuntimeClassUse {
  name: string;
  overhead?: Record<string, string>;
}

/** Only a RuntimeClass gives a pod its overhead; recorded pods of one class may have different ones. */
export function runtimeClassOf({ spec }: KubeObject): RuntimeClassUse | undefined {
  const { runtimeClassName, overhead } = (spec ?? {}) as { runtimeClassName?: string; overhead?: Record<string, string> };
  if (runtimeClassName === undefined) return undefined;
  const values = Object.entries(overhead ?? {}).map(([name, value]) => `${name}-${value}`);
  const name = [runtimeClassName, ...values]
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return overhead === undefined ? { name } : { name, overhead };
}

/**
 * A pod as it was submitted: the class instead of the priority, the selectors without what `matchLabelKeys` adds to them when the
 * pod is stored, and nothing that only the system writes.
 */
export function submittedPod(stored: KubeObject): KubeObject {
  const { name, namespace, labels, annotations, ownerReferences, finalizers } = stored.metadata;
  const { priority: _priority, preemptionPolicy: _policy, ...spec } = stored.spec as Loose;
  const metadata = defined({ name, namespace, labels, annotations, ownerReferences, finalizers });
  const own = labels ?? {};
  if (spec.topologySpreadConstraints)
    spec.topologySpreadConstraints = spec.topologySpreadConstraints.map((each: Loose) => unmerged(each, own));
  if (spec.affinity) spec.affinity = submittedAffinity(spec.affinity, own);
  spec.priorityClassName = priorityClassOf(stored).name;
  const runtimeClass = runtimeClassOf(stored);
  if (runtimeClass) spec.runtimeClassName = runtimeClass.name;
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec } as unknown as KubeObject;
}

function submittedAffinity(affinity: Loose, labels: Record<string, string>): Loose {
  const submitted = { ...affinity };
  for (const side of ['podAffinity', 'podAntiAffinity']) {
    const terms = affinity[side];
    if (!terms) continue;
    const { requiredDuringSchedulingIgnoredDuringExecution: hard, preferredDuringSchedulingIgnoredDuringExecution: soft } = terms;
    submitted[side] = defined({
      ...terms,
      requiredDuringSchedulingIgnoredDuringExecution: hard?.map((term: Loose) => unmerged(term, labels)),
      preferredDuringSchedulingIgnoredDuringExecution: soft?.map((each: Loose) => ({
        ...each,
        podAffinityTerm: unmerged(each.podAffinityTerm, labels),
      })),
    });
  }
  return submitted;
}

/** Label keys were merged when the pod was stored; a client may not submit them merged, and merging is done again. */
function unmerged(term: Loose, labels: Record<string, string>): Loose {
  const expressions: Loose[] | undefined = term.labelSelector?.matchExpressions;
  if (!expressions) return term;
  const isMerged = ({ key, operator, values }: Loose): boolean => {
    const keys: string[] = (operator === 'In' ? term.matchLabelKeys : operator === 'NotIn' ? term.mismatchLabelKeys : undefined) ?? [];
    return keys.includes(key) && values.length === 1 && values[0] === labels[key];
  };
  const kept = expressions.filter((expression) => !isMerged(expression));
  if (kept.length === expressions.length) return term;
  return { ...term, labelSelector: defined({ ...term.labelSelector, matchExpressions: kept.length > 0 ? kept : undefined }) };
}

/** Recordings keep a workload's selector only; the API wants the rest, which scheduling does not read. */
export function submittedWorkload(recorded: KubeObject): KubeObject {
  const { kind, metadata, spec } = recorded as Loose;
  const { name, namespace } = metadata;
  if (kind === 'Service')
    return {
      ...recorded,
      metadata: { name, namespace },
      spec: { ports: [{ port: 80, protocol: 'TCP' }], ...spec },
    } as unknown as KubeObject;
  if (kind !== 'ReplicaSet') return { ...recorded, metadata: { name, namespace } } as unknown as KubeObject;
  const template = { metadata: { labels: labelsFor(spec.selector) }, spec: { containers: [{ name: 'c', image: 'app:v1' }] } };
  return { ...recorded, metadata: { name, namespace }, spec: { replicas: 0, template, ...spec } } as unknown as KubeObject;
}

/** Labels that a selector selects, as far as it asks for any. */
function labelsFor(selector: Loose): Record<string, string> {
  const labels: Record<string, string> = { ...selector.matchLabels };
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    if (operator === 'In') labels[key] ??= values[0];
    else if (operator === 'Exists') labels[key] ??= 'any';
  }
  return labels;
}

/** The recorded configuration, and with it: every node examined, every potential node dry-run, as in the recording. */
export function withEveryNode(config: object | undefined): JsonObject {
  const { profiles = [{ schedulerName: 'default-scheduler' }], ...rest } = (config ?? {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
  }) as Loose;
  const dryRunAll = { name: 'DefaultPreemption', args: { minCandidateNodesPercentage: 100, minCandidateNodesAbsolute: 100 } };
  const whole = (profile: Loose): Loose => ({
    ...profile,
    pluginConfig: [...(profile.pluginConfig ?? []).filter(({ name }: Loose) => name !== dryRunAll.name), dryRunAll],
  });
  return { ...rest, percentageOfNodesToScore: 100, profiles: profiles.map(whole) };
}

function defined<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
