import type { ClusterState } from '#libs/cluster-state';
import type { AssumedDecision } from '#libs/control-loop';
import { podInfoOf } from '#libs/scheduling';
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
  const dash = event.stream.indexOf('-');
  const pod = cluster.byKey('pods', event.stream.slice(dash + 1));
  if (!pod || pod.spec?.nodeName) return;
  const { uid } = pod.metadata;
  const { nominator } = state.queue;
  const before = nominator.nominationOf(uid) ?? '';
  if (event.type === 'PodScheduled') {
    state.cache.assumePod(pod, event.data.node as string);
    nominator.delete(uid);
    undo.push(() => {
      state.cache.forgetPod(uid);
      nominator.add(podInfoOf(pod), before);
    });
  } else if (event.type === 'PodNominated' || event.type === 'PodNominationCleared') {
    nominator.add(podInfoOf(pod), event.type === 'PodNominated' ? (event.data.node as string) : '');
    undo.push(() => nominator.add(podInfoOf(pod), before));
  }
}
