import { jsonDigest, type Fact } from '#libs/events';
import type { JsonObject } from '#libs/kernel';
import type { OutsideCall } from './webhooks/review';

/** What a review is about; the phases come in this order, and a later one is asked only when all of an earlier one have answered. */
export type ReviewPhase = 'mutate' | 'validate' | 'charge';

/** An answer as it is in the log: the event's type and payload. */
export interface ReviewAnswer {
  readonly type: string;
  readonly data: JsonObject;
}

/** A question that has to be answered before the write can go on. */
export interface NeededReview {
  readonly phase: ReviewPhase;
  /** Who answers, for the user to read. */
  readonly reviewer: string;
  readonly stream: 'admission-reviews' | 'eviction-reviews';
  /** What is recorded to ask it, with the digest of the question in it. */
  readonly request: Fact;
  /** Digest of what is asked; the answer names it. */
  readonly question: string;
  /** Whether an answer is one to this reviewer's questions, to this or to another. */
  isAnswer(answer: ReviewAnswer): boolean;
  /** Whoever answers is outside of the log: who asks has to call him, and to record what comes of it. */
  readonly call?: OutsideCall;
}

/** The request with the digest of what it asks. */
export function asked(facts: Fact): { request: Fact; question: string } {
  const question = jsonDigest(facts.data);
  return { request: { ...facts, data: { ...facts.data, question } }, question };
}

/** What an answer says of the question it was given to. Requests of older versions name none. */
export function answeredQuestion(request: object): { question?: string } {
  const { question } = request as { question?: string };
  return question === undefined ? {} : { question };
}

/**
 * The answer to a question: the last one that was given to it. An answer of an older version does not say to what it was given; it
 * counts for whatever its reviewer is asked.
 */
export function answerTo(
  { question, isAnswer }: Pick<NeededReview, 'question' | 'isAnswer'>,
  answers: readonly ReviewAnswer[],
): ReviewAnswer | undefined {
  return answers.findLast((answer) => isAnswer(answer) && (answer.data.question ?? question) === question);
}
