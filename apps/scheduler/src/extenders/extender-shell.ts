import type { Subscription } from 'rxjs';
import type { ClusterRuntime, Origin } from '#libs/control-loop';
import { AppendTooLargeError, type RecordedEvent } from '#libs/event-log';
import { fact } from '#libs/events';
import type { Json, JsonObject } from '#libs/kernel';
import type { SchedulerController } from '#libs/scheduler';
import { recordedAnswer, type ExtenderAnswer, type ExtenderCall } from '#libs/scheduling';

/** Sends a question and gives what came back: the body of a 200, or why there is none. Never rejects. */
export type ExtenderSender = (call: ExtenderCall) => Promise<{ body: Json } | { error: string }>;

/** Questions kept for their record; more than can be under way at once, so that only those go whose record was refused. */
const unsentMax = 1_024;
/** How often the recording of an answer is tried before the scheduler is left waiting (the log is gone then). */
const recordAttemptsMax = 5;

/**
 * Between the pure scheduler and its extenders: sends each question once it is recorded, and records the answer, which the
 * scheduler then finds in the log. A question that a scheduler of before left open is nobody's: its attempt begins anew.
 */
export class ExtenderShell {
  /** Decided on and not yet seen in the log, by the name of the question. */
  private readonly unsent = new Map<string, ExtenderCall>();
  private subscriptions: Subscription | undefined;

  constructor(
    private readonly runtime: ClusterRuntime,
    private readonly controller: Pick<SchedulerController, 'name'>,
    private readonly send: ExtenderSender,
  ) {}

  start(): void {
    const { calls$, folded$ } = this.runtime;
    this.subscriptions = calls$.subscribe(({ ask, request }) => {
      if (ask.startsWith(`${this.controller.name}/`)) this.keep(ask, request as ExtenderCall);
    });
    const folded = folded$.subscribe((appends) => {
      for (const { change, events } of appends) if (!change) for (const event of events) this.take(event);
    });
    this.subscriptions.add(folded);
  }

  stop(): void {
    this.subscriptions?.unsubscribe();
    this.unsent.clear();
  }

  private keep(ask: string, call: ExtenderCall): void {
    this.unsent.set(ask, call);
    if (this.unsent.size <= unsentMax) return;
    const [oldest] = this.unsent.keys();
    this.unsent.delete(oldest as string);
  }

  private take(event: RecordedEvent): void {
    if (event.type !== 'ExtenderAsked') return;
    const ask = event.data.ask as string;
    const call = this.unsent.get(ask);
    if (!call) return;
    this.unsent.delete(ask);
    void this.answer(event, call);
  }

  private async answer(asked: RecordedEvent, call: ExtenderCall): Promise<void> {
    this.runtime.pending++;
    try {
      const reply = await this.send(call);
      await this.record(asked, 'error' in reply ? reply : recordedAnswer(call.verb, reply.body));
    } finally {
      this.runtime.pending--;
    }
  }

  private async record(asked: RecordedEvent, answer: ExtenderAnswer, attempt = 1): Promise<void> {
    const { ask, namespace, pod, uid } = asked.data as Record<'ask' | 'namespace' | 'pod' | 'uid', string>;
    const origin: Origin = {
      actor: this.controller.name,
      operation: `${ask}/answer`,
      correlationId: asked.metadata.$correlationId as string,
      causationId: asked.id,
    };
    try {
      const answered = fact('ExtenderAnswered', { ask, namespace, pod, uid, answer: answer as unknown as JsonObject });
      await this.runtime.appendDecision('scheduler-decisions', [answered], origin, String(attempt));
    } catch (error) {
      if (attempt >= recordAttemptsMax) return;
      const isTooLarge = error instanceof AppendTooLargeError;
      await this.record(asked, isTooLarge ? { error: `the answer is too large to be recorded: ${error.message}` } : answer, attempt + 1);
    }
  }
}
