import type { Json, JsonObject } from '#libs/kernel';
import { isObject } from '#libs/kernel';
import type { Extender } from '../config/types';
import type { PreemptionCandidate, PreemptionExtenders } from '../framework/interface';
import type { PodInfo } from '../framework/pod-info';
import type { Status } from '../framework/status';
import type { ExtenderDialogue } from './extender';
import { isInterested } from './extender';

/** Lets extenders take part in preemption: they may drop candidates and change their victims. */
export class ExtendersInPreemption implements PreemptionExtenders {
  constructor(private readonly dialogue: ExtenderDialogue) {}

  process(pod: PodInfo, candidates: readonly PreemptionCandidate[]): readonly PreemptionCandidate[] | Status {
    let left = candidates;
    for (const [place, extender] of this.dialogue.extenders.entries()) {
      if (left.length === 0) break;
      if (extender.preemptVerb === '' || !isInterested(extender, pod)) continue;
      const answer = this.dialogue.ask(place, 'preempt', preemptionArgs(extender, pod, left));
      const changed = typeof answer === 'string' ? answer : candidatesIn(answer, left, extender.ignorable);
      if (typeof changed !== 'string') left = changed;
      else if (!extender.ignorable) return { code: 'Error', reasons: [changed] };
    }
    return left;
  }
}

function preemptionArgs(extender: Extender, pod: PodInfo, candidates: readonly PreemptionCandidate[]): JsonObject {
  const victims = candidates.map(({ node, victims: pods, pdbViolationCount }): [string, Json] => {
    const Pods = pods.map((victim): Json => (extender.nodeCacheCapable ? { UID: victim.uid } : (victim.pod as unknown as Json)));
    return [node, { Pods, NumPDBViolations: pdbViolationCount }];
  });
  const byNode = Object.fromEntries(victims);
  const Pod = pod.pod as unknown as Json;
  return extender.nodeCacheCapable
    ? { Pod, NodeNameToVictims: null, NodeNameToMetaVictims: byNode }
    : { Pod, NodeNameToVictims: byNode, NodeNameToMetaVictims: null };
}

/** A text is an error. */
function candidatesIn(
  answer: JsonObject | Json[],
  asked: readonly PreemptionCandidate[],
  isIgnorable: boolean,
): PreemptionCandidate[] | string {
  const byNode = isObject(answer) && isObject(answer.NodeNameToMetaVictims) ? answer.NodeNameToMetaVictims : {};
  const candidates: PreemptionCandidate[] = [];
  for (const candidate of asked) {
    const victims = Object.hasOwn(byNode, candidate.node) ? byNode[candidate.node] : undefined;
    if (!isObject(victims)) continue;
    const uids = new Set((Array.isArray(victims.Pods) ? victims.Pods : []).map((entry) => (isObject(entry) ? String(entry.UID) : '')));
    const pods = candidate.victims.filter((victim) => uids.has(victim.uid));
    if (pods.length === 0) {
      if (isIgnorable) continue;
      return `expected at least one victim pod on node "${candidate.node}"`;
    }
    const pdbViolationCount = typeof victims.NumPDBViolations === 'number' ? victims.NumPDBViolations : 0;
    candidates.push({ node: candidate.node, victims: pods, pdbViolationCount });
  }
  return candidates;
}
