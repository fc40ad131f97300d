import { framesOf, type ClusterState } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import { isSecretStream, type Fact, type StreamSubject } from '#libs/events';
import { jsonEqual, type JsonObject, type KubeObject } from '#libs/kernel';
import {
  kindsOf,
  prepareWrite,
  type Caller,
  type NeededReview,
  type Prepared,
  type ResourceKind,
  type StateView,
  type Target,
  type WriteContext,
  type WriteRequest,
} from '#libs/kube-api';
import { appendOf, type Append } from './append-of';
import type { AppendCheck } from './check';
import { compareButOwners, compareFacts, compareFrames, isOwners } from './compare-facts';
import type { Findings } from './finding';
import { isBootstrap } from './decided-writes';
import { isAdoption } from './identity';
import {
  askedUpdate,
  bindRequest,
  creationRequest,
  deleteOptions,
  unkeptRequests,
  type AskedVersion,
  evictRequest,
  factsOf,
  folded,
  releaseRequests,
  updateRequest,
  versionIn,
} from './lawful-requests';
import type { KeptRequests } from './kept-requests';
import type { RecentPast } from './recent-past';
import { answersIn, type Review, type Reviews } from './reviews';
import { callerIn, knownCaller, objectsAsked } from './webhook-questions';
import type { WriteRules } from './write-rules';

type ObjectSubject = StreamSubject & { kind: 'object' };

interface Write extends Append {
  subject: ObjectSubject;
  operation: string;
  target: Target;
  view: StateView;
  before: KubeObject | undefined;
  reviews: readonly Review[];
  caller: Caller | undefined;
  /** What was asked for, where the log has it. */
  asked: WriteRequest | undefined;
}

/**
 * Each stored object, asked for again exactly as it is, must be written exactly so. So defaults are there, rules of validation and of
 * updates hold, and nobody has got past admission, whoever wrote. What controllers write but for creations is held against their
 * decisions instead.
 */
export class LawfulWrites implements AppendCheck {
  readonly letter = 'W';

  constructor(
    private readonly cluster: string,
    private readonly seed: string,
    private readonly findings: Findings,
    private readonly past: RecentPast,
    private readonly reviews: Reviews,
    private readonly kept: KeptRequests,
    private readonly rules: WriteRules,
  ) {}

  append(events: readonly RecordedEvent[], cluster: ClusterState): void {
    const append = appendOf(events, this.cluster);
    const { subject, notes, operation, first } = append;
    if (subject?.kind !== 'object' || notes.at === undefined || operation === undefined) return;
    // The store takes no write that was prepared on what is not there any more.
    if (this.past.hasChanged(notes.at, subject.resource, subject.key))
      this.findings.foundAt('W', first, `it was prepared at ${notes.at}, and its object has changed since`);
    const isCreation = first.type === 'Created' && !isAdoption(append);
    if (notes.basis && !isCreation) return;
    const view = this.past.at(notes.at, cluster);
    if (!view) {
      this.findings.unproven(
        `not-derivable=${notes.writer}`,
        first.position,
        `it was prepared at ${notes.at}, too long before it was written`,
      );
      return;
    }
    const { resource, name } = subject;
    const namespace = subject.namespace === '' ? undefined : subject.namespace;
    const reviews = this.reviews.of(notes.writer, operation);
    const before = view.get(resource, namespace, name);
    const write: Write = {
      ...append,
      subject,
      operation,
      target: { resource, namespace, name },
      view,
      before,
      reviews,
      caller: callerIn(reviews) ?? knownCaller(notes.actor),
      asked: this.kept.of(append),
    };
    if (isCreation) this.creation(write);
    else this.change(write);
  }

  private creation(write: Write): void {
    const { first, reviews, target, notes } = write;
    const object = first.data.object as unknown as KubeObject;
    const { objects, version } = askedOf(write);
    const request = write.asked ?? creationRequest(target, objects.at(-1) ?? object, reviews, notes, version);
    const answers = isBootstrap(write) ? serversOwn : answersIn(reviews);
    const prepared = this.prepared(write, request, { reviews: answers });
    if (prepared.kind === 'review') {
      for (const needed of prepared.reviews) this.unreviewed(write, needed);
      return;
    }
    const difference = this.difference(write, prepared);
    if (difference === undefined) return;
    const admitted = answers.findLast(({ type }) => type === 'PodAdmitted')?.data;
    if (admitted && hasOtherPriority(object, admitted))
      this.findings.foundAt('V', first, `the review says ${shownPriority(admitted)}, stored is ${shownPriority(object.spec)}`);
    else this.unlawful(write, difference);
  }

  private unlawful({ first, notes }: Write, text: string): void {
    if (!this.rules.excuse(notes.writer, first.position, text)) this.findings.foundAt('W', first, text);
  }

  /** A reviewer was not asked, or not this, or has not answered. */
  private unreviewed({ first, notes, reviews }: Write, { request, reviewer }: NeededReview): void {
    const review = reviews.findLast(
      ({ question }) => question.type === request.type && question.data.webhook === (request.data as JsonObject).webhook,
    );
    const isOfOtherRules = !review && this.rules.excuse(notes.writer, first.position, `${reviewer} was not asked`);
    if (isOfOtherRules) return;
    if (!review) this.findings.foundAt('V', first, `${reviewer} was not asked`);
    else if (!review.answer) this.findings.foundAt('V', first, `${reviewer} had not answered`);
    else this.findings.foundAt('V', review.question, compareFacts([request], [review.question]) ?? 'it was answered as another question');
  }

