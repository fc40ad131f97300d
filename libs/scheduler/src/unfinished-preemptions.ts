import type { ClusterState, PreemptionAct } from '#libs/cluster-state';
import type { Step } from '#libs/control-loop';
import { fact, type PreemptionDecided } from '#libs/events';
import type { Decided } from './outcome';
import { victimRequest } from './prepare-candidate';
import type { SchedulerState, UnfinishedPreemption } from './scheduler-state';

const prefix = 'act:';

/** Preemptions that were decided and, as far as this state shows, not carried out to the end. */
export function unfinishedPreemptions(cluster: ClusterState): UnfinishedPreemption[] {
  const found: UnfinishedPreemption[] = [];
  for (const [uid, act] of cluster.decisions.acts) if (stepsLeft(cluster, act).length > 0) found.push({ uid, act });
  return found;
}

/** @param uid the preemptor's */
export function preemptionSubject(uid: string): string {
  return `${prefix}${uid}`;
}

export function isUnfinishedPreemption(subject: string): boolean {
  return subject.startsWith(prefix);
}

/** The rest of an act: what its first event says, less what the state shows to be done. */
export function finishPreemption(cluster: ClusterState, uid: string): Decided | undefined {
  const act = cluster.decisions.acts.get(uid);
  const steps = act ? stepsLeft(cluster, act) : [];
  if (!act || steps.length === 0) return undefined;
  return {
    subject: preemptionSubject(uid),
    steps,
    result: { kind: 'written' },
    cause: { correlationId: act.event.metadata.$correlationId as string, causationId: act.event.id },
  };
}

export function preemptorOf(subject: string): string {
  return subject.slice(prefix.length);
}

function stepsLeft(cluster: ClusterState, { event }: PreemptionAct): Step[] {
  const { namespace, pod: name, uid, node, victims, act } = event.data as unknown as PreemptionDecided;
  const preemptor = cluster.get('pods', namespace, name);
  if (!preemptor || preemptor.metadata.uid !== uid || preemptor.spec?.nodeName) return [];
  const steps: Step[] = [];
  for (const victim of victims) {
    const present = cluster.get('pods', victim.namespace, victim.name);
    if (!present || present.metadata.uid !== victim.uid || present.metadata.deletionTimestamp) continue;
    // Held back by a Permit plugin when it was chosen, and by nothing since: it takes no room.
    if (!present.spec?.nodeName) continue;
    steps.push({ step: `victim/${victim.uid}`, request: victimRequest(preemptor, present.spec.nodeName as string, victim, act) });
  }
  if (steps.length > 0 && preemptor.status?.nominatedNodeName !== node) {
    const facts = [fact('PodNominated', { node })];
    steps.unshift({ step: 'status', request: { verb: 'record', target: { resource: 'pods', namespace, name }, uid, facts } });
  }
  return steps;
}

/** Nothing holds the preemptor back any more: it is attempted again. */
export function preemptionFinished({ queue }: SchedulerState, uid: string, now: number): void {
  queue.setPreempting(uid, false);
  queue.activate(uid, now);
}
