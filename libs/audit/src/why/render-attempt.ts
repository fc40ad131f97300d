import type { ExplainedAttempt, ExplainedCandidate, NodeVerdict, VictimChoice } from './explained-attempt';

/** Nodes listed one by one; beyond it they are grouped by verdict. */
const nodesListedMax = 12;
const candidatesListedMax = 8;

/** An attempt with its alternatives, a line each; `own`: the story is that of the pod that was to be scheduled. */
export function attemptLines(attempt: ExplainedAttempt, own: boolean): string[] {
  const lines = own ? [] : [`${attempt.pod} (priority ${attempt.priority}) found no room:`];
  lines.push(...nodeLines(attempt));
  if (attempt.preemption) lines.push(...preemptionLines(attempt.preemption));
  for (const oddity of attempt.oddities) lines.push(`note: ${oddity}`);
  return lines;
}

function nodeLines(attempt: ExplainedAttempt): string[] {
  if (attempt.nodes.length > nodesListedMax) return groupedNodes(attempt);
  const width = Math.max(0, ...attempt.nodes.map(({ node }) => node.length));
  const sorted = [...attempt.nodes].sort((a, b) => (b.total ?? -1) - (a.total ?? -1));
  return sorted.map((verdict) => {
    const mark = verdict.node === attempt.node && attempt.outcome === 'bound' ? '→' : ' ';
    return `${mark} ${verdict.node.padEnd(width)}  ${verdictText(verdict)}`;
  });
}

function verdictText({ verdict, plugin, reasons = [], code, total, scores }: NodeVerdict): string {
  if (verdict === 'fits') {
    if (total === undefined) return 'fits';
    const parts = Object.entries(scores ?? {}).filter(([, score]) => score !== 0);
    return `fits, score ${total} = ${parts.map(([name, score]) => `${name} ${score}`).join(' + ')}`;
  }
  const hopeless = code === 'UnschedulableAndUnresolvable' ? ' (removing pods would not help)' : '';
  return `refused${plugin ? ` by ${plugin}` : ''}: ${reasons.join(', ')}${hopeless}`;
}

function groupedNodes(attempt: ExplainedAttempt): string[] {
  const groups = new Map<string, number>();
  for (const verdict of attempt.nodes) {
    if (verdict.node === attempt.node && attempt.outcome === 'bound') continue;
    const { scores: _scores, ...plain } = verdict;
    const text = plain.total === undefined ? verdictText(plain) : `fits, score ${plain.total}`;
    groups.set(text, (groups.get(text) ?? 0) + 1);
  }
  const lines = [...groups].sort((a, b) => b[1] - a[1]).map(([text, count]) => `  ${count} × ${text}`);
  const chosen = attempt.nodes.find(({ node }) => node === attempt.node);
  return chosen && attempt.outcome === 'bound'
    ? [`→ ${chosen.node}  ${verdictText(chosen)}`, ...lines.slice(0, nodesListedMax)]
    : lines.slice(0, nodesListedMax);
}

function preemptionLines(preemption: NonNullable<ExplainedAttempt['preemption']>): string[] {
  if (!preemption.eligible) return ['preemption: not tried'];
  const { candidates, rejected, decidedBy } = preemption;
  const lines = [
    candidates.length === 0
      ? 'preemption: would help nowhere'
      : `preemption: would help on ${candidates.length === 1 ? 'one node' : `${candidates.length} nodes, decided by ${criterion(decidedBy)}`}`,
  ];
  const ordered = [...candidates].sort((a, b) => Number(b.chosen) - Number(a.chosen)).slice(0, candidatesListedMax);
  const refused = rejected.slice(0, candidatesListedMax);
  const width = Math.max(0, ...[...ordered, ...refused].map(({ node }) => node.length));
  for (const candidate of ordered)
    lines.push(`${candidate.chosen ? '→' : ' '} ${candidate.node.padEnd(width)}  ${candidateText(candidate)}`);
  if (candidates.length > ordered.length) lines.push(`  … and ${candidates.length - ordered.length} more`);
  for (const { node, reasons } of refused) lines.push(`  ${node.padEnd(width)}  would not help: ${reasons.join(', ')}`);
  if (rejected.length > refused.length) lines.push(`  … and ${rejected.length - refused.length} more that would not help`);
  return lines;
}

function candidateText({ victims, reprieved, budgetViolations }: ExplainedCandidate): string {
  const spared = reprieved.length > 0 ? `, spares ${names(reprieved)}` : '';
  const budgets =
    budgetViolations === 0 ? '' : victims.length === 1 ? ', against a budget' : `, ${budgetViolations} of them against a budget`;
  return `removes ${names(victims)}${spared}${budgets}`;
}

function names(pods: readonly VictimChoice[]): string {
  return pods.map(({ pod, priority, node }) => `${pod} (${priority})${node === undefined ? '' : ` on ${node}`}`).join(', ');
}

const criteria: Record<string, string> = {
  single: 'being the only one',
  numPDBViolations: 'the fewest budget violations',
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
