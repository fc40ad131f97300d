import type { RecordedEvent } from '#libs/event-log';
import type { Basis } from '#libs/events';
import type { JsonObject } from '#libs/kernel';

/** One decision as the log has it: its basis and every event that came of it, in log order. */
export interface RecordedDecision {
  basis: Basis;
  controller: string;
  incarnation: string;
  ordinal: number;
  actor: string;
  events: RecordedEvent[];
}

/** Collects decisions while the log is read. Only an append's first event carries the basis; the others follow it. */
export class DecisionCollector {
  readonly decisions = new Map<string, RecordedDecision>();
  /** Answers to reviews, by the id of the request. */
  readonly answers = new Map<string, RecordedEvent>();
  private readonly names = new Map<number, string>();
  private readonly configs = new Map<string, JsonObject>();
  private current: RecordedDecision | undefined;

  /** The configuration that was in force for a decision. */
  configOf({ controller, incarnation }: RecordedDecision): JsonObject {
    return this.configs.get(`${controller}/${incarnation}`) ?? {};
  }

  /** The decision that the event at this position came of. */
  decisionAt(position: number): string | undefined {
    return this.names.get(position);
  }

  /** @param event as EventReader gives it */
  add(event: RecordedEvent): void {
    if (typeof event.data.review === 'string') this.answers.set(event.data.review, event);
    if (event.type === 'ControllerStarted')
      this.configs.set(`${event.data.controller as string}/${event.position}`, (event.data.config as JsonObject | undefined) ?? {});
    if (event.metadata.i !== 1) {
      this.belongs(event);
      return;
    }
    const basis = event.metadata.basis as unknown as Basis | undefined;
    this.current = basis && this.decisionOf(basis, event.metadata.actor as string);
    this.belongs(event);
  }

  private belongs(event: RecordedEvent): void {
    if (!this.current) return;
    this.current.events.push(event);
    this.names.set(event.position, this.current.basis.decision);
  }

  private decisionOf(basis: Basis, actor: string): RecordedDecision {
    let decision = this.decisions.get(basis.decision);
    if (!decision) {
      const [controller = '', incarnation = '', ordinal = ''] = basis.decision.split('/');
      decision = { basis, controller, incarnation, ordinal: Number(ordinal), actor, events: [] };
      this.decisions.set(basis.decision, decision);
    }
    return decision;
  }
}
