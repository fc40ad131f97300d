import { attemptLines } from './render-attempt';
import type { WhyMoment, WhyReport } from './why';

/** Longer texts go on in the next line. */
const widthMax = 130;

/**
 * The report as text, in the order of time: when, at which log position, who, and what; what was caused by something shown
 * stands below it and further in. Decisions are unfolded with their alternatives.
 */
export function renderWhy(report: WhyReport): string {
  const { resource, namespace, name } = report.object;
  const title = `${singular(resource)} ${namespace ? `${namespace}/` : ''}${name}`;
  const lines = [`${title}${report.uids.length > 1 ? ` (the name was used ${report.uids.length} times)` : ''}`];
  const origin = report.origin.filter((moment) => leadsHere(moment, resource));
  const moments = report.moments.filter(
    (moment, index) => !isSaidAlready(moment, report.moments.slice(Math.max(0, index - 8), index), report.moments[index + 1]),
  );
  const columns = columnsFor([...origin, ...moments]);
  const text = (moment: WhyMoment): string => withoutName(moment.text, `${resource} ${namespace ? `${namespace}/` : ''}${name} `);
  if (origin.length > 0) {
    lines.push('', 'led to by');
    origin.forEach((moment, depth) => lines.push(...columns.line(moment, depth, moment.text)));
  }
  lines.push('');
  const depths = depthsOf(report.moments, new Set(moments));
  const told = new Set<string>();
  for (const moment of moments) {
    const depth = depths.get(moment.position) ?? 0;
    lines.push(...columns.line(moment, depth, text(moment)));
    if (!moment.attempt) continue;
    const details = attemptLines(moment.attempt, moment.attempt.pod === `${namespace}/${name}`);
    // Tried again with the same outcome: the alternatives were the same, too.
    const key = details.join('\n');
    if (told.has(key) && moment.type === 'SchedulingAttempted') continue;
    told.add(key);
    for (const detail of details) lines.push(...columns.detail(depth, detail));
  }
  return `${namespace ? lines.map((line, index) => (index === 0 ? line : inNamespace(line, namespace))).join('\n') : lines.join('\n')}\n`;
}

/** Siblings' comings and goings draw a controller's attention, but are no reason; what was removed or changed is. */
function leadsHere({ type, stream }: WhyMoment, resource: string): boolean {
  const reasons = ['Updated', 'DeletionRequested', 'Deleted', 'PodPreempted', 'PodDisruptionTargeted', 'PodTerminated', 'EvictionGranted'];
  return reasons.includes(type) || (type === 'Created' && !stream.includes(`.${resource}-`));
}

/** One act leaves several events; a reader needs the one that says most. */
function isSaidAlready({ type, time, actor, causedBy }: WhyMoment, before: readonly WhyMoment[], next: WhyMoment | undefined): boolean {
  const saidBy = (...types: string[]): boolean => before.some((moment) => moment.time === time && types.includes(moment.type));
  switch (type) {
    case 'PodSchedulingFailed':
      return saidBy('SchedulingAttempted') || causedBy !== undefined;
    case 'PreemptionDecided':
      return saidBy('SchedulingAttempted');
    case 'PodPreempted':
      return saidBy('PreemptionDecided');
    case 'DeletionRequested':
      return next?.type === 'Deleted' && next.time === time && next.actor === actor;
    default:
      return false;
  }
}

/** How far in each moment stands: below the nearest shown one that it was caused by. */
function depthsOf(moments: readonly WhyMoment[], shown: ReadonlySet<WhyMoment>): Map<number, number> {
  const depths = new Map<number, number>();
  for (const moment of moments) {
    const parent = moment.causedBy === undefined ? undefined : depths.get(moment.causedBy);
    const depth = parent === undefined ? 0 : parent + 1;
    // One that is not shown passes its place on to what it caused.
    depths.set(moment.position, shown.has(moment) ? depth : Math.max(0, depth - 1));
  }
  return depths;
}

interface Columns {
  line(moment: WhyMoment, depth: number, text: string): string[];
  detail(depth: number, text: string): string[];
}

const depthMax = 8;

function columnsFor(moments: readonly WhyMoment[]): Columns {
  const actorOf = ({ actor }: WhyMoment): string => actor.replace(/^user:/, '');
  const positionWidth = Math.max(0, ...moments.map(({ position }) => String(position).length));
  const actorWidth = Math.max(0, ...moments.map((moment) => actorOf(moment).length));
  const left = 12 + 2 + positionWidth + 2 + actorWidth + 2;
  const indent = (depth: number): string => (depth === 0 ? '' : `${'  '.repeat(Math.min(depth, depthMax) - 1)}└ `);
  const put = (head: string, prefix: string, rest: string, text: string): string[] => {
    const [first = '', ...more] = broken(text, Math.max(40, widthMax - left - prefix.length));
    return [`${head}${prefix}${first}`, ...more.map((line) => `${' '.repeat(left)}${rest}${line}`)];
  };
  return {
    line: (moment, depth, text) => {
      const head = `${new Date(moment.time).toISOString().slice(11, 23)}  ${String(moment.position).padStart(positionWidth)}  ${actorOf(moment).padEnd(actorWidth)}  `;
      const prefix = indent(depth);
      return put(head, prefix, ' '.repeat(prefix.length), text);
    },
    detail: (depth, text) => {
      const prefix = `${' '.repeat(indent(depth).length)}│ `;
      return put(' '.repeat(left), prefix, `${prefix}    `, text);
    },
  };
}

function withoutName(text: string, prefix: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

/** Names in the object's own namespace go without it. */
function inNamespace(line: string, namespace: string): string {
  return line.replaceAll(` ${namespace}/`, ' ');
}

function singular(resource: string): string {
  const [plural = '', ...group] = resource.split('.');
  const one = plural.endsWith('classes') ? plural.slice(0, -2) : plural.replace(/s$/, '');
  return [one, ...group].join('.');
}

/** Broken at spaces. */
function broken(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/(?<=\S) /)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
