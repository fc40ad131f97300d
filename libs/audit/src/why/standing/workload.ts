import { conditionOf, isReady, isTerminal, type ClusterState } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import type { Story } from '../story';
import { clockWords, counted, listWords } from '../words';
import { timeOf } from './gone';
import { podStanding } from './pod';

/** `0 of 4 ready: 4 Pending: 0/3 nodes are available: 3 Insufficient cpu (see pod/report-…)`, and what became of its pods before. */
export function workloadStanding(workload: KubeObject, state: ClusterState, story: Story): string[] {
  const lines = [readyWords(workload, state, story)];
  for (const type of ['ReplicaFailure', 'Progressing']) {
    const condition = conditionOf(workload, type);
    const isBad = condition?.status === (type === 'ReplicaFailure' ? 'True' : 'False');
    if (condition && isBad)
      lines.push(
        `${type === 'ReplicaFailure' ? 'its pods cannot be created' : 'does not progress'}: ${condition.message ?? condition.reason}`,
      );
  }
  return [...lines, ...lostWords(story)];
}

/** `3 of 4 ready: 1 Pending: …`: how many of the wanted pods are ready, and why the others are not. */
export function readyWords(workload: KubeObject, state: ClusterState, story: Pick<Story, 'schedulers'>): string {
  const wanted = (workload.spec?.replicas as number | undefined) ?? 1;
  const ready = (workload.status?.readyReplicas as number | undefined) ?? 0;
  const pods = podsOf(workload, state);
  const groups = new Map<string, KubeObject[]>();
  for (const pod of pods) {
    if (isReady(pod)) continue;
    const [standing = ''] = podStanding(pod, state, story);
    groups.set(standing, [...(groups.get(standing) ?? []), pod]);
  }
  const waiting = [...groups]
    .sort((a, b) => b[1].length - a[1].length)
    .map(([text, group]) => `${group.length} ${text} (see pod/${group[0]?.metadata.name})`);
  const missing = wanted - pods.length;
  if (missing > 0) waiting.push(`${missing} not created yet`);
  return `${ready} of ${wanted} ready${waiting.length > 0 ? `: ${waiting.join('; ')}` : ''}`;
}

/** Its living pods, its own or those of the ReplicaSets that it owns. */
function podsOf({ metadata }: KubeObject, state: ClusterState): KubeObject[] {
  const pods: KubeObject[] = [];
  for (const { resource, key } of state.indices.dependentsOf(metadata.uid)) {
    const dependent = state.byKey(resource, key);
    if (!dependent) continue;
    if (resource === 'pods') {
      if (!isTerminal(dependent)) pods.push(dependent);
    } else pods.push(...podsOf(dependent, state));
  }
  return pods;
}

/** Pods that were taken from it. */
function lostWords({ lost }: Story): string[] {
  const [first] = lost;
  const last = lost[lost.length - 1];
  if (!first || !last) return [];
  const by = [...new Set(lost.map(({ data }) => data.preemptor as string))];
  const [from, to] = [clockWords(timeOf(first)), clockWords(timeOf(last))];
  return [`${counted(lost.length, 'pod')} of it preempted, ${from === to ? `at ${from}` : `${from} to ${to}`}, by ${listWords(by, 3)}`];
}
