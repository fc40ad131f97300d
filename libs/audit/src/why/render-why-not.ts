import type { ExplainedCandidate } from './explained-attempt';
import { criterion, notHelpful } from './render-attempt';
import type { PreemptionThere, WhyNotAttempt, WhyNotReport } from './why-not';

/** As text, the last attempt or each of them: the verdict in a sentence, and below it what it rests on. */
export function renderWhyNot(report: WhyNotReport, extent: 'last' | 'every' = 'last'): string {
  const { namespace, name } = report.object;
  const { attempts, node } = report;
  const shown = extent === 'every' ? attempts : attempts.slice(-1);
  const lines = [`pod ${namespace}/${name}: why not ${node}`];
  for (const attempt of shown) {
    const number = attempts.indexOf(attempt) + 1;
    lines.push(
      '',
      `${new Date(attempt.time).toISOString().slice(11, 23)}  attempt ${number} of ${attempts.length}: ${headline(attempt, node)}`,
    );
    lines.push(...details(attempt).map((line) => `  ${line}`));
  }
  if (shown.length < attempts.length) lines.push('', `${attempts.length - shown.length} earlier: --every shows each`);
  return `${lines.map((line, index) => (index === 0 ? line : line.replaceAll(` ${namespace}/`, ' '))).join('\n')}\n`;
}

function headline(attempt: WhyNotAttempt, node: string): string {
  const { verdict, tookInstead, outcome, preemption } = attempt;
  const where = tookInstead === undefined ? '' : outcome === 'bound' ? `, went to ${tookInstead}` : `, room is made on ${tookInstead}`;
  switch (verdict) {
    case 'taken':
      return `it went there`;
    case 'absent':
      return `there was no ${node} then${where}`;
    case 'error':
      return `came to no verdict: ${attempt.message ?? ''}`;
    case 'passed-over':
      return `it fits, but another node was taken without a look at the rest${where}`;
    case 'tied':
      return `as good as the one taken; chance decided${where}`;
    case 'unseen':
      return `better than the one taken, but the attempt looked at a part of the nodes only${where}`;
    case 'outscored':
      return `it fits, and scores ${attempt.total} where ${tookInstead} scores ${attempt.winnerTotal}`;
    case 'refused':
      return preemption?.result === 'chosen'
        ? 'refused, and room is made there'
        : `refused${attempt.plugin ? ` by ${attempt.plugin}` : ''}${where}`;
  }
}

function details(attempt: WhyNotAttempt): string[] {
  const { verdict, reasons = [], details: told = reasons, scores = [], preemption, curable, outcome } = attempt;
  const lines: string[] = [];
  if (verdict === 'refused') {
    lines.push(`reason: ${told.join(', ')}${curable ? '' : ' (removing pods would not help)'}`);
    if (preemption && curable) lines.push(...preemptionLines(preemption, attempt));
    else if (outcome === 'bound' && curable) lines.push('preemption: not tried, as another node fits');
  }
  const width = Math.max(0, ...scores.map(({ plugin }) => plugin.length));
  for (const { plugin, node, winner } of scores)
    lines.push(`${plugin.padEnd(width)}  ${node} against ${winner} (${node > winner ? '+' : ''}${node - winner})`);
  for (const oddity of attempt.oddities) lines.push(`note: ${oddity}`);
  return lines;
}

function preemptionLines(preemption: PreemptionThere, { message = '' }: WhyNotAttempt): string[] {
  switch (preemption.result) {
    case 'not-eligible':
      return [`preemption: not tried${/preemption: (not eligible[^.]*)/.exec(message)?.[1]?.replace(/^not eligible/, ',') ?? ''}`];
    case 'not-helpful':
      return ['preemption: not tried there'];
    case 'not-reached':
      return ['preemption: not tried there, enough candidates were found before'];
    case 'no-candidate':
      return [`preemption: tried; ${notHelpful(preemption.reasons, undefined)}`];
    case 'chosen':
      return [`preemption: ${costs(preemption.candidate)}; chosen by ${criterion(preemption.decidedBy)}`];
    case 'candidate':
      return [
        `preemption: would help, ${costs(preemption.candidate)}`,
        `lost to ${preemption.lostTo.node} (${costs(preemption.lostTo)}) by ${criterion(preemption.lostBy)}`,
      ];
  }
}

function costs({ victims, budgetViolations }: ExplainedCandidate): string {
  const budgets = budgetViolations === 0 ? '' : `, ${budgetViolations} against a budget`;
  return `removes ${victims.map(({ pod, priority }) => `${pod} (${priority})`).join(', ')}${budgets}`;
}
