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
import { Findings, type Finding, type Unproven } from './finding';
import { Identity } from './identity';
import { KnownStreams } from './known-streams';
import { Payloads } from './payloads';
import { LawfulWrites } from './lawful-writes';
import { LongestLag } from './longest-lag';
import { RecentPast } from './recent-past';
import { Reviews } from './reviews';
import { Times } from './times';
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
  onProgress?: (eventsDone: number) => void;
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
  const tapes = new Tapes(findings);
  const { events, seed, seals, lag } = await readEvents(options, findings, tapes);
  const past = new RecentPast(lag);
  const reviews = new Reviews(findings);
  const machines = new Machines({ controllerOf: factoryOf(options.controllers), tapes, seed, findings, writes: { past, reviews } });
  const { cluster } = options;
  const checks: AppendCheck[] = [
    new AppendNumbersCheck(cluster, findings),
    new WriterLives(cluster, findings),
    new Behaviours(cluster, findings),
    new DecidedWrites(cluster, findings),
    new Identity(cluster, seed, findings),
    new Times(cluster, findings, past),
    reviews,
    new LawfulWrites(cluster, seed, findings, past, reviews),
    machines,
    past,
  ];
  await foldAppends(options, { events, findings, checks });
  const { listed } = findings;
  return {
    events,
    ...machines.counts,
    findingCount: findings.count,
    findings: listed,
    chain: listed.filter(({ check }) => check === 'D' || check === 'R'),
    differences: listed.filter(({ check }) => check === 'M'),
    unproven: findings.notProven(),
    seals,
  };
}

async function readEvents(
  options: VerifyOptions,
  findings: Findings,
  tapes: Tapes,
): Promise<{ events: number; seed: string; seals: SealReport; lag: number }> {
  const { log, cluster } = options;
  const seals = new SealCheck(findings, options.seals);
  const checks: EventCheck[] = [new DigestChain(cluster, findings), new KnownStreams(cluster, findings), new Payloads(findings), seals];
  const reader = new EventReader();
  const lag = new LongestLag();
  let { seed } = options;
  let events = 0;
  for await (const page of log.readAll({ filter: { streamPrefixes: [clusterPrefix(cluster)] } })) {
    for (const event of page) {
      events++;
      if (event.type === 'ClusterCreated') seed ??= event.data.seed as string;
      for (const check of checks) guarded(check.letter, findings, event, () => check.event(event));
      guarded('D', findings, event, () => {
        const read = reader.read(event);
        tapes.add(read);
        lag.add(read);
      });
    }
    options.onProgress?.(events);
  }
  for (const check of checks) check.end?.();
  return { events, seed: seed ?? '', seals: seals.result(), lag: lag.longest };
}

interface SecondPass {
  /** Events of the log, as the first pass has counted them. */
  events: number;
  findings: Findings;
  checks: readonly AppendCheck[];
}

async function foldAppends({ log, cluster, onProgress }: VerifyOptions, { events, findings, checks }: SecondPass): Promise<void> {
  const each = (event: RecordedEvent, look: (check: AppendCheck) => void): void => {
    for (const check of checks) guarded(check.letter, findings, event, () => look(check));
  };
  await replayLog({
    log,
    cluster,
    beforeAppend: (append, state) => each(append[0] as RecordedEvent, (check) => check.append?.(append, state)),
    onFolded: (frame, state) => each(frame.events[0] as RecordedEvent, (check) => check.folded?.(frame, state)),
    onTorn: (error) => findings.found(tornAppend(error)),
    onBroken: (event, error) => findings.found(brokenEvent(event, error)),
    onProgress: (done) => onProgress?.(events + done),
  });
  for (const check of checks) check.end?.();
}
