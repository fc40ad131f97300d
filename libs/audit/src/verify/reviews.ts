import type { RecordedEvent } from '#libs/event-log';
import { jsonDigest } from '#libs/events';
import { derivedId } from '#libs/kernel';
import type { ReviewAnswer } from '#libs/kube-api';
import type { AppendCheck } from './check';
import type { Findings } from './finding';
import { isQuestion } from './identity';

/** A question to a reviewer, and its answer. */
export interface Review {
  question: RecordedEvent;
  answer?: RecordedEvent;
}

/** Reviews kept at most. */
const reviewsMax = 50_000;
/** A write uses its own within seconds, or minutes where the clock runs fast; cluster time, ms. */
const reviewMsMax = 1_200_000;
/** A write may have been prepared this often before it asks, or asks again. */
const attemptsMax = 21;

const questionOf: Readonly<Record<string, string>> = {
  PodAdmitted: 'PodAdmissionRequested',
  PodRejected: 'PodAdmissionRequested',
  PriorityClassAdmitted: 'PriorityClassAdmissionRequested',
  PriorityClassRejected: 'PriorityClassAdmissionRequested',
  EvictionGranted: 'EvictionRequested',
  EvictionRefused: 'EvictionRequested',
  QuotaGranted: 'QuotaRequested',
  QuotaRefused: 'QuotaRequested',
  WebhookAnswered: 'WebhookAsked',
  ConversionAnswered: 'ConversionAsked',
};

/** Each answer has a question, and each question to a reviewer at most one answer. */
export class Reviews implements AppendCheck {
  readonly letter = 'V';
  private readonly byId = new Map<string, Review>();
  /** Asked longer ago and not answered: a reviewer that was away answers when it comes back, though nobody waits any more. */
  private readonly open = new Map<string, Review>();
  /** Who has ever asked a reviewer. */
  private readonly askers = new Set<string>();
  /** Who has ever asked a webhook. */
  private readonly callers = new Set<string>();
  /** Digests of questions to extenders, by the decision that asks. */
  private readonly asks = new Map<string, unknown>();
  private hasForgotten = false;

  constructor(private readonly findings: Findings) {}

  append(events: readonly RecordedEvent[]): void {
    for (const event of events) {
      if (isQuestion(event)) this.asked(event);
      else if (questionOf[event.type] !== undefined) this.answered(event);
      else if (event.type === 'ExtenderAsked') this.extenderAsked(event);
      else if (event.type === 'ExtenderAnswered') this.extenderAnswered(event);
    }
  }

  /** What a write asked for, in order: one or several at once, and again where it would ask something else by then. */
  of(writer: string, operation: string): Review[] {
    const found: Review[] = [];
    // Most processes never ask, and the ids of what one would have asked take a hash each.
    if (!this.askers.has(writer)) return found;
    for (let attempt = 0, last = 0; attempt < last + attemptsMax; attempt++) {
      for (let index = 0; ; index++) {
        const label = `review.${attempt}${index > 0 ? `.${index}` : ''}`;
        const review = this.byId.get(derivedId(`${writer}/${operation}/${label}/0`));
        if (!review) break;
        found.push(review);
        last = attempt;
      }
    }
    return found;
  }

  /** What a write asked of webhooks and reviewers, where its writer has ever asked a webhook. */
  withWebhooksOf(writer: string, operation: string): Review[] {
    return this.callers.has(writer) ? this.of(writer, operation) : [];
  }

  private asked(event: RecordedEvent): void {
    const { question, waitMs: _waitMs, ...what } = event.data;
    if (question !== undefined && question !== jsonDigest(what))
      this.findings.foundAt('V', event, `it asks something else than what ${String(question)} is the digest of`);
    this.askers.add(event.metadata.writer as string);
    if (event.type === 'WebhookAsked') this.callers.add(event.metadata.writer as string);
    this.byId.set(event.id, { question: event });
    for (const [id, review] of this.byId) {
      const age = (event.metadata.time as number) - (review.question.metadata.time as number);
      if (this.byId.size <= reviewsMax && age <= reviewMsMax) break;
      this.byId.delete(id);
      if (!review.answer) this.leaveOpen(id, review);
    }
  }

  private leaveOpen(id: string, review: Review): void {
    this.open.set(id, review);
    if (this.open.size <= reviewsMax) return;
    this.hasForgotten = true;
    this.open.delete(this.open.keys().next().value as string);
  }

  private extenderAsked({ data }: RecordedEvent): void {
    this.asks.set(data.ask as string, data.question);
    if (this.asks.size <= reviewsMax) return;
    this.hasForgotten = true;
    this.asks.delete(this.asks.keys().next().value as string);
  }

  private extenderAnswered(event: RecordedEvent): void {
    const { ask, question } = event.data as { ask: string; question?: string };
    if (!this.asks.has(ask)) {
      if (!this.hasForgotten) this.findings.foundAt('V', event, 'nobody has asked for it');
    } else if (question !== undefined && question !== this.asks.get(ask)) {
      this.findings.foundAt('V', event, `it answers another question than ${ask} has asked`);
    }
  }

  private answered(event: RecordedEvent): void {
    const id = event.data.review as string;
    const review = this.byId.get(id) ?? this.open.get(id);
    this.open.delete(id);
    if (!review && this.hasForgotten) return;
    if (!review || review.question.type !== questionOf[event.type]) this.findings.foundAt('V', event, 'nobody has asked for it');
    else if (review.answer) this.findings.foundAt('V', event, `${review.answer.type} has answered ${review.question.id} before`);
    else review.answer = event;
    const { question } = event.data;
    if (review && question !== undefined && question !== review.question.data.question)
      this.findings.foundAt('V', event, `it answers another question than ${id} asks`);
  }
}

/** The first question of a type: about what the client has asked for. */
export function firstQuestionIn(reviews: readonly Review[], type: string): RecordedEvent | undefined {
  return reviews.find(({ question }) => question.type === type)?.question;
}

/** The last question of a type. */
export function questionIn(reviews: readonly Review[], type: string): RecordedEvent | undefined {
  return reviews.findLast(({ question }) => question.type === type)?.question;
}

/** The answers as the write path takes them. */
export function answersIn(reviews: readonly Review[]): ReviewAnswer[] {
  return reviews.flatMap(({ answer }) => (answer ? [{ type: answer.type, data: answer.data }] : []));
}
