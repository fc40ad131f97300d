import { EventReader } from '#libs/cluster-state';
import type { Controller } from '#libs/control-loop';
import type { EventLog, RecordedEvent } from '#libs/event-log';
import { clusterPrefix } from '#libs/events';
import { factoryOf, type ControllerFactory } from '../replay/controller-factory';
import { Machines, type DecisionCounts } from '../replay/machines';
import { replayLog } from '../replay/replay-log';
import { Tapes } from '../replay/tapes';
import { SealCheck, type KeptSeal, type SealReport } from '../seal/seal-check';
import { AppendNumbersCheck } from './append-numbers';
import { Behaviours } from './behaviours';
import { guarded, type AppendCheck, type EventCheck } from './check';
import { DecidedWrites } from './decided-writes';
import { DigestChain, brokenEvent, tornAppend } from './digest-chain';
import { EventLifetimes } from './event-lifetimes';
import { Findings, joinUnproven, type Finding, type Unproven } from './finding';
import { Identity } from './identity';
import { KeptRequests } from './kept-requests';
import { KnownStreams } from './known-streams';
import { NotesCheck } from './notes';
import { Payloads } from './payloads';
import { LawfulWrites } from './lawful-writes';
import { LeftOutStreams } from './left-out-streams';
import { LongestLag } from './longest-lag';
import { RecentPast } from './recent-past';
import { Reviews } from './reviews';
import { Times } from './times';
import { ToldOwnersCheck } from './told-owners';
import { WriteRules } from './write-rules';
import { WriterLives } from './writer-lives';

export interface VerifyOptions {
  log: EventLog;
  cluster: string;
  /** The cluster's seed; taken from its first event when absent. */
  seed?: string;
  /** Those that decided, or how to make them with the configuration they had. */
  controllers: readonly Controller[] | ControllerFactory;
  /** `WHAT=NAME` of findings, and of what is not proven, that the user knows of. */
  accept?: readonly string[];
  /** Seals that were kept elsewhere. */
  seals?: readonly KeptSeal[];
  /** Only the checks of this part: two processors verify a log side by side, and `joinReports` makes one report of theirs. */
  part?: VerifyPart;
  /** Position at which the log ends; where it ends now, when absent. */
  until?: number;
  onProgress?: (progress: VerifyProgress) => void;
}

/** `record`: the log as it is written, its chains, seals and writes. `replay`: the controllers, made to live through it again. */
export type VerifyPart = 'record' | 'replay';

/** The log is read twice. */
export interface VerifyProgress {
  reading: 1 | 2;
  /** Events of this reading. */
  events: number;
  /** The last of them. */
  position: number;
}

export interface VerifyReport extends DecisionCounts {
  events: number;
  /** How many there are in all. */
  findingCount: number;
  /** The first of them, in the order found. */
  findings: Finding[];
  /** Of these, what the digest chain shows: changed, removed and inserted events. */
  chain: Finding[];
  /** Of these, decisions that come out otherwise. */
  differences: Finding[];
  /** What can be neither proven nor refuted here. */
  unproven: Unproven[];
  /** What the seals in the log, and those kept elsewhere, say of it. */
  seals: SealReport;
}

/** The log is read twice: once event by event as it is stored, once folded, to make each decision and each write again. */
export async function verify(options: VerifyOptions): Promise<VerifyReport> {
  const findings = new Findings(new Set(options.accept));
  const first = await readEvents(options, findings);
  const { checks, machines } = appendChecks(options, first, findings);
  await foldAppends(options, first.until, findings, checks);
  return reportOf(first.events, machines.counts, first.seals, {
    listed: findings.listed,
    count: findings.count,
    unproven: findings.notProven(),
  });
}

/** Joins the reports of two parts of one log. */
export function joinReports(record: VerifyReport, replay: VerifyReport): VerifyReport {
  const { agreed, differ, otherVersion, notDerivable } = replay;
  return reportOf(record.events, { agreed, differ, otherVersion, notDerivable }, record.seals, {
    listed: [...record.findings, ...replay.findings].sort((a, b) => a.position - b.position),
    count: record.findingCount + replay.findingCount,
    unproven: joinUnproven([...record.unproven, ...replay.unproven]),
  });
}

function reportOf(
  events: number,
  counts: DecisionCounts,
  seals: SealReport,
  { listed, count, unproven }: { listed: Finding[]; count: number; unproven: Unproven[] },
): VerifyReport {
  return {
    events,
    ...counts,
    findingCount: count,
    findings: listed,
    chain: listed.filter(({ check }) => check === 'D' || check === 'R'),
    differences: listed.filter(({ check }) => check === 'M'),
    unproven,
    seals,
  };
}

