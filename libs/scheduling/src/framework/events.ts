import type { KubeObject } from '#libs/kernel';
import type { PodInfo } from './pod-info';
import type { Listers } from './listers';

/** What can change in the cluster, as far as it may make a waiting pod schedulable. */
export type EventResource =
  | 'Pod'
  | 'AssignedPod'
  | 'UnscheduledPod'
  | 'Node'
  | 'PersistentVolume'
  | 'PersistentVolumeClaim'
  | 'StorageClass'
  | 'CSINode'
  | 'CSIDriver'
  | 'CSIStorageCapacity'
  | 'VolumeAttachment'
  | 'ResourceClaim'
  | 'ResourceSlice'
  | 'DeviceClass'
  | '*';

/** A set of bits, so that a plugin registers for several at once. */
export const Action = {
  Add: 1,
  Delete: 2,
  UpdateNodeAllocatable: 4,
  UpdateNodeLabel: 8,
  UpdateNodeTaint: 16,
  UpdateNodeCondition: 32,
  UpdateNodeAnnotation: 64,
  UpdatePodLabel: 128,
  UpdatePodScaleDown: 256,
  UpdatePodTolerations: 512,
  UpdatePodSchedulingGatesEliminated: 1024,
  UpdatePodGeneratedResourceClaim: 2048,
  UpdateOther: 4096,
  Update: 4 | 8 | 16 | 32 | 64 | 128 | 256 | 512 | 1024 | 2048 | 4096,
  All: 8191,
} as const;

export interface ClusterEvent {
  readonly resource: EventResource;
  readonly actions: number;
  readonly label: string;
}

export const eventUnscheduledPodAdd: ClusterEvent = { resource: 'UnscheduledPod', actions: Action.Add, label: 'UnschedulablePodAdd' };
export const eventUnscheduledPodUpdate: ClusterEvent = {
  resource: 'UnscheduledPod',
  actions: Action.Update,
  label: 'UnschedulablePodUpdate',
};
export const eventAssignedPodAdd: ClusterEvent = { resource: 'AssignedPod', actions: Action.Add, label: 'AssignedPodAdd' };
export const eventAssignedPodDelete: ClusterEvent = { resource: 'AssignedPod', actions: Action.Delete, label: 'AssignedPodDelete' };
export const eventNodeAdd: ClusterEvent = { resource: 'Node', actions: Action.Add, label: 'NodeAdd' };
export const eventNodeDelete: ClusterEvent = { resource: 'Node', actions: Action.Delete, label: 'NodeDelete' };
/**
 * What moves a pod without a change of the cluster, by upstream's labels: its back-off is over; it is activated by force; it has
 * waited for five minutes; its attempt has failed.
 */
export const eventBackoffComplete: ClusterEvent = { resource: '*', actions: Action.All, label: 'BackoffComplete' };
export const eventForceActivate: ClusterEvent = { resource: '*', actions: Action.All, label: 'ForceActivate' };
export const eventUnschedulableTimeout: ClusterEvent = { resource: '*', actions: Action.All, label: 'UnschedulableTimeout' };
export const eventAttemptFailure: ClusterEvent = { resource: '*', actions: Action.All, label: 'ScheduleAttemptFailure' };

export function isWildcard(event: ClusterEvent): boolean {
  return event.resource === '*' && event.actions === Action.All;
}

/** Does a registration cover what happened? `Pod` covers assigned and unscheduled ones alike. */
export function matchesEvent(registered: ClusterEvent, happened: ClusterEvent): boolean {
  if (isWildcard(registered)) return true;
  const pods = registered.resource === 'Pod' && (happened.resource === 'AssignedPod' || happened.resource === 'UnscheduledPod');
  if (registered.resource !== '*' && registered.resource !== happened.resource && !pods) return false;
  return (registered.actions & happened.actions) !== 0;
}

export type Hint = 'Queue' | 'QueueSkip';

/** May what happened make the pod schedulable, as far as this plugin is concerned? `oldObject` is absent on Add, `newObject` on Delete. */
export type HintFunction = (pod: PodInfo, oldObject: KubeObject | undefined, newObject: KubeObject | undefined, listers: Listers) => Hint;

/** Without a function every such event requeues the pods this plugin refused. */
export interface ClusterEventWithHint {
  readonly event: ClusterEvent;
  readonly hint?: HintFunction;
}

/** A registration. @param actions bits of `Action` @param hint absent: each such event brings the pod back */
export function on(resource: EventResource, actions: number, hint?: HintFunction): ClusterEventWithHint {
  return { event: { resource, actions, label: '' }, hint };
}
