import { AppendTooLargeError, LogTimeoutError, OutcomeUnknownError, WrongExpectedRevisionError } from '#libs/event-log';
import type { FoldedAppend } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import { fact, objectStream, type Fact } from '#libs/events';
import { objectKey, type JsonObject, type KubeObject } from '#libs/kernel';
import {
  alreadyExists,
  internalError,
  prepareWrite,
  requestTooLarge,
  serverTimeout,
  staleResourceVersion,
  timeout,
  type CreateRequest,
  type NeededReview,
  type Prepared,
  type ReviewAnswer,
  type Status,
  type WriteRequest,
} from '#libs/kube-api';
import { requestNotes } from './append-notes';
import { callerOf } from './callers';
import { inTime, type WriteProgress } from './in-time';
import type { Origin } from './origin';
import { askOutside } from './outside-calls';
import type { ClusterRuntime, Stamping } from './runtime';
import { Turns } from './turns';

export type WriteResult =
  /** `object` as the API shows it after the write; for the final deletion, as it was, at the version of the deletion. */
  | { kind: 'written'; object: KubeObject; created: boolean; gone: boolean; position: number; warnings: string[] }
  | { kind: 'unchanged'; object: KubeObject; warnings: string[] }
  | { kind: 'dry-run'; object: KubeObject; created: boolean; warnings: string[] }
  | {
      kind: 'refused';
      status: Status;
      warnings?: readonly string[];
      /** No answer came, so it may be written all the same. */ isUncertain?: boolean;
    };

export interface WriterOptions {
  /** What to do when somebody else wrote first: prepare again on the new state, or refuse with a Conflict. */
  onConflict: 'retry' | 'refuse';
  /** The target as it is shown, where it may not be stored yet. */
  unstored?: KubeObject;
  /** Answers that stand in for reviews: what the server makes for itself, nobody reviews. */
  reviews?: readonly ReviewAnswer[];
}

/** How often a write is prepared again after somebody else was first: as long as its time lasts, where hundreds write to one object. */
const conflictRetriesMax = 1_000;
/** A reviewer that has not answered by then is away: nothing is created. Real time where time is real. */
export const reviewTimeoutMs = 5_000;

type Appended = Extract<Prepared, { kind: 'append' }>;

/** The one write path: prepare (pure), have it reviewed where a reviewer is asked for, append, wait for the fold. */
export class Writer {
  private readonly answers = new Map<string, (event: RecordedEvent) => void>();
  private readonly turns = new Turns();

  constructor(private readonly runtime: ClusterRuntime) {
    runtime.folded$.subscribe((appends) => this.hear(appends));
  }

  async write(request: WriteRequest, origin: Origin, options: WriterOptions = { onConflict: 'retry' }): Promise<WriteResult> {
    this.runtime.pending++;
    try {
      const progress: WriteProgress = { isSent: false };
      const asked = origin.basis ? origin : { ...origin, request: requestNotes(request, origin.agent) };
      if (this.runtime.options.keepsRequests && origin.actor.startsWith('user:')) await this.keep(request, asked);
      return await inTime(this.attempt(request, asked, options, progress), origin.signal, progress, () => this.runtime.trouble);
    } catch (error) {
      return { kind: 'refused', status: refusalOf(error), ...(error instanceof OutcomeUnknownError ? { isUncertain: true } : {}) };
    } finally {
      this.runtime.pending--;
    }
  }

  /**
   * Creates an object that is already as the write path would make it at this time, which spares making it so. For what this program itself
   * makes by the hundred; `verify` makes it again by the write path.
   * @param placed gives the object, by the id of the write and its time
   */
  async createMade(request: CreateRequest, placed: (id: string, now: number) => KubeObject, origin: Origin): Promise<WriteResult> {
    const { runtime } = this;
    runtime.pending++;
    try {
      const now = runtime.clock.now();
      const object = placed(`${runtime.seed}/${origin.operation}`, now);
      const { namespace, name } = object.metadata;
      const stream = objectStream(runtime.state.cluster, request.resource, namespace, name);
      const frames = [[fact('Created', { object })]];
      const prepared: Appended = { kind: 'append', stream, expected: 'no_stream', frames, object, created: true, warnings: [] };
      const asked = { ...origin, request: requestNotes(request, origin.agent) };
      return await this.append(prepared, request.resource, asked, { label: '0', time: now, at: runtime.state.position });
    } catch (error) {
      if (error instanceof WrongExpectedRevisionError)
        return { kind: 'refused', status: alreadyExists(request.resource, request.object.metadata.name) };
      return { kind: 'refused', status: refusalOf(error) };
    } finally {
      runtime.pending--;
    }
  }

