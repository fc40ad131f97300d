import type { ClusterState } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import type { ObjectReference, Story } from '../story';
import { budgetStanding } from './budget';
import { goneStanding } from './gone';
import { nodeStanding } from './node';
import { podStanding } from './pod';
import { preemptedStanding } from './preempted';
import { refusedStanding } from './refused';
import { priorityClassStanding } from './priority-class';
import { workloadStanding } from './workload';

/** How one kind of object stands, in sentences. */
export type Standing = (object: KubeObject, state: ClusterState, story: Story) => string[];

const standings: Record<string, Standing> = {
  pods: podStanding,
  nodes: nodeStanding,
  'deployments.apps': workloadStanding,
  'replicasets.apps': workloadStanding,
  'poddisruptionbudgets.policy': budgetStanding,
  'priorityclasses.scheduling.k8s.io': priorityClassStanding,
};

/**
 * How the object stands at the end of the log; the first sentence answers what most people ask.
 * @param victims pods that it has preempted, or what it owns, as they were then
 * @param state the whole log folded
 */
export function standingOf(
  { resource, namespace, name }: ObjectReference,
  story: Story,
  victims: readonly KubeObject[],
  state: ClusterState,
): string[] {
  if (story.uids.length === 0) return refusedStanding(story);
  const object = state.get(resource as never, namespace, name);
  const own = object ? (standings[resource]?.(object, state, story) ?? []) : goneStanding(story);
  return [...own, ...preemptedStanding(victims, state, story)];
}
