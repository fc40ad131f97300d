import type { ClusterState } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import type { ObjectReference, Story } from '../story';
import { budgetStanding } from './budget';
import { goneStanding } from './gone';
import { nodeStanding } from './node';
import { podStanding } from './pod';
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

/** How the object stands at the end of the log; the first sentence answers what most people ask. @param state the whole log folded */
export function standingOf({ resource, namespace, name }: ObjectReference, story: Story, state: ClusterState): string[] {
  const object = state.get(resource as never, namespace, name);
  if (!object) return goneStanding(story, state);
  return standings[resource]?.(object, state, story) ?? [];
}
