import type { KubeObject } from '#libs/kernel';
import type { SchedulerCache } from './cache/cache';
import type { Profiles } from './config/profiles';
import type { ClusterEvent, EventResource } from './framework/events';
import { Action, eventAssignedPodAdd, eventAssignedPodDelete, eventNodeAdd, eventNodeDelete } from './framework/events';
import { assignedNode, isTerminal, nominatedNode, podPriority, schedulerNameOf } from './framework/kube-types';
import type { PodInfo } from './framework/pod-info';
import { nodeUpdateEvents, podUpdateEvents } from './queue/pod-update-events';
import type { SchedulingQueue } from './queue/scheduling-queue';

const eventResources: Readonly<Record<string, EventResource>> = {
  persistentvolumes: 'PersistentVolume',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  storageclasses: 'StorageClass',
  csinodes: 'CSINode',
  csidrivers: 'CSIDriver',
  csistoragecapacities: 'CSIStorageCapacity',
  volumeattachments: 'VolumeAttachment',
  resourceclaims: 'ResourceClaim',
  resourceslices: 'ResourceSlice',
  deviceclasses: 'DeviceClass',
};

/**
 * Takes changes of API objects to cache and queue as upstream's informer handlers do: `old` absent = created, `updated` absent =
 * deleted. Whoever folds events calls these in log order, after a binding of its own too.
 */
export class EventHandlers {
  constructor(
    private readonly cache: SchedulerCache,
    private readonly queue: SchedulingQueue,
    private readonly profiles: Profiles,
  ) {}

  onPod(old: KubeObject | undefined, updated: KubeObject | undefined, now: number): void {
    const before = this.roleOf(old);
    const after = this.roleOf(updated);
    if (before === 'assigned' || after === 'assigned')
      this.onAssigned(
        before === 'assigned' ? old : undefined,
        after === 'assigned' ? updated : undefined,
        now,
        before === 'pending' ? old : undefined,
      );
    else if (before === 'pending' && after === 'pending') this.onPendingUpdate(old as KubeObject, updated as KubeObject, now);
    else if (after === 'pending') this.queue.add(updated as KubeObject, now);
    else if (before === 'pending') this.onPendingDelete(old as KubeObject, now);
  }

  onNode(old: KubeObject | undefined, updated: KubeObject | undefined, now: number): void {
    if (updated === undefined) {
      if (old === undefined) return;
      this.queue.movePodsOnEvent(eventNodeDelete, old, undefined, now);
      this.cache.removeNode(old.metadata.name);
      return;
    }
    this.cache.updateNode(updated);
    if (old === undefined) this.queue.movePodsOnEvent(eventNodeAdd, undefined, updated, now);
    else for (const event of nodeUpdateEvents(old, updated)) this.queue.movePodsOnEvent(event, old, updated, now);
  }

  /** Any other kind, by its resource name (`persistentvolumeclaims`); kinds that scheduling does not read are ignored. */
  onObject(resource: string, old: KubeObject | undefined, updated: KubeObject | undefined, now: number): void {
    const object = updated ?? old;
    if (object === undefined) return;
    if (updated === undefined) this.cache.deleteObject(resource, object.metadata.namespace ?? '', object.metadata.name);
    else this.cache.setObject(resource, updated);
    const kind = Object.hasOwn(eventResources, resource) ? eventResources[resource] : undefined;
    if (kind === undefined) return;
    const actions = old === undefined ? Action.Add : updated === undefined ? Action.Delete : Action.Update;
    const event: ClusterEvent = { resource: kind, actions, label: kind };
    this.queue.movePodsOnEvent(event, old, updated, now);
  }

  /** Terminal pods are gone as far as scheduling is concerned; pods of other schedulers count once they are assigned. */
  private roleOf(pod: KubeObject | undefined): 'none' | 'pending' | 'assigned' {
    if (pod === undefined || isTerminal(pod)) return 'none';
    if (assignedNode(pod) !== '') return 'assigned';
    return this.profiles.get(schedulerNameOf(pod)) === undefined ? 'none' : 'pending';
  }

  private onAssigned(old: KubeObject | undefined, updated: KubeObject | undefined, now: number, pending: KubeObject | undefined): void {
    if (updated === undefined) {
      if (old === undefined) return;
      this.cache.removePod(old.metadata.uid);
      this.queue.movePodsOnEvent(eventAssignedPodDelete, old, undefined, now);
      return;
    }
    this.cache.addPod(updated);
    if (pending !== undefined) this.leaveQueue(pending, now);
    if (old === undefined) this.queue.movePodsOnEvent(eventAssignedPodAdd, undefined, updated, now);
    else for (const event of podUpdateEvents(old, updated, 'AssignedPod')) this.queue.movePodsOnEvent(event, old, updated, now);
  }

  private onPendingUpdate(old: KubeObject, updated: KubeObject, now: number): void {
    if (this.cache.isAssumed(updated.metadata.uid)) return;
    this.queue.update(old, updated, now);
    const nomination = nominatedNode(old);
    if (nomination !== '' && nomination !== nominatedNode(updated)) this.releaseNomination(old, now);
  }

  private onPendingDelete(old: KubeObject, now: number): void {
    this.cache.forgetPod(old.metadata.uid);
    this.leaveQueue(old, now);
  }

  /** Gone or bound alike: upstream does not tell them apart, so the nomination counts as released even where the pod was bound there. */
  private leaveQueue(old: KubeObject, now: number): void {
    this.queue.delete(old.metadata.uid);
    if (nominatedNode(old) !== '') this.releaseNomination(old, now);
  }

  /** Others of its priority and below had counted the pod as placed where it was nominated. */
  private releaseNomination(old: KubeObject, now: number): void {
    const priority = podPriority(old);
    this.queue.movePodsOnEvent(eventAssignedPodDelete, old, undefined, now, (pod: PodInfo) => pod.priority <= priority);
  }
}
