import { AppendGrouper, ClusterState } from '#libs/cluster-state';
import type { AssumedDecision, Controller, DecisionContext } from '#libs/control-loop';
import type { EventLog, RecordedEvent } from '#libs/event-log';
import { clusterPrefix } from '#libs/events';
import { chanceOf } from '#libs/kernel';
import { DigestChain, type ChainProblem } from './digest-chain';
import { DecisionCollector, type RecordedDecision } from './recorded-decisions';
import { StepCheck } from './step-check';

export interface VerifyOptions {
  log: EventLog;
  cluster: string;
  /** The cluster's seed; taken from its first event when absent. */
  seed?: string;
  controllers: readonly Controller[];
  onProgress?: (eventsDone: number) => void;
}

export interface DecisionDifference {
  decision: string;
  subject: string;
  position: number;
  text: string;
}

export interface VerifyReport {
  events: number;
  agreed: number;
  differ: number;
  otherVersion: number;
  notDerivable: number;
  differences: DecisionDifference[];
  chain: ChainProblem[];
}

/** Findings listed in full; the rest is counted. */
const listedMax = 1_000;

/** Reads the log twice: once for the digest chain and the decisions, once to make each decision again from its basis. */
export async function verify(options: VerifyOptions): Promise<VerifyReport> {
  const { log, cluster } = options;
  const chain = new DigestChain(cluster);
  const collector = new DecisionCollector();
  const report: VerifyReport = { events: 0, agreed: 0, differ: 0, otherVersion: 0, notDerivable: 0, differences: [], chain: [] };
  let { seed } = options;
  for await (const page of log.readAll({ filter: { streamPrefixes: [clusterPrefix(cluster)] } })) {
    for (const event of page) {
      report.events++;
      if (event.type === 'ClusterCreated') seed ??= event.data.seed as string;
      for (const problem of chain.check(event)) if (report.chain.length < listedMax) report.chain.push(problem);
      collector.add(event);
    }
    options.onProgress?.(report.events);
  }
  await new Rederivation(options, seed ?? '', collector, report).run();
  return report;
}

class Rederivation {
  private readonly controllers: ReadonlyMap<string, Controller>;
  private readonly states = new Map<string, unknown>();
  private readonly byPosition = new Map<number, RecordedDecision[]>();
  private readonly byIncarnation = new Map<string, RecordedDecision[]>();
  private readonly checks = new Map<string, StepCheck>();
  private readonly failed = new Map<string, string>();
  private readonly state: ClusterState;

  constructor(
    private readonly options: VerifyOptions,
    private readonly seed: string,
    private readonly collector: DecisionCollector,
    private readonly report: VerifyReport,
  ) {
    this.state = new ClusterState(options.cluster);
    this.controllers = new Map(options.controllers.map((controller) => [controller.name, controller]));
    for (const decision of collector.decisions.values()) {
      push(this.byPosition, decision.basis.position, decision);
      push(this.byIncarnation, `${decision.controller}/${decision.incarnation}`, decision);
    }
    for (const list of [...this.byPosition.values(), ...this.byIncarnation.values()]) list.sort((a, b) => a.ordinal - b.ordinal);
  }

  async run(): Promise<void> {
    const grouper = new AppendGrouper();
    const { log, cluster } = this.options;
    let events = 0;
    for await (const page of log.readAll({ filter: { streamPrefixes: [clusterPrefix(cluster)] } })) {
      for (const event of page) {
        const append = grouper.add(event);
        if (append) this.take(append);
      }
      events += page.length;
      this.options.onProgress?.(this.report.events + events);
    }
    this.count();
  }

  /** The append is held against its decision on the state before it, then folded; then what was decided there is decided again. */
  private take(append: readonly RecordedEvent[]): void {
    const first = append[0] as RecordedEvent;
    const decision = (first.metadata.basis as { decision?: string } | undefined)?.decision;
    const check = decision === undefined ? undefined : this.checks.get(decision);
    if (check && decision !== undefined && !this.failed.has(decision)) {
      const difference = check.difference(append, this.state);
      if (difference) this.failed.set(decision, difference);
    }
    const folded = this.state.apply(append);
    if (!folded) return;
    for (const [key, state] of this.states) this.controllerOf(key)?.apply(state, folded, this.state, folded.time);
    if (first.type === 'ControllerStarted') this.started(first);
    for (const due of this.byPosition.get(folded.position) ?? []) this.rederive(due);
  }

  private started(event: RecordedEvent): void {
    const name = event.data.controller as string;
    const controller = this.controllers.get(name);
    // Only the newest start of a controller goes on folding: an older one has nothing more to decide.
    for (const key of this.states.keys()) if (key.startsWith(`${name}/`) && !this.decidesLater(key, event.position)) this.states.delete(key);
    if (controller) this.states.set(`${name}/${event.position}`, controller.initial(this.state, event.metadata.time as number));
  }

  private decidesLater(key: string, position: number): boolean {
    const decisions = this.byIncarnation.get(key);
    return (decisions?.[decisions.length - 1]?.basis.position ?? -1) >= position;
  }

  private controllerOf(key: string): Controller | undefined {
    return this.controllers.get(key.slice(0, key.indexOf('/')));
  }

  private rederive(recorded: RecordedDecision): void {
    const { basis, controller: name } = recorded;
    const controller = this.controllers.get(name);
    const key = `${name}/${recorded.incarnation}`;
    const state = this.states.get(key);
    if (!controller?.rederive || controller.behaviour !== basis.behaviour || state === undefined) return;
    const context: DecisionContext = { now: basis.now, decision: basis.decision, ordinal: recorded.ordinal, chance: chanceOf(this.seed, basis.decision) };
    const made = controller.rederive(state, this.state, basis, context, this.assumedBy(recorded, key));
    if (made) this.checks.set(basis.decision, new StepCheck(made, basis.decision, this.seed, this.collector.answers));
    else this.failed.set(basis.decision, 'the basis gives no decision');
  }

  private assumedBy(recorded: RecordedDecision, key: string): AssumedDecision[] {
    const { assumedFrom } = recorded.basis;
    if (assumedFrom === undefined) return [];
    const all = this.byIncarnation.get(key) ?? [];
    const assumed: AssumedDecision[] = [];
    for (let i = firstFrom(all, assumedFrom); i < all.length; i++) {
      const { ordinal, basis, events } = all[i] as RecordedDecision;
      if (ordinal >= recorded.ordinal) break;
      assumed.push({ ordinal, subject: basis.subject, events: events.map(({ type, stream, data }) => ({ type, stream, data })) });
    }
    return assumed;
  }

  private count(): void {
    const { report } = this;
    for (const [name, decision] of this.collector.decisions) {
      const controller = this.controllers.get(decision.controller);
      if (!controller?.rederive) report.notDerivable++;
      else if (controller.behaviour !== decision.basis.behaviour) report.otherVersion++;
      else if (this.failed.has(name)) {
        report.differ++;
        const { subject, position } = decision.basis;
        if (report.differences.length < listedMax) report.differences.push({ decision: name, subject, position, text: this.failed.get(name) as string });
      } else if (this.checks.has(name)) report.agreed++;
      else report.notDerivable++;
    }
  }
}

/** Index of the first decision whose ordinal is not below the given one. */
function firstFrom(decisions: readonly RecordedDecision[], ordinal: number): number {
  let low = 0;
  let high = decisions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((decisions[middle] as RecordedDecision).ordinal < ordinal) low = middle + 1;
    else high = middle;
  }
  return low;
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
