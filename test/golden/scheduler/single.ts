import { schedulePod } from '#libs/scheduling';
import type { AttemptResult, NodeScores, Status, UnschedulableResult } from '#libs/scheduling';
import { loadCluster, startOfClock } from './cluster';
import { comparePreemption } from './preemption';
import type { Check, FilterVerdict, Scenario, SingleExpectation } from './scenario';

/** One pending pod, every node examined. */
export function playSingle(scenario: Scenario, check: Check): void {
  const { profile, cache, queue } = loadCluster(scenario);
  const snapshot = cache.snapshot();
  if (scenario.pod === undefined) throw new Error(`${scenario.name}: no pod`);
  const result = schedulePod(snapshot, scenario.pod, {
    profile,
    nominated: queue.nominator,
    chance: () => 0,
    now: startOfClock,
    evaluateAll: true,
  });
  const expected = scenario.expect as SingleExpectation;
  if (result.kind === 'error') {
    check('filter', 'kind', expected.message ?? 'a decision', `error: ${result.message}`);
    return;
  }
  compareFiltering(
    expected,
    result,
    snapshot.nodes.map((node) => node.name),
    check,
  );
  compareChoice(expected, result, check);
  if (result.kind === 'unschedulable') compareFailure(expected, result, check);
  else check('message', 'message', expected.message, undefined);
}

type Decided = Exclude<AttemptResult, { kind: 'error' }>;

function compareFiltering(expected: SingleExpectation, result: Decided, nodes: readonly string[], check: Check): void {
  const { diagnosis } = result;
  const refusal = diagnosis.preFilterStatus;
  check('preFilter', 'preFilter.code', expected.preFilter.code, refusal?.code ?? 'Success');
  check('preFilter', 'preFilter.plugin', expected.preFilter.plugin, refusal?.plugin);
  check('preFilter', 'preFilter.reasons', expected.preFilter.reasons, refusal?.reasons);
  check('preFilter', 'preFilter.nodeNames', sorted(expected.preFilter.nodeNames), diagnosis.nodeNames && sorted([...diagnosis.nodeNames]));
  check('filter', 'feasible', expected.feasible, sorted(result.feasible));
  if (refusal !== undefined) return;
  for (const node of nodes) {
    const isFeasible = result.feasible.includes(node);
    const verdict = isFeasible ? undefined : verdictOf(diagnosis.nodeStatuses.get(node), diagnosis.absentStatus);
    const wanted = expected.filter?.[node];
    check('filter', `filter.${node}`, wanted && { ...wanted, reasons: undefined }, verdict && { ...verdict, reasons: undefined });
    check('reasons', `filter.${node}.reasons`, wanted?.reasons, verdict?.reasons);
  }
}

function verdictOf(status: Status | undefined, absent: Status): FilterVerdict {
  if (status === undefined) return { code: absent.code, reasons: [...absent.reasons], skipped: true };
  return { plugin: status.plugin, code: status.code, reasons: [...status.reasons] };
}

function compareChoice(expected: SingleExpectation, result: Decided, check: Check): void {
  const scores = result.kind === 'bound' ? result.scores : undefined;
  check('scores', 'scores', expected.scores, scores && scoresByNode(scores));
  check('scores', 'totals', expected.totals, scores && totalsByNode(scores));
  check('best', 'best', expected.best, result.kind === 'bound' ? sorted(result.best) : []);
  check('best', 'nominatedNodeUsed', expected.nominatedNodeUsed ?? false, result.kind === 'bound' && result.nominatedNodeUsed);
}

function scoresByNode({ nodes, byPlugin }: NodeScores): Record<string, Record<string, number>> {
  return Object.fromEntries(
    [...byPlugin].map(([plugin, scores]) => [plugin, Object.fromEntries(nodes.map((node, i) => [node, scores[i] as number]))]),
  );
}

export function totalsByNode({ nodes, totals }: NodeScores): Record<string, number> {
  return Object.fromEntries(nodes.map((node, i) => [node, totals[i] as number]));
}

function compareFailure(expected: SingleExpectation, result: UnschedulableResult, check: Check): void {
  check('message', 'message', expected.message, result.message);
  if (expected.preemption === undefined) check('preemption', 'preemption', undefined, result.postFilter);
  else comparePreemption(expected.preemption, result, check, 'whole');
}

function sorted<T extends readonly string[] | undefined>(names: T): T {
  return names && ([...names].sort() as unknown as T);
}
