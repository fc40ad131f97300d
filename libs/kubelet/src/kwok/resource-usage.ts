import type { ClusterState } from '#libs/cluster-state';
import { parseQuantity, parseTime, quantityMilli, quantityValue, type KubeObject } from '#libs/kernel';
import type { ContainerBehaviour, UsageStep } from '../behaviour';
import { usageExpression, type UsageExpression } from './usage-expression';

/** Kinds of kwok: by the name of the pod, in its namespace; the other by a selector, for all of the cluster. */
export const usageOfOne = 'resourceusages.kwok.x-k8s.io';
export const usageOfMany = 'clusterresourceusages.kwok.x-k8s.io';

interface UsageSpec {
  selector?: { matchNamespaces?: string[]; matchNames?: string[] };
  usages?: { containers?: string[]; usage?: Record<string, UsageValue> }[];
}

interface UsageValue {
  value?: string | number;
  expression?: string;
}

/** What the objects tell of: a container of a pod. */
interface Used {
  readonly container: { readonly name: string };
  readonly startedAt?: number;
  readonly behaviour: ContainerBehaviour;
}

/** Whether any object says what containers use. */
export function tellsOfUsage(cluster: ClusterState): boolean {
  return cluster.table(usageOfOne).objects.size > 0 || cluster.table(usageOfMany).objects.size > 0;
}

/**
 * The behaviour, with what ResourceUsage objects of kwok say of the container's use where no annotation does. The object that has the pod's name goes
 * before those that select it.
 */
export function withUsageOfObjects(cluster: ClusterState, pod: KubeObject, used: Used): ContainerBehaviour {
  const { behaviour } = used;
  const tables = [cluster.table(usageOfOne), cluster.table(usageOfMany)] as const;
  if (used.startedAt === undefined || tables.every(({ objects }) => objects.size === 0)) return behaviour;
  const { namespace, name } = pod.metadata;
  const own = cluster.get(usageOfOne, namespace, name);
  const chosen = own ?? [...tables[1].list()].find(({ spec }) => selects((spec ?? {}) as UsageSpec, pod));
  const { usages = [] } = (chosen?.spec ?? {}) as UsageSpec;
  const byName = usages.find(({ containers = [] }) => containers.includes(used.container.name));
  const usage = (byName ?? usages.find(({ containers = [] }) => containers.length === 0))?.usage;
  if (!usage) return behaviour;
  const about: About = { pod, startedAt: used.startedAt, container: used.container, node: nodeOf(cluster, pod) };
  return {
    ...behaviour,
    cpu: behaviour.cpu.length > 0 ? behaviour.cpu : stepsOf(usage.cpu, about, inMillicores),
    memory: behaviour.memory.length > 0 ? behaviour.memory : stepsOf(usage.memory, about, inBytes),
  };
}

const nodeOf = (cluster: ClusterState, { spec }: KubeObject): KubeObject | undefined =>
  cluster.get('nodes', undefined, (spec?.nodeName ?? '') as string);

function selects({ selector }: UsageSpec, { metadata: { namespace = '', name } }: KubeObject): boolean {
  const { matchNamespaces = [], matchNames = [] } = selector ?? {};
  return (matchNamespaces.length === 0 || matchNamespaces.includes(namespace)) && (matchNames.length === 0 || matchNames.includes(name));
}

interface Unit {
  ofQuantity: (quantity: unknown) => number;
  ofNumber: (value: number) => number;
}

const inMillicores: Unit = { ofQuantity: quantityMilli, ofNumber: (value) => Math.round(value * 1_000) };
const inBytes: Unit = { ofQuantity: quantityValue, ofNumber: Math.round };

interface About {
  pod: KubeObject;
  node: KubeObject | undefined;
  container: { readonly name: string };
  startedAt: number;
}

function stepsOf(told: UsageValue | undefined, about: About, unit: Unit): readonly UsageStep[] {
  if (!told) return [];
  if (told.expression === undefined) return parseQuantity(told.value) ? [{ fromMs: 0, amount: unit.ofQuantity(told.value) }] : [];
  const expression = usageExpression(told.expression);
  return expression ? sampled(told.expression, expression, about, unit) : [];
}

/** Where an expression goes by the time, it is asked this often, ms, and so many times from the start of the run; the last answer holds from then on. */
const sampleMs = 10_000;
const samplesMax = 361;

const remembered = new WeakMap<object, Map<string, readonly UsageStep[]>>();

/** The same each time, so it is asked once for each version of the pod. */
function sampled(text: string, expression: UsageExpression, about: About, unit: Unit): readonly UsageStep[] {
  const { pod, node, container, startedAt } = about;
  const known = remembered.get(pod) ?? new Map<string, readonly UsageStep[]>();
  remembered.set(pod, known);
  const key = `${container.name}/${startedAt}/${unit === inBytes ? 'bytes' : 'millicores'}/${text}`;
  const found = known.get(key);
  if (found) return found;
  const steps: UsageStep[] = [];
  for (let sample = 0; sample < (expression.goesByTime ? samplesMax : 1); sample++) {
    const fromMs = sample * sampleMs;
    const now = startedAt + fromMs;
    const value = expression.evaluate({ pod, node, container, now, created: parseTime(pod.metadata.creationTimestamp) ?? now });
    if (value === undefined) break;
    const amount = unit.ofNumber(Math.max(0, value));
    if (steps.at(-1)?.amount !== amount) steps.push({ fromMs, amount });
  }
  known.set(key, steps);
  return steps;
}
