import type { ExplainedAttempt, ExplainedCandidate, NodeVerdict } from './explained-attempt';
import type { ObjectReference } from './story';
import type { WhyReport } from './why';

/** One plugin's score for the node that was asked about, beside that of the node that was taken. */
export interface ScoreComparison {
  plugin: string;
  node: number;
  winner: number;
}

/** What became of the node in the search for pods to remove. */
export type PreemptionThere =
  /** Preemption was not tried at all, or removing pods of this node would not have helped. */
  | { result: 'not-eligible' | 'not-helpful' | 'not-reached' }
  /** Tried there, and no removal would have made room. */
  | { result: 'no-candidate'; reasons: readonly string[] }
  /** Room could have been made; `lostBy`: the first criterion by which the chosen node is better. */
  | { result: 'candidate'; candidate: ExplainedCandidate; lostTo: ExplainedCandidate; lostBy: string }
  | { result: 'chosen'; candidate: ExplainedCandidate; decidedBy: string | undefined };

/** Why one attempt did not lead to the node. */
export interface WhyNotAttempt {
  decision: string;
  position: number;
  /** Cluster time, ms since the epoch. */
  time: number;
  outcome: ExplainedAttempt['outcome'];
  /** Where the pod was bound or nominated. */
  tookInstead?: string;
  /**
   * `absent`: no such node then. `taken`: it is the node. `refused`: by a filter. `passed-over`: it fits, and the pod's nominated
   * node was taken unseen. `outscored`, `tied`: it fits, and scores less or the same. `unseen`: it scores more; the attempt looked at
   * a part of the nodes. `error`: the attempt came to no verdict.
   */
  verdict: 'absent' | 'taken' | 'refused' | 'passed-over' | 'outscored' | 'tied' | 'unseen' | 'error';
  plugin?: string;
  reasons?: readonly string[];
  /** The reasons with what was wanted and what was there; absent in clusters of many nodes. */
  details?: readonly string[];
  /** Whether removing pods could change the refusal. */
  curable?: boolean;
  total?: number;
  winnerTotal?: number;
  /** Plugins whose scores differ, the largest difference first. */
  scores?: ScoreComparison[];
  preemption?: PreemptionThere;
  message?: string;
  oddities: string[];
}

export interface WhyNotReport {
  object: ObjectReference;
  node: string;
  /** Of the pod, in the order of time. */
  attempts: WhyNotAttempt[];
}

/** "Why not there": every attempt of the pod in the report, seen from one node. Undefined when no attempt knew the node. */
export function whyNot(report: WhyReport, node: string): WhyNotReport | undefined {
  const { namespace, name } = report.object;
  const own = report.moments.flatMap(({ attempt }) => (attempt?.pod === `${namespace}/${name}` ? [attempt] : []));
  if (!own.some((attempt) => attempt.nodes.some((verdict) => verdict.node === node))) return undefined;
  return { object: report.object, node, attempts: own.map((attempt) => seenFrom(attempt, node)) };
}

function seenFrom(attempt: ExplainedAttempt, node: string): WhyNotAttempt {
  const { decision, position, time, outcome, message, oddities, preemption } = attempt;
  const tookInstead = attempt.node === node ? undefined : attempt.node;
  const common = {
    decision,
    position,
    time,
    outcome,
    ...(tookInstead === undefined ? {} : { tookInstead }),
    ...(message === undefined ? {} : { message }),
    oddities,
  };
  if (outcome === 'error') return { ...common, verdict: 'error' };
  const own = attempt.nodes.find((verdict) => verdict.node === node);
  if (!own) return { ...common, verdict: 'absent' };
  if (outcome === 'bound' && attempt.node === node) return { ...common, verdict: 'taken' };
  if (own.verdict === 'fits') return { ...common, ...outscored(attempt, own) };
  const curable = own.code === 'Unschedulable';
  const { plugin, reasons, details } = own;
  const refusal = { verdict: 'refused', plugin, reasons, ...(details ? { details } : {}), curable } as const;
  if (outcome === 'bound') return { ...common, ...refusal };
  return { ...common, ...refusal, preemption: preemption ? preemptionThere(preemption, node, curable) : undefined };
}

function outscored(attempt: ExplainedAttempt, own: NodeVerdict): Pick<WhyNotAttempt, 'verdict' | 'total' | 'winnerTotal' | 'scores'> {
  const winner = attempt.nodes.find((verdict) => verdict.node === attempt.node);
  if (own.total === undefined || winner?.total === undefined) return { verdict: 'passed-over' };
  const { total, scores = {} } = own;
  const plugins = new Set([...Object.keys(scores), ...Object.keys(winner.scores ?? {})]);
  const compared = [...plugins].map((plugin) => ({ plugin, node: scores[plugin] ?? 0, winner: winner.scores?.[plugin] ?? 0 }));
  const differing = compared
    .filter((score) => score.node !== score.winner)
    .sort((a, b) => Math.abs(b.winner - b.node) - Math.abs(a.winner - a.node));
  const verdict = total === winner.total ? 'tied' : total > winner.total ? 'unseen' : 'outscored';
  return { verdict, total, winnerTotal: winner.total, scores: differing };
}

function preemptionThere(preemption: NonNullable<ExplainedAttempt['preemption']>, node: string, curable: boolean): PreemptionThere {
  const { eligible, candidates, rejected, best, decidedBy } = preemption;
  if (!eligible) return { result: 'not-eligible' };
  const candidate = candidates.find((each) => each.node === node);
  if (candidate) {
    const chosen = candidates.find((each) => each.chosen);
    if (candidate.chosen || !chosen) return { result: 'chosen', candidate, decidedBy };
    return { result: 'candidate', candidate, lostTo: chosen, lostBy: best.includes(node) ? 'tie' : criterionBetween(candidate, chosen) };
  }
  const reasons = rejected.find((each) => each.node === node)?.reasons;
  if (reasons) return { result: 'no-candidate', reasons };
  return { result: curable ? 'not-reached' : 'not-helpful' };
}

/** Makes the sum of priorities grow with every victim, as upstream does. */
const priorityOffset = 2 ** 31;

/** The criteria in upstream's order, less being better; the last one is what is left. */
const criteria: readonly (readonly [string, (candidate: ExplainedCandidate) => number])[] = [
  ['numPDBViolations', ({ budgetViolations }) => budgetViolations],
  ['highestPriority', ({ victims }) => victims[0]?.priority ?? 0],
  ['sumPriorities', ({ victims }) => victims.reduce((sum, { priority }) => sum + priority + priorityOffset, 0)],
  ['victimCount', ({ victims }) => victims.length],
];

function criterionBetween(candidate: ExplainedCandidate, chosen: ExplainedCandidate): string {
  return criteria.find(([, value]) => value(candidate) !== value(chosen))?.[0] ?? 'latestStartTime';
}