  /** The request is in the log before what comes of it; where it cannot be, nothing comes of it. */
  private async keep(request: WriteRequest, origin: Origin): Promise<void> {
    const { operation: op } = origin;
    const kept = fact('RequestKept', { op, resource: resourceOf(request), request: request as unknown as JsonObject });
    await this.runtime.appendDecision('kept-requests', [kept], { ...origin, operation: `${op}/kept`, request: undefined }, '0');
  }

  private async attempt(request: WriteRequest, origin: Origin, options: WriterOptions, progress: WriteProgress): Promise<WriteResult> {
    let release: (() => void) | undefined;
    try {
      return await this.attempts(request, origin, options, progress, async (stream) => {
        // Those that lost a race go one after the other: hundreds that try again at once would lose it again and again.
        release ??= await this.turns.take(stream);
      });
    } finally {
      release?.();
    }
  }

  private async attempts(
    request: WriteRequest,
    origin: Origin,
    options: WriterOptions,
    progress: WriteProgress,
    inTurn: (stream: string) => Promise<void>,
  ): Promise<WriteResult> {
    const { unstored } = options;
    const { requester } = origin;
    const caller = options.reviews ? undefined : callerOf(origin, request);
    const annotated = origin.annotated?.bind(undefined, origin.operation);
    let { reviews = [] } = options;
    for (let attempt = 0; attempt <= conflictRetriesMax; attempt++) {
      const now = this.runtime.clock.now();
      const at = this.runtime.state.position;
      const id = `${this.runtime.seed}/${origin.operation}`;
      const prepared = prepareWrite(this.runtime.state, request, {
        now,
        id,
        reviews,
        unstored,
        requester,
        actor: origin.actor,
        caller,
        annotated,
      });
      if (prepared.kind === 'review') {
        const answered = await this.reviewed(prepared.reviews, origin, attempt);
        if ('status' in answered) return { kind: 'refused', status: answered.status };
        reviews = [...reviews.filter((old) => !isReplaced(old, prepared.reviews)), ...answered.answers];
        continue;
      }
      if (prepared.kind !== 'append') return prepared;
      progress.isSent = true;
      try {
        return await this.append(prepared, resourceOf(request), origin, { label: String(attempt), time: now, at });
      } catch (error) {
        if (!(error instanceof WrongExpectedRevisionError)) throw error;
        progress.isSent = false;
        if (options.onConflict === 'refuse')
          return { kind: 'refused', status: staleResourceVersion(resourceOf(request), prepared.object.metadata.name) };
        await inTurn(prepared.stream);
        await this.catchUp(error);
      }
    }
    return { kind: 'refused', status: serverTimeout(resourceOf(request), request.verb) };
  }

  /** One write is one append: all of its frames are written, or none, and then the whole request is prepared anew. */
  private async append(
    prepared: Appended,
    resource: string,
    origin: Origin,
    stamping: Pick<Stamping, 'label' | 'time' | 'at'>,
  ): Promise<WriteResult> {
    const { runtime } = this;
    const follows = runtime.state.head(prepared.stream)?.digest;
    const position = await runtime.append(prepared.stream, prepared.frames, prepared.expected, { ...stamping, origin, follows });
    const last = prepared.frames[prepared.frames.length - 1] ?? [];
    const gone = last.some((fact) => fact.type === 'Deleted');
    const resourceVersion = prepared.asWas ? prepared.object.metadata.resourceVersion : String(position);
    const { metadata } = prepared.object;
    // The very version that reads and watches show is written out, and its owners are found out, once for all of them.
    const folded = gone ? undefined : runtime.state.table(resource).get(objectKey(metadata.namespace, metadata.name));
    const object =
      folded && folded.metadata.resourceVersion === resourceVersion
        ? folded
        : { ...prepared.object, metadata: { ...metadata, resourceVersion } };
    return { kind: 'written', object, created: prepared.created, gone, position, warnings: prepared.warnings };
  }

