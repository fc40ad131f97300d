import type { KubeObject } from '#libs/kernel';
import { jsonEqual } from '#libs/kernel';
import type { ClusterEvent, EventResource } from '../framework/events';
import { Action } from '../framework/events';
import { nodeSpec, nodeStatus, podSpec, podStatus } from '../framework/kube-types';
import { podInfoOf } from '../framework/pod-info';
import { amountOf } from '../framework/resource';

function event(resource: EventResource, actions: number, label: string): ClusterEvent {
  return { resource, actions, label };
}

/** What an update of a pod means to scheduling; a change of nothing that matters is an "other" update. */
export function podUpdateEvents(old: KubeObject, updated: KubeObject, resource: 'AssignedPod' | 'UnscheduledPod'): ClusterEvent[] {
  const events: ClusterEvent[] = [];
  if (!jsonEqual(old.metadata.labels ?? {}, updated.metadata.labels ?? {}))
    events.push(event(resource, Action.UpdatePodLabel, 'PodLabelChange'));
  if (hasScaledDown(old, updated)) events.push(event(resource, Action.UpdatePodScaleDown, 'PodScaleDown'));
  const [before, after] = [podSpec(old), podSpec(updated)];
  if ((before.schedulingGates ?? []).length > 0 && (after.schedulingGates ?? []).length === 0) {
    events.push(event(resource, Action.UpdatePodSchedulingGatesEliminated, 'PodSchedulingGatesEliminated'));
  }
  // Tolerations can only be added, so their number tells.
  if ((before.tolerations ?? []).length !== (after.tolerations ?? []).length)
    events.push(event(resource, Action.UpdatePodTolerations, 'PodTolerationChange'));
  if (!jsonEqual(podStatus(old).resourceClaimStatuses ?? [], podStatus(updated).resourceClaimStatuses ?? [])) {
    events.push(event(resource, Action.UpdatePodGeneratedResourceClaim, 'PodGeneratedResourceClaimChange'));
  }
  if (events.length === 0) events.push(event(resource, Action.UpdateOther, `${resource}Update`));
  return events;
}

function hasScaledDown(old: KubeObject, updated: KubeObject): boolean {
  const [before, after] = [podInfoOf(old).requestList, podInfoOf(updated).requestList];
  for (const name of before.keys()) if (amountOf(after, name) < amountOf(before, name)) return true;
  return false;
}

/** What an update of a node means to scheduling; heartbeats mean nothing. */
export function nodeUpdateEvents(old: KubeObject, updated: KubeObject): ClusterEvent[] {
  const events: ClusterEvent[] = [];
  const [oldSpec, newSpec, oldStatus, newStatus] = [nodeSpec(old), nodeSpec(updated), nodeStatus(old), nodeStatus(updated)];
  if (oldSpec.unschedulable === true && newSpec.unschedulable !== true)
    events.push(event('Node', Action.UpdateNodeTaint, 'NodeSpecUnschedulableChange'));
  if (!jsonEqual(oldStatus.allocatable ?? {}, newStatus.allocatable ?? {}))
    events.push(event('Node', Action.UpdateNodeAllocatable, 'NodeAllocatableChange'));
  if (!jsonEqual(old.metadata.labels ?? {}, updated.metadata.labels ?? {}))
    events.push(event('Node', Action.UpdateNodeLabel, 'NodeLabelChange'));
  if (!jsonEqual(oldSpec.taints ?? [], newSpec.taints ?? [])) events.push(event('Node', Action.UpdateNodeTaint, 'NodeTaintChange'));
  if (!jsonEqual(conditionStatuses(oldStatus.conditions), conditionStatuses(newStatus.conditions))) {
    events.push(event('Node', Action.UpdateNodeCondition, 'NodeConditionChange'));
  }
  if (!jsonEqual(old.metadata.annotations ?? {}, updated.metadata.annotations ?? {}))
    events.push(event('Node', Action.UpdateNodeAnnotation, 'NodeAnnotationChange'));
  return events;
}

function conditionStatuses(conditions: readonly { type: string; status: string }[] | undefined): Record<string, string> {
  return Object.fromEntries((conditions ?? []).map(({ type, status }) => [type, status]));
}