  private change(write: Write): void {
    const { first, notes } = write;
    const candidates = this.candidates(write);
    if (candidates.length === 0) {
      this.findings.foundAt('W', first, `${notes.verb ?? 'nobody'} does not write this`);
      return;
    }
    let why: string | undefined;
    for (const { request, context } of candidates) {
      const difference = this.difference(write, this.prepared(write, request, context));
      if (difference === undefined) return;
      why ??= difference;
    }
    this.unlawful(write, why as string);
  }

  /** What could have been asked for, so that this was written. */
  private candidates(write: Write): { request: WriteRequest; context: Partial<WriteContext> }[] {
    const { events, notes, target, reviews } = write;
    const adopted = isAdoption(write) ? shownBefore(events[0] as RecordedEvent) : undefined;
    const before = adopted ?? write.before;
    const last = framesOf(events).slice(adopted ? 1 : 0);
    const context = { reviews: answersIn(reviews), unstored: adopted };
    const one = (request: WriteRequest | undefined): ReturnType<typeof this.candidates> => (request ? [{ request, context }] : []);
    if (write.asked) return one(write.asked);
    switch (notes.verb) {
      case 'update':
      case 'patch':
      case 'apply': {
        if (!before) return [];
        const after = folded(before, factsOf(last.flat()), notes.time);
        const { kind, objects, version } = askedOf(write);
        if (objects.length > 0) return objects.flatMap((each) => one(askedUpdate(target, before, each, notes, version)));
        if (!after) return releaseRequests(target, before, notes, reviews).flatMap(one);
        const request = updateRequest(kind, target, before, after, notes);
        return [request, ...unkeptRequests(kind, request)].flatMap(one);
      }
      case 'delete':
        return deleteOptions(events).flatMap((options) => one({ verb: 'delete', target, options }));
      case 'bind':
        return one(bindRequest(target, events));
      case 'evict':
        return one(evictRequest(target, reviews));
      default:
        return [];
    }
  }

  private prepared({ view, notes, operation, caller, asked }: Write, request: WriteRequest, context: Partial<WriteContext>): Prepared {
    const leavesOwners = !asked;
    return prepareWrite(view, request, {
      ...context,
      leavesOwners,
      caller,
      actor: notes.actor,
      now: notes.time,
      id: `${this.seed}/${operation}`,
    });
  }

  private difference(write: Write, prepared: Prepared): string | undefined {
    const { first, events } = write;
    if (prepared.kind === 'refused') return `the write made again is refused: ${refusalText(first.stream, prepared)}`;
    // Who owns what follows from the request itself.
    const compare = write.asked ? compareFrames : compareButOwners;
    if (prepared.kind === 'unchanged' && compare([], framesOf(events)) === undefined) return undefined;
    if (prepared.kind !== 'append') return `the write made again gives "${prepared.kind}"`;
    if (prepared.stream !== first.stream) return `the write made again goes to ${prepared.stream}`;
    const difference = compare(prepared.frames, framesOf(events));
    if (difference === undefined || isSameChange(write, prepared)) return undefined;
    return `the write made again: ${difference}`;
  }
}

interface Asked {
  readonly kind: ResourceKind;
  /** What webhooks were asked about. */
  readonly objects: readonly KubeObject[];
  /** The version that these are in. */
  readonly version: AskedVersion;
}

/** What of the request is told by those that were asked about it. */
function askedOf({ view, target, reviews, notes }: Write): Asked {
  const kind = kindsOf(view).kindOf(target.resource);
  if (!kind.form?.webhook) return { kind, objects: objectsAsked(reviews), version: {} };
  const { version: apiVersion = kind.apiVersion } = notes;
  const version = versionIn(apiVersion);
  return { kind, objects: objectsAsked(reviews, apiVersion), version: version === kind.version ? {} : { version } };
}

/** Refusals quote what is refused, which is not to be read of a Secret. */
function refusalText(stream: string, { status }: Extract<Prepared, { kind: 'refused' }>): string {
  return isSecretStream(stream) ? String(status.reason) : String(status.message);
}

/** What the server makes for itself, nobody reviews. */
const serversOwn = [
  { type: 'PriorityClassAdmitted', data: {} },
  { type: 'QuotaGranted', data: {} },
];

/**
 * The steps of a change may come in another order: after each event the object is the same, and so it is before it goes. Who owns what counts
 * only where the request is known.
 */
function isSameChange({ events, before, notes, asked }: Write, { frames }: Extract<Prepared, { kind: 'append' }>): boolean {
  const counts = (each: Fact): boolean => asked !== undefined || !isOwners(each);
  const facts = frames.flat().filter(counts);
  const recorded = factsOf(events).filter(counts);
  if (!before || facts.length !== recorded.length) return false;
  let [made, stored]: (KubeObject | undefined)[] = [before, before];
  return facts.every((fact, index) => {
    const { type } = recorded[index] as Fact;
    if (fact.type !== type) return false;
    made = folded(made, [fact], notes.time);
    stored = folded(stored, [recorded[index] as Fact], notes.time);
    return jsonEqual(JSON.parse(JSON.stringify(made ?? null)), JSON.parse(JSON.stringify(stored ?? null)));
  });
}

/** A derived Event as it was shown before it was stored. */
function shownBefore({ data, metadata }: RecordedEvent): KubeObject {
  const object = data.object as unknown as KubeObject;
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(metadata.at) } };
}

function hasOtherPriority({ spec }: KubeObject, answer: Record<string, unknown>): boolean {
  return ['priority', 'preemptionPolicy', 'priorityClassName'].some(
    (field) => answer[field] !== undefined && answer[field] !== spec?.[field],
  );
}

function shownPriority(fields: Record<string, unknown> | undefined): string {
  const { priority, preemptionPolicy, priorityClassName } = fields ?? {};
  return JSON.stringify({ priority, preemptionPolicy, priorityClassName });
}
