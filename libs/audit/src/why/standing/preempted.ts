import type { ClusterState } from '#libs/cluster-state';
import { controllerOf, type GroupResource, type KubeObject } from '#libs/kernel';
import { compileObjectSelector } from '#libs/kube-api';
import type { Story } from '../story';
import { counted, listWords, objectWords } from '../words';
import { budgetStanding } from './budget';
import { readyWords } from './workload';

/** Victims named one by one; more are counted by their owners. */
const namedMax = 4;

/**
 * Whom it preempted, and what that has come to: how the workloads of the victims stand now, and the budgets that cover them.
 * @param victims as they were when they were preempted
 */
export function preemptedStanding(victims: readonly KubeObject[], state: ClusterState, story: Pick<Story, 'schedulers'>): string[] {
  if (victims.length === 0) return [];
  const workloads = new Map<string, Losses>();
  for (const victim of victims) {
    const workload = workloadOf(victim, state);
    const { uid } = workload?.object.metadata ?? victim.metadata;
    const losses = workloads.get(uid) ?? { workload, victims: [] };
    losses.victims.push(victim);
    workloads.set(uid, losses);
  }
  const losses = [...workloads.values()];
  return [
    `preempted ${victims.length > namedMax ? countedWords(victims.length, losses) : listWords(victims.map(victimWords), namedMax)}`,
    ...losses.flatMap(({ workload }) => (workload ? [`${nameOf(workload)} now: ${readyWords(workload.object, state, story)}`] : [])),
    ...budgetsOf(victims, state).map(
      (budget) => `${nameOf({ resource: 'poddisruptionbudgets.policy', object: budget })} now: ${budgetStanding(budget).join('; ')}`,
    ),
  ];
}

interface Workload {
  resource: GroupResource;
  object: KubeObject;
}

interface Losses {
  /** Absent for pods that nobody owns, or whose owner is gone. */
  workload: Workload | undefined;
  victims: KubeObject[];
}

/** `6 pods: 4 of Deployment default/report, 2 without an owner`. */
function countedWords(count: number, losses: readonly Losses[]): string {
  const owned = losses.flatMap(({ workload, victims }) => (workload ? [`${victims.length} of ${nameOf(workload)}`] : []));
  const others = losses.filter(({ workload }) => !workload).length;
  return `${counted(count, 'pod')}: ${[...owned, ...(others > 0 ? [`${others} that nobody owns now`] : [])].join(', ')}`;
}

function victimWords({ metadata, spec }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name} (${(spec?.priority as number | undefined) ?? 0})`;
}

function nameOf({ resource, object: { metadata } }: Workload): string {
  return objectWords(resource, metadata.namespace, metadata.name);
}

/** The Deployment of a pod, else its ReplicaSet; undefined where it has none, or none any more. */
function workloadOf(pod: KubeObject, state: ClusterState): Workload | undefined {
  const replicaSet = ownerOf(pod, 'replicasets.apps', state);
  if (!replicaSet) return undefined;
  const deployment = ownerOf(replicaSet, 'deployments.apps', state);
  return deployment ? { resource: 'deployments.apps', object: deployment } : { resource: 'replicasets.apps', object: replicaSet };
}

function ownerOf(object: KubeObject, resource: GroupResource, state: ClusterState): KubeObject | undefined {
  const reference = controllerOf(object);
  const owner = reference && state.get(resource, object.metadata.namespace, reference.name);
  return owner?.metadata.uid === reference?.uid ? owner : undefined;
}

function budgetsOf(victims: readonly KubeObject[], state: ClusterState): KubeObject[] {
  return [...state.list('poddisruptionbudgets.policy')].filter(({ metadata, spec }) => {
    if (!spec?.selector) return false;
    const selector = compileObjectSelector(spec.selector as never);
    return victims.some((victim) => victim.metadata.namespace === metadata.namespace && selector.matches(victim.metadata.labels));
  });
}
