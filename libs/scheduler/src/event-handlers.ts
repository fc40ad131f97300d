// What changes of the cluster mean to the scheduler, read downwards (upstream eventhandlers.go).
import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import { causeOf } from '#libs/control-loop';
import type { KubeObject } from '#libs/kernel';
import {
  Action,
  assignedNode,
  eventAssignedPodAdd,
  eventAssignedPodDelete,
  eventNodeAdd,
  eventNodeDelete,
  isTerminal,
  nodeUpdateEvents,
  nominatedNode,
  podPriority,
  podUpdateEvents,
  schedulerNameOf,
  type ClusterEvent,
  type EventResource,
  type PodInfo,
  type Profiles,
  type SchedulerCache,
  type SchedulingQueue,
} from '#libs/scheduling';
import { handleBindingCycleError } from './binding-cycle';
import { endFlight, lookAtHeldPodsAgain } from './flights';
import type { SchedulerState } from './scheduler-state';

/** Everything there is, as the informers of a scheduler that starts would bring it. */
export function addAllEventHandlers(state: SchedulerState, cluster: ClusterState, now: number): void {
  for (const table of cluster.resources()) {
    if (table.resource === 'pods') continue;
    for (const object of table.list()) {
      if (table.resource === 'nodes') onNode(state, undefined, object, now);
      else onObject(state, plural(table.resource), undefined, object, now);
    }
  }
  // Waiting pods come in the order of their last change, so that equal ones are tried in the order they came.
  const pods = [...cluster.list('pods')].sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
  for (const pod of pods) followPod(state, undefined, pod, now);
}

/** One append of the log. */
export function followAppend(state: SchedulerState, append: FoldedAppend, now: number): void {
  const { change } = append;
  if (!change) {
    followRecords(state, append, now);
    return;
  }
  lookAtHeldPodsAgain(state);
  const after = change.type === 'DELETED' ? undefined : change.object;
  if (change.resource === 'pods') {
    followPod(state, change.before, after, now);
    const { uid } = change.object.metadata;
    if (state.pending.has(uid)) state.causes.set(uid, causeOf(append));
    else state.causes.delete(uid);
  } else if (change.resource === 'nodes') onNode(state, change.before, after, now);
  else onObject(state, plural(change.resource), change.before, after, now);
}

/** What changes no object: answers of extenders, and bindings that were refused. */
function followRecords(state: SchedulerState, { events }: FoldedAppend, now: number): void {
  for (const { type, data } of events) {
    if (type === 'ExtenderAnswered') hearAnswer(state, data.uid as string, data.ask as string);
    else if (type === 'BindingRefused') bindingRefused(state, data.uid as string, now);
  }
}

function hearAnswer({ asking, flights }: SchedulerState, uid: string, ask: string): void {
  if (asking?.ask === ask) asking.isAnswered = true;
  const flight = flights.get(uid);
  if (flight?.waiting?.for === 'extender' && flight.waiting.ask === ask) flight.isToBeLookedAt = true;
}

/** The log has the refusal of a binding: the pod does not count on the node any more, where it has counted since it was assumed. */
function bindingRefused(state: SchedulerState, uid: string, now: number): void {
  const flight = state.flights.get(uid);
  if (flight?.result.kind !== 'bound' || flight.waiting) return;
  handleBindingCycleError(state, flight.queued.info.pod, flight.result.node, now);
  lookAtHeldPodsAgain(state);
}

function followPod(state: SchedulerState, before: KubeObject | undefined, after: KubeObject | undefined, now: number): void {
  const uid = (after ?? before)?.metadata.uid as string;
  if (after && isPending(state, after)) state.pending.set(uid, after);
  else if (state.pending.delete(uid)) leavePending(state, uid, after, now);
  onPod(state, before, after, now);
}

function isPending({ profiles }: SchedulerState, pod: KubeObject): boolean {
  return assignedNode(pod) === '' && !isTerminal(pod) && profiles.get(schedulerNameOf(pod)) !== undefined;
}

/** The pod is bound, gone or terminal: its flight does not bring it back. */
function leavePending(state: SchedulerState, uid: string, after: KubeObject | undefined, now: number): void {
  const flight = state.flights.get(uid);
  if (!flight) return;
  flight.isOver = true;
  // It will not be bound; waiting for that to be refused, or for a wait to end, would only keep room taken.
  if (flight.result.kind === 'bound' && (!after || assignedNode(after) === ''))
    handleBindingCycleError(state, flight.queued.info.pod, flight.result.node, now);
  if (!flight.waiting) return;
  state.queue.done(uid);
  endFlight(state, flight);
}

function plural(resource: string): string {
  const dot = resource.indexOf('.');
  return dot < 0 ? resource : resource.slice(0, dot);
}

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

