import { conditionOf, isTerminal, withCondition, type Condition } from '#libs/cluster-state';
import type { Reconciliation } from '#libs/control-loop';
import { formatTime, parseTime, type KubeObject } from '#libs/kernel';
import { disruptionTimeoutMs } from '../budget/budget';

/** Whether the pod is marked for a disruption that may never come. What the kubelet marked is never stale, nor what has ended. */
export function isMarkedForDisruption(pod: KubeObject): boolean {
  if (pod.metadata.deletionTimestamp || isTerminal(pod)) return false;
  const condition = conditionOf(pod, 'DisruptionTarget');
  return condition?.status === 'True' && condition.reason !== 'TerminationByKubelet';
}

/** A pod that was to be disrupted and still lives after two minutes is no target any more. */
export function syncStaleTarget(pod: KubeObject, now: number): Reconciliation | undefined {
  if (!isMarkedForDisruption(pod)) return undefined;
  const since = parseTime(conditionOf(pod, 'DisruptionTarget')?.lastTransitionTime) ?? now;
  const lapses = since + disruptionTimeoutMs;
  if (now < lapses) return { steps: [], wakeAt: lapses };
  const { namespace, name, uid, resourceVersion, generation } = pod.metadata;
  const reset = { type: 'DisruptionTarget', status: 'False', observedGeneration: generation };
  const conditions = withCondition(pod.status?.conditions as Condition[], reset, formatTime(now));
  const after = { ...pod, status: { ...pod.status, conditions } };
  const target = { resource: 'pods', namespace, name };
  return { steps: [{ step: 'status', request: { verb: 'record', target, uid, ifVersion: resourceVersion, facts: [], after } }] };
}
