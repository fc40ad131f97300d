import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import { causeOf } from '#libs/control-loop';
import type { KubeObject } from '#libs/kernel';
import { podInfoOf } from '#libs/scheduling';
import type { AskingAttempt, SchedulerState } from './scheduler-state';
import { takeBack } from './settling';

/** Everything there is, as the informers of a scheduler that starts would bring it. */
export function loadCluster(state: SchedulerState, cluster: ClusterState, now: number): void {
  for (const table of cluster.resources()) {
    if (table.resource === 'pods') continue;
    for (const object of table.list()) {
      if (table.resource === 'nodes') state.handlers.onNode(undefined, object, now);
      else state.handlers.onObject(plural(table.resource), undefined, object, now);
    }
  }
  // Waiting pods come in the order of their last change, so that equal ones are tried in the order they came.
  const pods = [...cluster.list('pods')].sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
  for (const pod of pods) followPod(state, undefined, pod, now);
}

/** One change of the cluster, taken as upstream's event handlers take it. */
export function followAppend(state: SchedulerState, append: FoldedAppend, now: number): void {
  const { change } = append;
  if (state.bindings.size > 0) state.bindingsChanged = true;
  if (!change) {
    if (state.asking) hearAnswer(state.asking, append);
    for (const { type, data } of append.events) if (type === 'BindingRefused') bindingRefused(state, data.uid as string, now);
    return;
  }
  const after = change.type === 'DELETED' ? undefined : change.object;
  if (change.resource === 'pods') {
    followPod(state, change.before, after, now);
    const { uid } = change.object.metadata;
    if (state.pending.has(uid)) state.causes.set(uid, causeOf(append));
    else state.causes.delete(uid);
  } else if (change.resource === 'nodes') state.handlers.onNode(change.before, after, now);
  else state.handlers.onObject(plural(change.resource), change.before, after, now);
}

function hearAnswer(asking: AskingAttempt, { events }: FoldedAppend): void {
  for (const { type, data } of events) if (type === 'ExtenderAnswered' && data.ask === asking.ask) asking.isAnswered = true;
}

/** A pod of ours that counted on its node before the log had it there. */
function bindingRefused(state: SchedulerState, uid: string, now: number): void {
  const flight = state.flights.get(uid);
  if (flight?.result.kind === 'bound' && !flight.waiting) takeBack(state, flight.queued.info.pod, flight.result.node, now);
}

function plural(resource: string): string {
  const dot = resource.indexOf('.');
  return dot < 0 ? resource : resource.slice(0, dot);
}

function followPod(state: SchedulerState, before: KubeObject | undefined, after: KubeObject | undefined, now: number): void {
  const uid = (after ?? before)?.metadata.uid as string;
  if (after && isPending(state, after)) state.pending.set(uid, after);
  else if (state.pending.delete(uid)) {
    const flight = state.flights.get(uid);
    if (flight) flight.isOver = true;
    // It will not be bound; waiting for that to be refused would only keep room taken.
    if (!after) bindingRefused(state, uid, now);
  }
  state.handlers.onPod(before, after, now);
}

function isPending(state: SchedulerState, pod: KubeObject): boolean {
  const phase = pod.status?.phase;
  if (pod.spec?.nodeName || phase === 'Succeeded' || phase === 'Failed') return false;
  return state.profiles.bySchedulerName.has(podInfoOf(pod).spec.schedulerName || 'default-scheduler');
}