/** Where changes of API objects go. */
export interface Backend {
  readonly cache: SchedulerCache;
  readonly queue: SchedulingQueue;
  readonly profiles: Profiles;
}

// Changes of API objects, as upstream's informer handlers take them: `old` absent = created, `updated` absent = deleted. Whoever folds
// events calls these in log order, after a binding of its own too.

export function onPod(to: Backend, old: KubeObject | undefined, updated: KubeObject | undefined, now: number): void {
  const before = roleOf(to, old);
  const after = roleOf(to, updated);
  if (before === 'assigned' || after === 'assigned')
    onAssigned(
      to,
      before === 'assigned' ? old : undefined,
      after === 'assigned' ? updated : undefined,
      now,
      before === 'pending' ? old : undefined,
    );
  else if (before === 'pending' && after === 'pending') onPendingUpdate(to, old as KubeObject, updated as KubeObject, now);
  else if (after === 'pending') to.queue.add(updated as KubeObject, now);
  else if (before === 'pending') onPendingDelete(to, old as KubeObject, now);
}

export function onNode(to: Backend, old: KubeObject | undefined, updated: KubeObject | undefined, now: number): void {
  if (updated === undefined) {
    if (old === undefined) return;
    to.queue.movePodsOnEvent(eventNodeDelete, old, undefined, now);
    to.cache.removeNode(old.metadata.name);
    return;
  }
  to.cache.updateNode(updated);
  if (old === undefined) to.queue.movePodsOnEvent(eventNodeAdd, undefined, updated, now);
  else for (const event of nodeUpdateEvents(old, updated)) to.queue.movePodsOnEvent(event, old, updated, now);
}

/** Any other kind, by its resource name (`persistentvolumeclaims`); kinds that scheduling does not read are ignored. */
export function onObject(to: Backend, resource: string, old: KubeObject | undefined, updated: KubeObject | undefined, now: number): void {
  const object = updated ?? old;
  if (object === undefined) return;
  if (updated === undefined) to.cache.deleteObject(resource, object.metadata.namespace ?? '', object.metadata.name);
  else to.cache.setObject(resource, updated);
  const kind = Object.hasOwn(eventResources, resource) ? eventResources[resource] : undefined;
  if (kind === undefined) return;
  const actions = old === undefined ? Action.Add : updated === undefined ? Action.Delete : Action.Update;
  const event: ClusterEvent = { resource: kind, actions, label: kind };
  to.queue.movePodsOnEvent(event, old, updated, now);
}

/** Terminal pods are gone as far as scheduling is concerned; pods of other schedulers count once they are assigned. */
function roleOf(to: Backend, pod: KubeObject | undefined): 'none' | 'pending' | 'assigned' {
  if (pod === undefined || isTerminal(pod)) return 'none';
  if (assignedNode(pod) !== '') return 'assigned';
  return to.profiles.get(schedulerNameOf(pod)) === undefined ? 'none' : 'pending';
}

function onAssigned(
  to: Backend,
  old: KubeObject | undefined,
  updated: KubeObject | undefined,
  now: number,
  pending: KubeObject | undefined,
): void {
  if (updated === undefined) {
    if (old === undefined) return;
    to.cache.removePod(old.metadata.uid);
    to.queue.movePodsOnEvent(eventAssignedPodDelete, old, undefined, now);
    return;
  }
  to.cache.addPod(updated);
  if (pending !== undefined) leaveQueue(to, pending, now);
  if (old === undefined) to.queue.movePodsOnEvent(eventAssignedPodAdd, undefined, updated, now);
  else for (const event of podUpdateEvents(old, updated, 'AssignedPod')) to.queue.movePodsOnEvent(event, old, updated, now);
}

function onPendingUpdate(to: Backend, old: KubeObject, updated: KubeObject, now: number): void {
  if (to.cache.isAssumed(updated.metadata.uid)) return;
  to.queue.update(old, updated, now);
  const nomination = nominatedNode(old);
  if (nomination !== '' && nomination !== nominatedNode(updated)) releaseNomination(to, old, now);
}

function onPendingDelete(to: Backend, old: KubeObject, now: number): void {
  to.cache.forgetPod(old.metadata.uid);
  leaveQueue(to, old, now);
}

/** Gone or bound alike: upstream does not tell them apart, so the nomination counts as released even where the pod was bound there. */
function leaveQueue(to: Backend, old: KubeObject, now: number): void {
  to.queue.delete(old.metadata.uid);
  if (nominatedNode(old) !== '') releaseNomination(to, old, now);
}

/** Others of its priority and below had counted the pod as placed where it was nominated. */
function releaseNomination(to: Backend, old: KubeObject, now: number): void {
  const priority = podPriority(old);
  to.queue.movePodsOnEvent(eventAssignedPodDelete, old, undefined, now, (pod: PodInfo) => pod.priority <= priority);
}
