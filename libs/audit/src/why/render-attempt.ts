import type { ExplainedAttempt, ExplainedCandidate, NodeVerdict, VictimChoice } from './explained-attempt';

/** Nodes listed one by one; beyond it they are grouped by verdict. */
const nodesListedMax = 12;
const candidatesListedMax = 8;

/** An attempt with its alternatives, a line each; `own`: the story is that of the pod that was to be scheduled. */
export function attemptLines(attempt: ExplainedAttempt, own: boolean): string[] {
  const lines = own ? [] : [`${attempt.pod} (priority ${attempt.priority}) found no room:`];
  lines.push(...nodeLines(attempt));
  if (attempt.preemption) lines.push(...preemptionLines(attempt.preemption, attempt));
  for (const oddity of attempt.oddities) lines.push(`note: ${oddity}`);
  return lines;
}

function nodeLines(attempt: ExplainedAttempt): string[] {
  if (attempt.nodes.length > nodesListedMax) return groupedNodes(attempt);
  const width = Math.max(0, ...attempt.nodes.map(({ node }) => node.length));
  const sorted = [...attempt.nodes].sort((a, b) => (b.total ?? -1) - (a.total ?? -1) || byName(a.node, b.node));
  return sorted.map((verdict) => {
    const mark = verdict.node === attempt.node && attempt.outcome === 'bound' ? '→' : ' ';
    return `${mark} ${verdict.node.padEnd(width)}  ${verdictText(verdict)}`;
  });
}

function verdictText({ verdict, plugin, reasons = [], details, code, total, scores }: NodeVerdict): string {
  if (verdict === 'fits') {
    if (total === undefined) return 'fits';
    const parts = Object.entries(scores ?? {}).filter(([, score]) => score !== 0);
    return `fits, score ${total} = ${parts.map(([name, score]) => `${name} ${score}`).join(' + ')}`;
  }
  const hopeless = code === 'UnschedulableAndUnresolvable' ? '; removing pods would not help' : '';
  return `${(details ?? reasons).join(', ')}${plugin ? ` (${plugin})` : ''}${hopeless}`;
}

