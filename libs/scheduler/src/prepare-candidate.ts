import type { ClusterState } from '#libs/cluster-state';
import type { Step } from '#libs/control-loop';
import { fact, type Fact, type VictimReference } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import type { PodInfo, PreemptionOutcome } from '#libs/scheduling';
import type { SchedulerState } from './scheduler-state';

type ChosenPreemption = PreemptionOutcome & { chosen: NonNullable<PreemptionOutcome['chosen']> };

/**
 * The chosen candidate of a preemption as records and writes (upstream preemption.go: prepareCandidate): pods of lower priority lose their
 * nomination to the node, victims are marked and deleted.
 * @param act names the preemption in the victims' events
 */
export function prepareCandidate(
  state: SchedulerState,
  cluster: ClusterState,
  pod: KubeObject,
  preemption: ChosenPreemption,
  act: string,
): { records: Fact[]; steps: Step[] } {
  const { chosen } = preemption;
  const losers = inOrder(preemption.nominationsToClear);
  const records = [preemptionDecided(pod, preemption, losers, act)];
  const steps = losers.map((loser) => recordStep(loser.pod, `loser/${loser.uid}`, [fact('PodNominationCleared', {})]));
  for (const victim of chosen.victims) {
    // One that a Permit plugin holds back has no node to be removed from: it is turned away.
    if (state.held.has(victim.uid)) continue;
    steps.push(disrupt(pod, chosen.node, victim, act));
    // A victim that is going already shows no change, but upstream names it again.
    if (victim.pod.metadata.deletionTimestamp) records.push(namedAgain(pod, chosen.node, victim, cluster));
  }
  return { records, steps };
}

/** By name: the order in which nominations came about is nothing that a replay could know. */
function inOrder(pods: readonly PodInfo[]): PodInfo[] {
  const key = ({ pod: { metadata } }: PodInfo): string => `${metadata.namespace}/${metadata.name}`;
  return [...pods].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function preemptionDecided(pod: KubeObject, outcome: ChosenPreemption, losers: readonly PodInfo[], act: string): Fact {
  const { namespace = '', name, uid } = pod.metadata;
  const { chosen } = outcome;
  return fact('PreemptionDecided', {
    act,
    namespace,
    pod: name,
    uid,
    priority: (pod.spec?.priority as number | undefined) ?? 0,
    node: chosen.node,
    victims: chosen.victims.map(victimReference),
    losers: losers.map(({ pod: loser }) => `${loser.metadata.namespace}/${loser.metadata.name}`),
    budgetViolations: chosen.pdbViolationCount,
    decidedBy: outcome.decidedBy ?? 'single',
  });
}

function victimReference({ pod, uid, priority }: PodInfo): VictimReference {
  return { namespace: pod.metadata.namespace ?? '', name: pod.metadata.name, uid, priority };
}

function disrupt(preemptor: KubeObject, node: string, victim: PodInfo, act: string): Step {
  // A victim may be on another node than the one that is won, where that is enabled.
  const home = (victim.pod.spec?.nodeName as string | undefined) ?? node;
  return { step: `victim/${victim.uid}`, request: victimRequest(preemptor, home, victim.pod.metadata, act) };
}

/** The write that a victim gets: the reason, then the deletion with its own grace. */
export function victimRequest(
  preemptor: { metadata: { namespace?: string; name: string; uid: string }; spec?: { schedulerName?: string } },
  node: string,
  victim: { namespace?: string; name: string; uid: string },
  act: string,
): Step['request'] {
  const { namespace = '', name, uid } = preemptor.metadata;
  return {
    verb: 'disrupt',
    target: { resource: 'pods', namespace: victim.namespace, name: victim.name },
    uid: victim.uid,
    mark: fact('PodPreempted', {
      node,
      preemptor: `${namespace}/${name}`,
      preemptorUid: uid,
      act,
      schedulerName: preemptor.spec?.schedulerName ?? 'default-scheduler',
    }),
  };
}

function namedAgain(preemptor: KubeObject, node: string, victim: PodInfo, cluster: ClusterState): Fact {
  const {
    namespace = '',
    name,
    uid,
  } = cluster.byKey('pods', `${victim.pod.metadata.namespace}/${victim.pod.metadata.name}`)?.metadata ?? victim.pod.metadata;
  return fact('Reported', {
    resource: 'pods',
    namespace,
    name,
    uid,
    type: 'Normal',
    reason: 'Preempted',
    message: `Preempted by pod ${preemptor.metadata.uid} on node ${node}`,
    component: preemptor.spec?.schedulerName ?? 'default-scheduler',
  });
}

/** Facts of a pod that only its own stream can tell. */
export function recordStep(pod: KubeObject, step: string, facts: Fact[]): Step {
  return { step, request: { verb: 'record', target: targetOf(pod), uid: pod.metadata.uid, facts } };
}

function targetOf(pod: KubeObject): { resource: string; namespace?: string; name: string } {
  return { resource: 'pods', namespace: pod.metadata.namespace, name: pod.metadata.name };
}
