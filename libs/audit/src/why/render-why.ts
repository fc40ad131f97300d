import { rankingLines } from './eviction-words';
import type { ExplainedAttempt } from './explained-attempt';
import { attemptLines } from './render-attempt';
import { clockWords, objectWords, throughWords } from './words';
import type { WhyMoment, WhyReport } from './why';

/** Longer texts go on in the next line, also where there is room for more: the eye loses its line otherwise. */
const widthMax = 130;
/** The least for a story; on less a terminal breaks the lines itself. */
const widthMin = 60;
/** Where less than this would be left beside a column of authors, each text begins with its author instead. */
const textWidthMin = 60;

export interface RenderWhyOptions {
  /** Columns that the reader's terminal has. */
  width?: number;
  /** The API server that also shows the past, for the command in the last line; that line is left out without it. */
  server?: string;
}

/**
 * The report as text: how the object stands, then its story in the order of time: when, at which log position, who, and what; what was
 * caused by something shown stands below it and further in. Decisions are unfolded with their alternatives.
 */
export function renderWhy(report: WhyReport, { server, width = widthMax }: RenderWhyOptions = {}): string {
  const { resource, namespace, name } = report.object;
  const title = objectWords(resource, namespace, name);
  const origin = report.origin.filter((moment) => leadsHere(moment, resource));
  const moments = report.moments.filter(
    (moment, index) => !isSaidAlready(moment, report.moments.slice(Math.max(0, index - 8), index), report.moments[index + 1]),
  );
  const lineWidth = Math.max(widthMin, Math.min(widthMax, width));
  const columns = columnsFor([...origin, ...moments], lineWidth);
  const lines = [columns.head(), ...originLines(origin, resource, columns)];
  const depths = depthsOf(report.moments, new Set(moments));
  const repeats = new Repeats(columns);
  for (const moment of moments) {
    const depth = depths.get(moment.position) ?? 0;
    const details = detailsOf(moment, `${namespace}/${name}`);
    if (repeats.takes(moment, depth)) continue;
    lines.push(...repeats.end(), ...columns.line(moment, depth, withAgent(withoutName(moment.text, title), moment)));
    for (const detail of details) lines.push(...columns.detail(depth, detail));
  }
  lines.push(...repeats.end());
  const before =
    server === undefined
      ? undefined
      : decisiveMoment(moments, ({ stream }) => resource !== 'pods' || stream.endsWith(`-${namespace}/${name}`));
  if (before) lines.push('', `just before: kubectl --server ${server}/at/${before.position - 1} get pods -o wide`);
  const heading = `${title}${report.uids.length > 1 ? ` (the name was used ${report.uids.length} times)` : ''}`;
  const standing = report.standing.flatMap((line) => hanging(broken(namespace ? inNamespace(line, namespace) : line, lineWidth - 2)));
  const told = namespace ? lines.map((line) => inNamespace(line, namespace)) : lines;
  return `${[heading, ...standing, '', ...told].join('\n')}\n`;
}

/** The alternatives of a decision. */
function detailsOf({ attempt, eviction }: WhyMoment, object: string): string[] {
  if (attempt) return attemptLines(attempt, attempt.pod === object);
  return eviction ? rankingLines(eviction) : [];
}

/** What led to the object, the earliest first. */
function originLines(origin: readonly WhyMoment[], resource: string, columns: Columns): string[] {
  if (origin.length === 0) return [];
  const lines = origin.flatMap((moment, depth) => {
    const isReplaced = depth === origin.length - 1 && resource === 'pods' && moment.stream.includes('.pods-') && moment.type !== 'Created';
    return columns.line(moment, depth, isReplaced ? `${moment.text}; this pod replaces it` : withAgent(moment.text, moment));
  });
  return ['led to by', ...lines, ''];
}

/** Attempts that end as the one before them are told in one line. */
class Repeats {
  private lastTold: string | undefined;
  private count = 0;
  private first: { moment: WhyMoment; depth: number } | undefined;
  private last: WhyMoment | undefined;

  constructor(private readonly columns: Columns) {}

  /** Whether the moment is but one more of the attempts told last. */
  takes(moment: WhyMoment, depth: number): boolean {
    if (!moment.attempt) return false;
    const verdict = verdictOf(moment.attempt);
    const isOneMore = moment.type === 'SchedulingAttempted' && verdict === this.lastTold;
    this.lastTold = verdict;
    if (!isOneMore) return false;
    this.first ??= { moment, depth };
    this.last = moment;
    this.count++;
    return true;
  }

