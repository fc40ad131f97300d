import type { Subscription } from 'rxjs';
import { AppendTooLargeError, type RecordedEvent } from '#libs/event-log';
import type { DecisionStream, Fact } from '#libs/events';
import type { Json } from '#libs/kernel';
import type { Origin } from './origin';
import type { ClusterRuntime } from './runtime';

/** What came back from outside: the body of an answer, or why there is none. */
export type Reply = { body: Json } | { error: string };

/** One kind of calls to somebody outside of the cluster: who is asked, and how question and answer are recorded. */
export interface OutsideCalls<Request> {
  /** The controller whose decisions ask; the names of its questions begin with it. */
  readonly asker: string;
  /** Where its questions and their answers are recorded. */
  readonly stream: DecisionStream;
  /** Type of the events that record a question, with its name as `ask` and its digest as `question`. */
  readonly asked: Fact['type'];
  /** Sends a question. Has to end by itself, within the time that the question is given; never rejects. */
  send(request: Request): Promise<Reply>;
  /** The record of the answer. It names the question and its digest, so that it counts for nothing else. */
  answered(asked: RecordedEvent, request: Request, reply: Reply): Fact;
}

/** Questions kept for their record; more than can be under way at once, so that only those go whose record was refused. */
const unsentMax = 1_024;
/** How often the recording of an answer is tried before the asker is left waiting (the log is gone then). */
const recordAttemptsMax = 5;

/**
 * Between pure controllers and whoever they ask outside: sends a question once it is recorded, and records the answer, which the asker
 * then finds in the log. A question that a process of before left open is nobody's: whoever needs the answer asks anew.
 */
export class CallShell<Request> {
  /** Decided on and not yet seen in the log, by the name of the question. */
  private readonly unsent = new Map<string, Request>();
  private subscriptions: Subscription | undefined;

  constructor(
    private readonly runtime: ClusterRuntime,
    private readonly calls: OutsideCalls<Request>,
  ) {}

  start(): void {
    const { calls$, folded$ } = this.runtime;
    this.subscriptions = calls$.subscribe(({ ask, request }) => {
      if (ask.startsWith(`${this.calls.asker}/`)) this.keep(ask, request as Request);
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

  private keep(ask: string, request: Request): void {
    this.unsent.set(ask, request);
    if (this.unsent.size <= unsentMax) return;
    const [oldest] = this.unsent.keys();
    this.unsent.delete(oldest as string);
  }

  private take(event: RecordedEvent): void {
    if (event.type !== this.calls.asked) return;
    const ask = event.data.ask as string;
    const request = this.unsent.get(ask);
    if (request === undefined) return;
    this.unsent.delete(ask);
    void this.answer(event, request);
  }

  private async answer(asked: RecordedEvent, request: Request): Promise<void> {
    this.runtime.pending++;
    try {
      await this.record(asked, request, await this.calls.send(request));
    } finally {
      this.runtime.pending--;
    }
  }

  private async record(asked: RecordedEvent, request: Request, reply: Reply, attempt = 1): Promise<void> {
    const origin: Origin = {
      actor: this.calls.asker,
      operation: `${asked.data.ask as string}/answer`,
      correlationId: asked.metadata.$correlationId as string,
      causationId: asked.id,
    };
    try {
      await this.runtime.appendDecision(this.calls.stream, [this.calls.answered(asked, request, reply)], origin, String(attempt));
    } catch (error) {
      if (attempt >= recordAttemptsMax) return;
      const isTooLarge = error instanceof AppendTooLargeError;
      const kept = isTooLarge ? { error: `the answer is too large to be recorded: ${error.message}` } : reply;
      await this.record(asked, request, kept, attempt + 1);
    }
  }
}
