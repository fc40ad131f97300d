import type { PreemptionCandidate, UnschedulableResult } from '#libs/scheduling';
import type { Check, ExpectedCandidate, ExpectedPreemption } from './scenario';

/** Sequences record a part only: no statuses, no potential nodes. */
export function comparePreemption(expected: ExpectedPreemption, result: UnschedulableResult, check: Check, extent: 'whole' | 'part'): void {
  const { postFilter } = result;
  const outcome = postFilter?.preemption;
  const compare = (field: string, wanted: unknown, actual: unknown): void => check('preemption', `preemption.${field}`, wanted, actual);
  // Where a plugin before it failed, preemption was not asked; then nothing stands against it.
  compare('eligible', expected.eligible, outcome?.isEligible ?? true);
  compare('candidates', sortedCandidates(expected.candidates), candidatesOf(outcome?.candidates));
  compare('chosen', expected.chosen, outcome?.chosen && [...outcome.best].sort());
  compare('decidedBy', expected.decidedBy, outcome?.decidedBy);
  if (outcome?.chosen !== undefined) compare('victims', expected.victims, victimsOfFirst(outcome.best, outcome.candidates));
  if (extent === 'part') return;
  compare('status', expected.status, postFilter?.code);
  compare('message', expected.message ?? '', postFilter?.message);
  compare('potentialNodes', expected.potentialNodes ?? [], [...(outcome?.potentialNodes ?? [])].sort());
  const nomination = outcome?.chosen === undefined ? postFilter?.nominatedNodeName : [...outcome.best].sort()[0];
  compare('nominatedNodeName', expected.nominatedNodeName, nomination);
  const rejections = [...(outcome?.rejections ?? [])].map(([node, { plugin, code, reasons }]) => [node, { plugin, code, reasons }]);
  compare('dryRunRejections', expected.dryRunRejections ?? {}, Object.fromEntries(rejections));
}

function sortedCandidates(candidates: readonly ExpectedCandidate[] | undefined): readonly ExpectedCandidate[] | undefined {
  return candidates && [...candidates].sort((a, b) => (a.node < b.node ? -1 : 1));
}

function candidatesOf(candidates: readonly PreemptionCandidate[] | undefined): readonly ExpectedCandidate[] | undefined {
  if (candidates === undefined || candidates.length === 0) return undefined;
  return sortedCandidates(
    candidates.map(({ node, victims, pdbViolationCount }) => ({
      node,
      victims: victims.map((pod) => pod.key),
      numPDBViolations: pdbViolationCount,
    })),
  );
}

function victimsOfFirst(best: readonly string[], candidates: readonly PreemptionCandidate[]): string[] | undefined {
  const first = [...best].sort()[0];
  return candidates.find((candidate) => candidate.node === first)?.victims.map((pod) => pod.key);
}
