import type { ClusterState } from '#libs/cluster-state';
import type { Controller } from '#libs/control-loop';
import type { EventLog, RecordedEvent } from '#libs/event-log';
import { clusterPrefix } from '#libs/events';
import { factoryOf, replayDecisions, type ControllerFactory, type DecisionMoment } from '../replay/replay-decisions';
import { DigestChain, brokenEvent, tornAppend, type ChainProblem } from './digest-chain';
import { DecisionCollector } from './recorded-decisions';
import { StepCheck } from './step-check';

export interface VerifyOptions {
  log: EventLog;
  cluster: string;
  /** The cluster's seed; taken from its first event when absent. */
  seed?: string;
  /** Those that decided, or how to make them with the configuration they had. */
  controllers: readonly Controller[] | ControllerFactory;
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
  /** Decisions that could not be made again, and why. */
  underivable: DecisionDifference[];
  chain: ChainProblem[];
}

/** Findings listed in full; the rest is counted. */
const listedMax = 1_000;

/** Reads the log twice: once for the digest chain and the decisions, once to make each decision again from its basis. */
export async function verify(options: VerifyOptions): Promise<VerifyReport> {
  const { log, cluster, controllers } = options;
  const chain = new DigestChain(cluster);
  const collector = new DecisionCollector();
  const report: VerifyReport = {
    events: 0,
    agreed: 0,
    differ: 0,
    otherVersion: 0,
    notDerivable: 0,
    differences: [],
    underivable: [],
    chain: [],
  };
  let { seed } = options;
  const note = (problems: ChainProblem[]): void => void report.chain.push(...problems.slice(0, listedMax - report.chain.length));
  for await (const page of log.readAll({ filter: { streamPrefixes: [clusterPrefix(cluster)] } })) {
    for (const event of page) {
      report.events++;
      if (event.type === 'ClusterCreated') seed ??= event.data.seed as string;
      note(chain.check(event));
      collector.add(event);
    }
    options.onProgress?.(report.events);
  }
  const rederivation = new Rederivation(seed ?? '', collector);
  await replayDecisions({
    log,
    cluster,
    seed: seed ?? '',
    controllers,
    collector,
    onDecision: (moment) => rederivation.decideAgain(moment),
    beforeAppend: (append, state) => rederivation.compare(append, state),
    onTorn: (error) => note([tornAppend(error)]),
    onBroken: (event, error) => note([brokenEvent(event, error)]),
    onProgress: (events) => options.onProgress?.(report.events + events),
  });
  rederivation.count(report, factoryOf(controllers));
  return report;
}

class Rederivation {
  private readonly checks = new Map<string, StepCheck>();
  private readonly failed = new Map<string, string>();

  constructor(
    private readonly seed: string,
    private readonly collector: DecisionCollector,
  ) {}

  decideAgain({ recorded, controller, state, cluster, context, assumed }: DecisionMoment): void {
    if (!controller.rederive) return;
    const { basis } = recorded;
    const made = controller.rederive(state, cluster, basis, context, assumed);
    if (made) this.checks.set(basis.decision, new StepCheck(made, basis.decision, this.seed, this.collector.answers));
    else this.failed.set(basis.decision, 'the basis gives no decision');
  }

  /** The append is held against its decision on the state just before it. */
  compare(append: readonly RecordedEvent[], cluster: ClusterState): void {
    const decision = (append[0]?.metadata.basis as { decision?: string } | undefined)?.decision;
    const check = decision === undefined ? undefined : this.checks.get(decision);
    if (!check || decision === undefined || this.failed.has(decision)) return;
    const difference = check.difference(append, cluster);
    if (difference) this.failed.set(decision, difference);
  }

  count(report: VerifyReport, controllerOf: ControllerFactory): void {
    for (const [name, decision] of this.collector.decisions) {
      const controller = controllerOf(decision.controller, this.collector.configOf(decision));
      const { subject, position } = decision.basis;
      const underivable = (text: string): void => {
        report.notDerivable++;
        if (report.underivable.length < listedMax) report.underivable.push({ decision: name, subject, position, text });
      };
      if (!controller) underivable('no such controller here');
      else if (!controller.rederive) underivable('the controller cannot make decisions again');
      else if (controller.behaviour !== decision.basis.behaviour) report.otherVersion++;
      else if (this.failed.has(name)) {
        report.differ++;
        if (report.differences.length < listedMax)
          report.differences.push({ decision: name, subject, position, text: this.failed.get(name) as string });
      } else if (this.checks.has(name)) report.agreed++;
      else underivable('its start, or the position it was made at, is not in the log');
    }
  }
}