  /** Asks all reviewers at once. One that does not answer is enough for nothing to be written; of several the first is named. */
  private async reviewed(
    needed: readonly NeededReview[],
    origin: Origin,
    attempt: number,
  ): Promise<{ answers: ReviewAnswer[] } | { status: Status }> {
    const answers: ReviewAnswer[] = [];
    const asker = { ...origin, basis: undefined, step: undefined, isOfDecision: origin.basis !== undefined };
    const asked = needed.map((review, index) => {
      const label = `review.${attempt}${index > 0 ? `.${index}` : ''}`;
      const { call } = review;
      return call ? askOutside(this.runtime, { ...review, call }, asker, label) : this.ask(review, asker, label);
    });
    for (const [index, event] of (await Promise.all(asked)).entries()) {
      const { reviewer, question, isAnswer } = needed[index] as NeededReview;
      if (!event) return { status: this.unanswered(reviewer) };
      const answer = { type: event.type, data: event.data };
      if (!isAnswer(answer) || answer.data.question !== question)
        return { status: internalError(`${reviewer} has answered another question`) };
      answers.push(answer);
    }
    return { answers };
  }

  private async ask({ stream, request }: NeededReview, asker: Origin, label: string): Promise<ReviewAnswer | undefined> {
    const { runtime } = this;
    // The answer may be folded before the append's own promise resolves, so the ear is there first.
    let answered: (event: RecordedEvent | undefined) => void = () => undefined;
    const answer = new Promise<RecordedEvent | undefined>((resolve) => (answered = resolve));
    const waitMs = Math.floor(runtime.clock.inRealMs(reviewTimeoutMs));
    const timer = runtime.clock.at(runtime.clock.now() + waitMs, () => answered(undefined));
    let review = '';
    const expectAnswer = (id: string): void => void this.answers.set((review = id), answered);
    try {
      await runtime.appendDecision(stream, [waitedFor(request, waitMs)], asker, label, expectAnswer);
      return await answer;
    } finally {
      timer.cancel();
      this.answers.delete(review);
    }
  }

  /** Where the log is away, so is the reviewer, who hears of nothing. */
  private unanswered(reviewer: string): Status {
    const { trouble } = this.runtime;
    const text = `${reviewer} gave no answer within ${reviewTimeoutMs / 1000}s`;
    if (trouble === undefined) return internalError(text);
    return timeout(`request did not complete within requested timeout - ${text}: ${trouble}; nothing was written`);
  }

  private hear(appends: readonly FoldedAppend[]): void {
    if (this.answers.size === 0) return;
    for (const append of appends) {
      if (append.change) continue;
      for (const event of append.events) {
        const review = event.data.review as string | undefined;
        if (review) this.answers.get(review)?.(event);
      }
    }
  }

  /** Waits until the fold has what got in between. */
  private async catchUp(error: WrongExpectedRevisionError): Promise<void> {
    const { runtime } = this;
    const head = await runtime.options.log.head(runtime.filter);
    if (head !== undefined && (runtime.state.head(error.stream)?.revision ?? -1) < (error.actual ?? -1)) await runtime.whenFolded(head);
  }
}

/** Whether an answer gives way to one that is to come: to the same question, or to one of a version that did not name its question. */
function isReplaced(old: ReviewAnswer, reviews: readonly NeededReview[]): boolean {
  return reviews.some(({ isAnswer, question }) => isAnswer(old) && (old.data['question'] ?? question) === question);
}

/** Who charges something charges nothing for somebody who has stopped waiting: he has to know when that is. */
function waitedFor(request: Fact, waitMs: number): Fact {
  const isCharge = request.type === 'EvictionRequested' || request.type === 'QuotaRequested';
  const isTold = isCharge && waitMs !== reviewTimeoutMs;
  return isTold ? { ...request, data: { ...request.data, waitMs } } : request;
}

function resourceOf(request: WriteRequest): string {
  return request.verb === 'create' ? request.resource : request.target.resource;
}

function refusalOf(error: unknown): Status {
  if (error instanceof AppendTooLargeError)
    return requestTooLarge(`the object is too large to be stored: the limit of one write is ${error.bytesMax} bytes`);
  if (error instanceof LogTimeoutError) return timeout(`request did not complete within requested timeout - ${error.message}`);
  return internalError(error instanceof Error ? error.message : String(error));
}