/** What the first reading has found out. */
interface FirstReading {
  events: number;
  seed: string;
  seals: SealReport;
  tapes: Tapes;
  lag: number;
  leftOut: LeftOutStreams;
  rules: WriteRules;
  /** Position of the last event. */
  until: number;
}

/** What one part has to find is left to it by the other, which still needs to know what it looks at. */
function findingsOf(part: VerifyPart, options: VerifyOptions, findings: Findings): Findings {
  return options.part === undefined || options.part === part ? findings : new Findings();
}

async function readEvents(options: VerifyOptions, findings: Findings): Promise<FirstReading> {
  const { log, cluster, part, onProgress } = options;
  const ofRecord = findingsOf('record', options, findings);
  const seals = new SealCheck(ofRecord, options.seals);
  const tapes = new Tapes(findingsOf('replay', options, findings));
  const checks: EventCheck[] =
    part === 'replay' ? [] : [new DigestChain(cluster, findings), new KnownStreams(cluster, findings), new Payloads(findings), seals];
  const reader = new EventReader();
  const lag = new LongestLag();
  const leftOut = new LeftOutStreams();
  const rules = new WriteRules(ofRecord, findings);
  let { seed } = options;
  let [events, until] = [0, 0];
  for await (const page of log.readAll({ filter: { streamPrefixes: [clusterPrefix(cluster)] } })) {
    for (const event of page) {
      if (event.position > (options.until ?? Infinity)) break;
      events++;
      until = event.position;
      if (event.type === 'ClusterCreated') seed ??= event.data.seed as string;
      for (const check of checks) guarded(check.letter, findings, event, () => check.event(event));
      guarded('D', ofRecord, event, () => {
        const read = reader.read(event);
        if (part !== 'record') tapes.add(read);
        lag.add(read);
        leftOut.add(read);
        rules.add(read);
      });
    }
    onProgress?.({ reading: 1, events, position: until });
    if (options.until !== undefined && until >= options.until) break;
  }
  for (const check of checks) check.end?.();
  return { events, seed: seed ?? '', seals: seals.result(), tapes, lag: lag.longest, leftOut, rules, until };
}

function appendChecks(
  options: VerifyOptions,
  { seed, tapes, lag, leftOut, rules }: FirstReading,
  findings: Findings,
): { checks: AppendCheck[]; machines: Machines } {
  const { cluster, part, controllers } = options;
  const past = new RecentPast(lag);
  const reviews = new Reviews(findingsOf('record', options, findings));
  const kept = new KeptRequests(findings);
  const machines = new Machines({ controllerOf: factoryOf(controllers), tapes, seed, findings, writes: { past, reviews, rules } });
  const ofRecord: AppendCheck[] = [
    new NotesCheck(cluster, findings),
    new AppendNumbersCheck(cluster, findings),
    new EventLifetimes(cluster, findings),
    new WriterLives(cluster, findings),
    new Behaviours(cluster, findings),
    new DecidedWrites(cluster, findings),
    new Identity(cluster, seed, findings),
    new Times(cluster, findings, leftOut, lag),
    reviews,
    kept,
    new ToldOwnersCheck(findings),
    new LawfulWrites(cluster, seed, findings, past, reviews, kept, rules),
  ];
  const ofReplay: AppendCheck[] = [machines];
  const checks = part === 'record' ? ofRecord : part === 'replay' ? [reviews, ...ofReplay] : [...ofRecord, ...ofReplay];
  return { checks: [...checks, past], machines };
}

async function foldAppends(options: VerifyOptions, until: number, findings: Findings, checks: readonly AppendCheck[]): Promise<void> {
  const { log, cluster, onProgress } = options;
  const ofRecord = findingsOf('record', options, findings);
  const each = (event: RecordedEvent, look: (check: AppendCheck) => void): void => {
    for (const check of checks) guarded(check.letter, findings, event, () => look(check));
  };
  await replayLog({
    log,
    cluster,
    until,
    beforeAppend: (append, state) => each(append[0] as RecordedEvent, (check) => check.append?.(append, state)),
    onFolded: (frame, state) => each(frame.events[0] as RecordedEvent, (check) => check.folded?.(frame, state)),
    onTorn: (error) => ofRecord.found(tornAppend(error)),
    onBroken: (event, error) => ofRecord.found(brokenEvent(event, error)),
    onProgress: (events, position) => onProgress?.({ reading: 2, events, position }),
  });
  for (const check of checks) check.end?.();
}