  /** The line of those that have been taken. */
  end(): string[] {
    const { first, last, count } = this;
    if (!first || !last) return [];
    this.first = undefined;
    this.count = 0;
    const text = count === 1 ? 'tried again, same outcome' : `tried again ${count} times until ${clockWords(last.time)}, same outcome`;
    return this.columns.line(first.moment, first.depth, text);
  }
}

/** What an attempt came to, the amounts that were free meanwhile aside. */
function verdictOf({ outcome, node, nodes, preemption }: ExplainedAttempt): string {
  const refusals = nodes.map(({ node: name, verdict, plugin, reasons }) => [name, verdict, plugin, reasons]);
  const candidates = preemption?.candidates.map(({ node: name, victims }) => [name, victims.map(({ pod }) => pod)]);
  return JSON.stringify([outcome, node, refusals, preemption?.eligible, candidates]);
}

/** The moment that a reader wants to see the cluster before: the loss of the object, else its first attempt, else its beginning. */
function decisiveMoment(moments: readonly WhyMoment[], isOwn: (moment: WhyMoment) => boolean): WhyMoment | undefined {
  const isLoss = ({ type }: WhyMoment): boolean => type === 'PodPreempted' || type === 'PodDisruptionTargeted';
  return moments.find((moment) => isLoss(moment) && isOwn(moment)) ?? moments.find(({ attempt }) => attempt) ?? moments[0];
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
  head(): string;
  line(moment: WhyMoment, depth: number, text: string): string[];
  detail(depth: number, text: string): string[];
}

const depthMax = 8;

function columnsFor(moments: readonly WhyMoment[], width: number): Columns {
  const actorOf = ({ actor }: WhyMoment): string => actor.replace(/^user:/, '');
  const positionWidth = Math.max('POSITION'.length, ...moments.map(({ position }) => String(position).length));
  const actorWidth = Math.max(2, ...moments.map((moment) => actorOf(moment).length));
  const beforeActor = 12 + 2 + positionWidth + 2;
  const hasActors = width - beforeActor - actorWidth - 2 >= textWidthMin;
  const left = beforeActor + (hasActors ? actorWidth + 2 : 0);
  const indent = (depth: number): string => (depth === 0 ? '' : `${'  '.repeat(Math.min(depth, depthMax) - 1)}└ `);
  const put = (head: string, prefix: string, rest: string, text: string): string[] => {
    const [first = '', ...more] = broken(text, Math.max(24, width - left - rest.length));
    return [`${head}${prefix}${first}`, ...more.map((line) => `${' '.repeat(left)}${rest}${line}`)];
  };
  return {
    head: () => `${'TIME'.padEnd(12)}  ${'POSITION'.padEnd(positionWidth)}  ${hasActors ? `${'BY'.padEnd(actorWidth)}  ` : ''}WHAT`,
    line: (moment, depth, text) => {
      const place = `${clockWords(moment.time)}  ${String(moment.position).padStart(positionWidth)}  `;
      const prefix = indent(depth);
      const [head, words] = hasActors ? [`${place}${actorOf(moment).padEnd(actorWidth)}  `, text] : [place, `${actorOf(moment)}: ${text}`];
      return put(head, prefix, ' '.repeat(prefix.length), words);
    },
    detail: (depth, text) => {
      const prefix = `${' '.repeat(indent(depth).length)}│ `;
      return put(' '.repeat(left), prefix, `${prefix}    `, text);
    },
  };
}

/** With the client that a user did it through, and who acted for him. */
function withAgent(text: string, { agent, impersonator }: WhyMoment): string {
  const words = throughWords(impersonator, agent);
  return words === undefined ? text : `${text} (${words})`;
}

function withoutName(text: string, title: string): string {
  return text.startsWith(`${title} `) || text.startsWith(`${title}: `) ? text.slice(title.length).replace(/^:? /, '') : text;
}

/** Names in the object's own namespace go without it. */
function inNamespace(line: string, namespace: string): string {
  return line.replaceAll(` ${namespace}/`, ' ');
}

/** Lines behind the first stand further in. */
function hanging([first = '', ...more]: readonly string[]): string[] {
  return [first, ...more.map((line) => `  ${line}`)];
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
