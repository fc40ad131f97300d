import type { ClusterState } from '#libs/cluster-state';
import type { Controller } from '#libs/control-loop';
import type { RecordedEvent } from '#libs/event-log';
import { factoryOf, type ControllerFactory, type DecisionMoment } from '../replay/replay-decisions';
import type { AppendCheck } from './check';
import type { Findings } from './finding';
import type { RecentPast } from './recent-past';
import type { DecisionCollector, RecordedDecision } from './recorded-decisions';
import { StepCheck } from './step-check';

export interface DecisionCounts {
  agreed: number;
  differ: number;
  otherVersion: number;
  notDerivable: number;
}

interface Failure {
  event: RecordedEvent;
  text: string;
}

/** Makes each decision again at its basis, and holds its appends against it. */
export class Rederivation implements AppendCheck {
  readonly letter = 'M';
  private readonly checks = new Map<string, StepCheck>();
  private readonly failed = new Map<string, Failure>();

  constructor(
    private readonly seed: string,
    private readonly collector: DecisionCollector,
    private readonly findings: Findings,
    private readonly past: RecentPast,
  ) {}

  decideAgain({ recorded, controller, state, cluster, context, assumed }: DecisionMoment): void {
    if (!controller.rederive) return;
    const { basis } = recorded;
    const made = controller.rederive(state, cluster, basis, context, assumed);
    if (made) this.checks.set(basis.decision, new StepCheck(made, basis.decision, this.seed, this.collector.answers));
    else this.failed.set(basis.decision, { event: recorded.events[0] as RecordedEvent, text: 'the basis gives no decision' });
  }

  /** The append is held against its decision on the state that it was prepared on; until version 0.1.0, that just before it. */
  append(append: readonly RecordedEvent[], cluster: ClusterState): void {
    const event = append[0] as RecordedEvent;
    const decision = (event.metadata.basis as { decision?: string } | undefined)?.decision;
    const check = decision === undefined ? undefined : this.checks.get(decision);
    if (!check || decision === undefined || this.failed.has(decision)) return;
    const at = event.metadata.at as number | undefined;
    const text = check.difference(append, (at !== undefined && this.past.at(at, cluster)) || cluster);
    if (text) this.failed.set(decision, { event, text });
  }

  count(controllers: readonly Controller[] | ControllerFactory): DecisionCounts {
    const controllerOf = factoryOf(controllers);
    const counts: DecisionCounts = { agreed: 0, differ: 0, otherVersion: 0, notDerivable: 0 };
    for (const [name, decision] of this.collector.decisions) {
      const controller = controllerOf(decision.controller, this.collector.configOf(decision));
      const failure = this.failed.get(name);
      if (!controller) this.notDerivable(counts, decision, 'no such controller here');
      else if (!controller.rederive) this.notDerivable(counts, decision, 'the controller cannot make decisions again');
      else if (controller.behaviour !== decision.basis.behaviour) this.otherVersion(counts, decision, controller.behaviour);
      else if (failure) {
        counts.differ++;
        this.findings.foundAt('M', failure.event, `${name} on ${decision.basis.subject} at ${decision.basis.position}: ${failure.text}`);
      } else if (this.checks.has(name)) counts.agreed++;
      else this.notDerivable(counts, decision, 'its start, or the position it was made at, is not in the log');
    }
    return counts;
  }

  private otherVersion(counts: DecisionCounts, { controller, basis }: RecordedDecision, here: string): void {
    counts.otherVersion++;
    const text = `decided by behaviour ${basis.behaviour} of ${controller}; here it is ${here}`;
    this.findings.unproven(`other-version=${controller}@${basis.behaviour}`, basis.position, text);
  }

  private notDerivable(counts: DecisionCounts, { controller, basis }: RecordedDecision, why: string): void {
    counts.notDerivable++;
    this.findings.unproven(`not-derivable=${controller}`, basis.position, `${basis.decision} on ${basis.subject}: ${why}`);
  }
}
