import type { PreemptionCandidate, PreemptionCriterion } from '../framework/interface';
import type { PodInfo } from '../framework/pod-info';

/** Makes the sum of victims' priorities grow with every victim, whatever their sign. */
const priorityOffset = 2 ** 31;

type Criterion = readonly [PreemptionCriterion, (candidate: PreemptionCandidate, now: number) => number];

/** In this order, each keeping the candidates for which it is greatest. */
const criteria: readonly Criterion[] = [
  ['numPDBViolations', (candidate) => -candidate.pdbViolationCount],
  ['highestPriority', (candidate) => -(candidate.victims[0]?.priority ?? 0)],
  ['sumPriorities', (candidate) => -candidate.victims.reduce((sum, pod) => sum + pod.priority + priorityOffset, 0)],
  ['victimCount', (candidate) => -candidate.victims.length],
  ['latestStartTime', (candidate, now) => earliestStart(candidate.victims, now)],
];

/** The earliest start among the victims of the highest priority. */
function earliestStart(victims: readonly PodInfo[], now: number): number {
  let highest = -Infinity;
  let earliest = Infinity;
  for (const victim of victims) {
    const start = victim.startTime ?? now;
    if (victim.priority > highest) {
      highest = victim.priority;
      earliest = start;
    } else if (victim.priority === highest && start < earliest) {
      earliest = start;
    }
  }
  return earliest;
}

export interface Pick {
  readonly best: readonly PreemptionCandidate[];
  readonly decidedBy: PreemptionCriterion;
}

/** The candidates that are best by all criteria, and the one that left no other. */
export function pickNodes(candidates: readonly PreemptionCandidate[], now: number): Pick {
  if (candidates.length === 1) return { best: candidates, decidedBy: 'single' };
  let best = candidates;
  for (const [criterion, score] of criteria) {
    let max = -Infinity;
    let kept: PreemptionCandidate[] = [];
    for (const candidate of best) {
      const value = score(candidate, now);
      if (value > max) {
        max = value;
        kept = [];
      }
      if (value === max) kept.push(candidate);
    }
    best = kept;
    if (best.length === 1) return { best, decidedBy: criterion };
  }
  return { best, decidedBy: 'tie' };
}