/** Numbers in names count as numbers: node-2 stands before node-10. */
function byName(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

function groupedNodes(attempt: ExplainedAttempt): string[] {
  const groups = new Map<string, number>();
  for (const verdict of attempt.nodes) {
    if (verdict.node === attempt.node && attempt.outcome === 'bound') continue;
    const { scores: _scores, details: _details, ...plain } = verdict;
    const text = plain.total === undefined ? verdictText(plain) : `fits, score ${plain.total}`;
    groups.set(text, (groups.get(text) ?? 0) + 1);
  }
  const lines = [...groups].sort((a, b) => b[1] - a[1]).map(([text, count]) => `  ${count} × ${text}`);
  const chosen = attempt.nodes.find(({ node }) => node === attempt.node);
  return chosen && attempt.outcome === 'bound'
    ? [`→ ${chosen.node}  ${verdictText(chosen)}`, ...lines.slice(0, nodesListedMax)]
    : lines.slice(0, nodesListedMax);
}

function preemptionLines(preemption: NonNullable<ExplainedAttempt['preemption']>, { priority, message }: ExplainedAttempt): string[] {
  if (!preemption.eligible) return [`preemption: not tried${notEligible(message)}`];
  const { candidates, rejected } = preemption;
  const lines = [`preemption: ${headline(preemption)}`];
  const ordered = [...candidates]
    .sort((a, b) => Number(b.chosen) - Number(a.chosen) || byName(a.node, b.node))
    .slice(0, candidatesListedMax);
  const refused = [...rejected].sort((a, b) => byName(a.node, b.node)).slice(0, candidatesListedMax);
  const width = Math.max(0, ...[...ordered, ...refused].map(({ node }) => node.length));
  for (const candidate of ordered)
    lines.push(`${candidate.chosen ? '→' : ' '} ${candidate.node.padEnd(width)}  ${candidateText(candidate)}`);
  if (candidates.length > ordered.length) lines.push(`  … and ${candidates.length - ordered.length} more`);
  for (const { node, reasons } of refused) lines.push(`  ${node.padEnd(width)}  ${notHelpful(reasons, priority)}`);
  if (rejected.length > refused.length) lines.push(`  … and ${rejected.length - refused.length} more that would not help`);
  return lines;
}

const noVictims = 'No preemption victims found for incoming pod';

/** Why removing pods of a node would make no room. */
export function notHelpful(reasons: readonly string[], priority: number | undefined): string {
  if (priority !== undefined && reasons.length === 1 && reasons[0] === noVictims) return `no pod below priority ${priority} there`;
  return `would not help: ${reasons.join(', ')}`;
}

function notEligible(message = ''): string {
  const reason = /preemption: not eligible due to ([^.]*)/.exec(message)?.[1];
  return reason === undefined ? '' : `: ${reason}`;
}

function headline({ candidates, decidedBy }: NonNullable<ExplainedAttempt['preemption']>): string {
  const chosen = candidates.find((candidate) => candidate.chosen);
  if (candidates.length === 0) return 'would help nowhere';
  if (candidates.length === 1) return `room could be made on ${candidates[0]?.node} alone`;
  const many = `room could be made on ${candidates.length} nodes`;
  if (!chosen) return many;
  const others = candidates.filter((candidate) => candidate !== chosen).sort((a, b) => byName(a.node, b.node));
  return `${many}; ${chosen.node} chosen: ${grounds(decidedBy, chosen, others)}`;
}

const othersListedMax = 4;

/** The rule that left one node, with the figures of the others. */
function grounds(decidedBy: string | undefined, chosen: ExplainedCandidate, others: readonly ExplainedCandidate[]): string {
  const rule = criterion(decidedBy);
  const value = decidedBy === undefined ? undefined : figures[decidedBy];
  if (!value) return rule;
  const shown = others.slice(0, othersListedMax).map((candidate) => `${candidate.node}: ${value(candidate)}`);
  if (others.length > shown.length) shown.push('…');
  return `${rule}, ${value(chosen)} (${shown.join(', ')})`;
}

const figures: Record<string, (candidate: ExplainedCandidate) => number> = {
  numPDBViolations: ({ budgetViolations }) => budgetViolations,
  highestPriority: ({ victims }) => victims[0]?.priority ?? 0,
  sumPriorities: ({ victims }) => victims.reduce((sum, { priority }) => sum + priority, 0),
  victimCount: ({ victims }) => victims.length,
};

function candidateText({ victims, reprieved, budgetViolations }: ExplainedCandidate): string {
  const isTold = victims.filter(({ budget }) => budget).length === budgetViolations;
  const against = isTold
    ? ''
    : budgetViolations === 1
      ? ', one of them against a budget'
      : `, ${budgetViolations} of them against a budget`;
  const kept = reprieved.length > 0 ? `; keeps ${reprieved.map(keptText).join(', ')}` : '';
  return `removes ${victims.map((victim) => victimText(victim, isTold)).join(', ')}${against}${kept}`;
}

function victimText({ pod, priority, node, budget }: VictimChoice, isTold: boolean): string {
  const against =
    budget && isTold ? ` against budget "${budget.name}" (${budget.left === 0 ? '0 left' : `only ${budget.left} may go`})` : '';
  return `${pod} (${priority})${node === undefined ? '' : ` on ${node}`}${against}`;
}

function keptText({ pod, priority, budget }: VictimChoice): string {
  if (!budget) return `${pod} (${priority})`;
  const { name, left } = budget;
  return `${pod} (${priority}): kept first, ${left === 0 ? `its budget "${name}" has 0 left` : `of its budget "${name}" only ${left} may go`}`;
}

const criteria: Record<string, string> = {
  single: 'being the only one',
  numPDBViolations: 'the fewest victims against a budget',
  highestPriority: 'the lowest priority of the most important victim',
  sumPriorities: 'the smallest sum of victim priorities',
  victimCount: 'the fewest victims',
  latestStartTime: 'the latest start of the most important victim',
  tie: 'chance among equals',
};

/** The rule that left one node, in words. */
export function criterion(name: string | undefined): string {
  return name === undefined ? 'chance' : (criteria[name] ?? name);
}
