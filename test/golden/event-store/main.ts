// Plays recordings of a real EventStoreDB node to our event store and tells what agrees.
import type { PlayOptions } from '../play-result';
import { EXCEPTIONS, type ExceptionName } from './compare/exceptions';
import { SequencePlayer, type PlayedStep } from './play/sequence';
import { startTarget, targetAt, type Target } from './play/servers';
import { readSequences, type Sequence } from './recording';

/** The recorder waited for this long a silence, ms. */
const SILENCE_MS = 300;
/** Sequences that disturb nobody are played so many at a time. */
const SIDE_BY_SIDE = 8;
const DIFFERENCES_SHOWN = 8;

export interface PlayedSequence {
  sequence: Sequence;
  steps: PlayedStep[];
}

export interface AreaAgreement {
  area: string;
  /** Sequences that agree whole, some of them but for named exceptions; and all. */
  passed: number;
  sequences: number;
  /** Steps that were compared, and those that agree. */
  steps: number;
  agreed: number;
  exceptions: Partial<Record<ExceptionName, number>>;
}

export interface EventStoreOptions {
  /** host:port of a server that is there; absent: ours, started for it. */
  server?: string;
  /** On disk, not in memory. */
  onDisk?: boolean;
  silenceMs?: number;
  /** Servers side by side, among which those that want to be alone are shared out; default 1. */
  jobs?: number;
}

const failed = ({ steps }: PlayedSequence): boolean => steps.some(({ differences, exception }) => differences.length > 0 && !exception);

async function sideBySide<T>(items: readonly T[], count: number, work: (item: T, lane: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (number: number): Promise<void> => {
    while (next < items.length) await work(items[next++]!, number);
  };
  await Promise.all(Array.from({ length: count }, (_, i) => lane(i)));
}

/** Plays sequences: those that disturb nobody several at a time, then the others one after the other. */
export async function playSequences(sequences: readonly Sequence[], options: EventStoreOptions): Promise<PlayedSequence[]> {
  const { server, onDisk = false, silenceMs = SILENCE_MS, jobs = 1 } = options;
  const start = (kind: 'plain' | 'tls'): Promise<Target> =>
    server === undefined ? startTarget(kind, onDisk) : Promise.resolve(targetAt(server));
  const played = new Map<string, PlayedSequence>();
  const playTo = async (target: Target, sequence: Sequence): Promise<void> => {
    played.set(sequence.id, { sequence, steps: await new SequencePlayer(sequence, target, silenceMs).play() });
  };
  const over = async (group: readonly Sequence[], kind: 'plain' | 'tls', lanes: number): Promise<void> => {
    if (group.length === 0) return;
    const target = await start(kind);
    await sideBySide(group, lanes, (sequence) => playTo(target, sequence)).finally(() => target.close());
  };
  await over(
    sequences.filter(({ alone, fresh, tls }) => !alone && !fresh && !tls),
    'plain',
    SIDE_BY_SIDE,
  );
  const alone = sequences.filter(({ alone: only, tls, fresh }) => only && !tls && !fresh);
  const shares = Array.from({ length: jobs }, (_, i) => alone.filter((_sequence, j) => j % jobs === i));
  await Promise.all(shares.map((share) => over(share, 'plain', 1)));
  await over(
    sequences.filter(({ tls }) => tls),
    'tls',
    1,
  );
  await sideBySide(
    sequences.filter(({ fresh }) => fresh),
    jobs,
    (sequence) => over([sequence], 'plain', 1),
  );
  return sequences.map(({ id }) => played.get(id)!);
}

export function agreementByArea(played: readonly PlayedSequence[]): AreaAgreement[] {
  const areas = new Map<string, AreaAgreement>();
  for (const one of played) {
    const { area } = one.sequence;
    const sum = areas.get(area) ?? { area, passed: 0, sequences: 0, steps: 0, agreed: 0, exceptions: {} };
    areas.set(area, sum);
    sum.sequences += 1;
    if (!failed(one)) sum.passed += 1;
    for (const { differences, exception } of one.steps) {
      sum.steps += 1;
      if (differences.length === 0) sum.agreed += 1;
      else if (exception) sum.exceptions[exception] = (sum.exceptions[exception] ?? 0) + 1;
    }
  }
  return [...areas.values()].sort((a, b) => (a.area < b.area ? -1 : 1));
}

function tellSequence(one: PlayedSequence, out: (line: string) => void, all: boolean): void {
  const { id, title } = one.sequence;
  const lines = one.steps.flatMap(({ step, differences, exception }) =>
    exception
      ? []
      : differences.map(
          ({ path, text }) =>
            `    step ${step} ${one.sequence.steps[step]?.call ?? one.sequence.steps[step]?.collect ?? ''} ${path}: ${text}`,
        ),
  );
  out(`  ${id} ${title}`);
  for (const line of all ? lines : lines.slice(0, DIFFERENCES_SHOWN)) out(line);
}

export function tellAgreement(areas: readonly AreaAgreement[], out: (line: string) => void): void {
  for (const { area, passed, sequences, steps, agreed, exceptions } of areas) {
    const named = Object.entries(exceptions).map(([name, count]) => `${name} ${count}`);
    out(
      `${area}: ${passed} of ${sequences} sequences, ${agreed} of ${steps} steps agree${named.length > 0 ? ` (${named.join(', ')})` : ''}`,
    );
  }
  const total = new Map<string, number>();
  for (const { exceptions } of areas)
    for (const [name, count] of Object.entries(exceptions)) total.set(name, (total.get(name) ?? 0) + count);
  for (const [name, count] of total) out(`  ${name}, ${count} steps: ${EXCEPTIONS[name as ExceptionName]}`);
}

/** The agreement by area; every sequence that differs is told. */
export async function eventStoreAgreement(
  dir: string,
  names: readonly string[],
  options: EventStoreOptions & Partial<Pick<PlayOptions, 'out' | 'all'>>,
): Promise<AreaAgreement[]> {
  const { out = () => undefined, all = false } = options;
  const played = await playSequences(await readSequences(dir, names), options);
  for (const one of played) if (failed(one)) tellSequence(one, out, all);
  return agreementByArea(played);
}

/** `npm run golden -- event-store DIR [area or sequence …]` */
export async function playEventStore(
  dir: string,
  names: readonly string[],
  { out, all, values }: Pick<PlayOptions, 'out' | 'all' | 'values'>,
): Promise<{ passed: number; failed: number }> {
  const areas = await eventStoreAgreement(dir, names, {
    out,
    all,
    server: values['server'],
    onDisk: values['store'] === 'disk',
    jobs: Number(values['jobs'] ?? 1),
    silenceMs: Number(values['silence'] ?? SILENCE_MS),
  });
  tellAgreement(areas, out);
  const passed = areas.reduce((sum, area) => sum + area.passed, 0);
  return { passed, failed: areas.reduce((sum, area) => sum + area.sequences, 0) - passed };
}
