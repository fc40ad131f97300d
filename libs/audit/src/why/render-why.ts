import type { ExplainedAttempt, NodeVerdict } from './explained-attempt';
import type { WhyMoment, WhyReport } from './why';

/** Nodes listed one by one; beyond it they are grouped by verdict. */
const nodesListedMax = 12;
const candidatesListedMax = 8;

/** The report as text: what led here, then each moment, with decisions unfolded below it. */
export function renderWhy(report: WhyReport): string {
  const { resource, namespace, name } = report.object;
  const lines = [`${resource} ${namespace ? `${namespace}/` : ''}${name}${report.uids.length > 1 ? ` (the name was used ${report.uids.length} times)` : ''}`];
  if (report.origin.length > 0) {
    lines.push('led to by');
    report.origin.forEach((moment, index) => lines.push(`${'  '.repeat(index + 1)}└ ${momentText(moment)}`));
  }
  lines.push('');
  const shown = new Map(report.moments.map((moment) => [moment.position, moment]));
  for (const moment of report.moments) {
    const indent = moment.causedBy !== undefined && shown.has(moment.causedBy) ? '  └ ' : '';
    lines.push(`${indent}${momentText(moment)}`);
    if (moment.attempt) lines.push(...attemptText(moment.attempt).map((line) => `      ${line}`));
  }
  return `${lines.join('\n')}\n`;
}

function momentText({ time, position, actor, text }: WhyMoment): string {
  return `${new Date(time).toISOString().slice(11, 23)}  ${text}  [${actor}, ${position}]`;
}

function attemptText(attempt: ExplainedAttempt): string[] {
  const lines: string[] = [`decided at ${attempt.position} for ${attempt.pod} (priority ${attempt.priority}):`];
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
    const parts = Object.entries(scores ?? {}).map(([name, score]) => `${name} ${score}`);
    return `fits, score ${total} = ${parts.join(' + ')}`;
  }
  const hopeless = code === 'UnschedulableAndUnresolvable' ? ' (preemption cannot help)' : '';
  return `refused${plugin ? ` by ${plugin}` : ''}: ${reasons.join(', ')}${hopeless}`;
}

function groupedNodes(attempt: ExplainedAttempt): string[] {
  const groups = new Map<string, number>();
  for (const verdict of attempt.nodes) {
    if (verdict.node === attempt.node && attempt.outcome === 'bound') continue;
    const { scores: _scores, ...plain } = verdict;
    const text = verdictText(plain);
    groups.set(text, (groups.get(text) ?? 0) + 1);
  }
  const lines = [...groups].sort((a, b) => b[1] - a[1]).map(([text, count]) => `  ${count} × ${text}`);
  const chosen = attempt.nodes.find(({ node }) => node === attempt.node);
  return chosen && attempt.outcome === 'bound' ? [`→ ${chosen.node}  ${verdictText(chosen)}`, ...lines.slice(0, nodesListedMax)] : lines.slice(0, nodesListedMax);
}

function preemptionLines(preemption: NonNullable<ExplainedAttempt['preemption']>): string[] {
  if (!preemption.eligible) return ['preemption: not eligible'];
  const lines = [`preemption: ${preemption.candidates.length} candidate${preemption.candidates.length === 1 ? '' : 's'}${preemption.decidedBy ? `, decided by ${criterion(preemption.decidedBy)}` : ''}`];
  const ordered = [...preemption.candidates].sort((a, b) => Number(b.chosen) - Number(a.chosen));
  for (const { node, victims, reprieved, budgetViolations, chosen } of ordered.slice(0, candidatesListedMax)) {
    const names = victims.map(({ pod, priority }) => `${pod} (${priority})`).join(', ');
    const spared = reprieved.length > 0 ? `; reprieved: ${reprieved.map(({ pod, priority }) => `${pod} (${priority})`).join(', ')}` : '';
    lines.push(`${chosen ? '→' : ' '} ${node}  victims: ${names}; budget violations: ${budgetViolations}${spared}`);
  }
  if (ordered.length > candidatesListedMax) lines.push(`  … ${ordered.length - candidatesListedMax} more`);
  for (const { node, reasons } of preemption.rejected.slice(0, candidatesListedMax)) lines.push(`  ${node}  no candidate: ${reasons.join(', ')}`);
  return lines;
}

const criteria: Record<string, string> = {
  single: 'being the only one',
  numPDBViolations: 'fewest budget violations',
  highestPriority: 'lowest highest-priority victim',
  sumPriorities: 'smallest sum of victim priorities',
  victimCount: 'fewest victims',
  latestStartTime: 'latest start of the most important victim',
  tie: 'chance among equals',
};

function criterion(name: string): string {
  return criteria[name] ?? name;
}
