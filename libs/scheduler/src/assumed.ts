import type { ClusterState } from '#libs/cluster-state';
import type { AssumedDecision } from '#libs/control-loop';
import type { PreemptionDecided } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { podInfoOf } from '#libs/scheduling';
import { goesAtOnce } from './handle-scheduling-failure';
import type { SchedulerState } from './scheduler-state';

/**
 * Runs a decision made again as if the scheduler's own earlier decisions, whose events had not come back yet, counted: pods
 * bound, nominations set and cleared. Everything is put back afterwards.
 */
export function withAssumed<T>(state: SchedulerState, cluster: ClusterState, assumed: readonly AssumedDecision[], run: () => T): T {
  const undo: (() => void)[] = [];
  for (const decision of assumed) for (const event of decision.events) assumeEvent(state, cluster, event, undo);
  try {
    return run();
  } finally {
    for (const step of undo.reverse()) step();
  }
}

function assumeEvent(state: SchedulerState, cluster: ClusterState, event: AssumedDecision['events'][number], undo: (() => void)[]): void {
  if (event.type === 'PreemptionDecided') {
    // The record counts, not the nominations that follow it: those fail where a pod was deleted in the meantime.
    const { namespace, pod: name, node, losers, victims } = event.data as unknown as PreemptionDecided;
    for (const victim of victims) assumeGone(state, cluster.byKey('pods', `${victim.namespace}/${victim.name}`), victim.uid, undo);
    for (const loser of losers) nominate(state, cluster.byKey('pods', loser), '', undo);
    nominate(state, cluster.byKey('pods', `${namespace}/${name}`), node, undo);
    return;
  }
  if (event.type === 'ExtenderAsked' || event.type === 'PodHeldAtPermit') {
    const pod = decidedPod(cluster, event);
    if (!pod || event.data.node === undefined) return;
    assumePod(state, pod, event.data.node as string, undo);
    if (event.type === 'PodHeldAtPermit') hold(state, pod.metadata.uid, undo);
    return;
  }
  if (event.type === 'SchedulingAttempted') {
    const pod = decidedPod(cluster, event);
    if (event.data.nominationCleared) nominate(state, pod, '', undo);
    // The wait before the binding ended badly.
    if (pod && state.cache.isAssumed(pod.metadata.uid)) unassume(state, pod, undo);
    return;
  }
  if (event.type === 'BindingRefused') {
    const pod = decidedPod(cluster, event);
    if (pod && event.position > cluster.position) assumePod(state, pod, event.data.node as string, undo);
    return;
  }
  const dash = event.stream.indexOf('-');
  const pod = cluster.byKey('pods', event.stream.slice(dash + 1));
  if (!pod || pod.spec?.nodeName) return;
  const { uid } = pod.metadata;
  if (event.type === 'PodScheduled') {
    assumePod(state, pod, event.data.node as string, undo);
    if (state.held.delete(uid)) undo.push(() => state.held.add(uid));
  } else if (event.type === 'PodNominated' || event.type === 'PodNominationCleared') {
    nominate(state, pod, event.type === 'PodNominated' ? (event.data.node as string) : '', undo);
  }
}

function assumeGone({ cache }: SchedulerState, pod: KubeObject | undefined, uid: string, undo: (() => void)[]): void {
  if (!pod?.spec?.nodeName || pod.metadata.uid !== uid || !goesAtOnce(pod)) return;
  cache.assumeGone(uid);
  undo.push(() => cache.comeBack(uid));
}

/** '' takes the nomination away. */
function nominate({ queue: { nominator } }: SchedulerState, pod: KubeObject | undefined, node: string, undo: (() => void)[]): void {
  if (!pod || pod.spec?.nodeName) return;
  const before = nominator.nominationOf(pod.metadata.uid) ?? '';
  nominator.add(podInfoOf(pod), node);
  undo.push(() => nominator.add(podInfoOf(pod), before));
}

type AssumedEvent = AssumedDecision['events'][number];

/** The pod that a record of the scheduler's stream is about, unless it is bound or another one by now. */
function decidedPod(cluster: ClusterState, { data }: AssumedEvent): KubeObject | undefined {
  const pod = cluster.byKey('pods', `${data.namespace as string}/${data.pod as string}`);
  return pod && pod.metadata.uid === data.uid && !pod.spec?.nodeName ? pod : undefined;
}

function assumePod({ cache, queue: { nominator } }: SchedulerState, pod: KubeObject, node: string, undo: (() => void)[]): void {
  const { uid } = pod.metadata;
  if (cache.isAssumed(uid)) return;
  const before = nominator.nominationOf(uid) ?? '';
  cache.assumePod(pod, node);
  nominator.delete(uid);
  undo.push(() => {
    cache.forgetPod(uid);
    nominator.add(podInfoOf(pod), before);
  });
}

function unassume({ cache, held }: SchedulerState, pod: KubeObject, undo: (() => void)[]): void {
  const { uid } = pod.metadata;
  const { nodeName } = cache.podOn(uid) as { nodeName: string };
  cache.forgetPod(uid);
  const wasHeld = held.delete(uid);
  undo.push(() => {
    cache.assumePod(pod, nodeName);
    if (wasHeld) held.add(uid);
  });
}

function hold({ held }: SchedulerState, uid: string, undo: (() => void)[]): void {
  held.add(uid);
  undo.push(() => held.delete(uid));
}
