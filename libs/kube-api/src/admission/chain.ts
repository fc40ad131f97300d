import type { Fact } from '#libs/events';
import type { GroupResource, KubeObject } from '#libs/kernel';
import type { ResourceKind } from '../kinds/resource-kind';
import type { AdmissionConfiguration } from './configuration';
import { isFailure, type Failure, type Status } from '../status';
import type { Annotate, CalledFor, Operation } from './attributes';
import { answerTo, asked, type NeededReview, type ReviewAnswer, type ReviewPhase } from './review';

/** What admission looks up, and the chance it needs. */
export interface AdmissionLookup {
  namespace(name: string): KubeObject | undefined;
  serviceAccount(namespace: string, name: string): KubeObject | undefined;
  runtimeClass?(name: string): KubeObject | undefined;
  storageClass?(name: string): KubeObject | undefined;
  /** The one that claims get which name none. */
  defaultStorageClass?(): KubeObject | undefined;
  /** The one that Ingresses get which name none. */
  defaultIngressClass?(): KubeObject | undefined;
  /** Those of a namespace, by name; undefined where there are none. */
  limitRanges?(namespace: string): readonly KubeObject[] | undefined;
  podsOf?(namespace: string): Iterable<KubeObject>;
  /** Those of a namespace, by name; undefined where there are none. */
  resourceQuotas?(namespace: string): readonly KubeObject[] | undefined;
  /** What the server is configured to admit by. */
  readonly configuration?: AdmissionConfiguration;
  /** All objects of a resource, those of one namespace where one is named. Absent: nobody has configured webhooks or policies. */
  list?(resource: GroupResource, namespace?: string): Iterable<KubeObject>;
  /** Five characters for the name of a generated volume. */
  suffix(): string;
}

/** The write that is to be admitted, beside its object (upstream: the attributes of an admission request). */
export interface Admission {
  readonly kind: ResourceKind;
  readonly operation: Operation;
  /** Writes through a subresource are admitted by those who ask for that subresource. */
  readonly subresource?: string;
  readonly old?: KubeObject;
  readonly dryRun?: boolean;
  readonly lookup: AdmissionLookup;
  /** What reviewers have answered so far. */
  readonly answers: readonly ReviewAnswer[];
  /** Who asks: a user, or the account of a controller. */
  readonly userName?: string;
  /** Tells the client something beside the answer. */
  warn?(text: string): void;
  /** Absent: the request is not recorded. */
  readonly annotate?: Annotate;
  /**
   * What webhooks and policies see of the request. Absent: none of them has a say, as in what the server makes for itself, or in what is made
   * ready only to see what is wrong with it.
   */
  readonly called?: CalledFor;
}

interface Step {
  /** Upstream's name of the plug-in. */
  readonly name: string;
  /** Upstream has it off unless it is asked for. */
  readonly isOptIn?: boolean;
  /** Follows from what is written and how alone, never from the object: it is found out once (see `concernedSteps`). */
  handles(written: Written): boolean;
}

/** What is written, and how. */
export type Written = Pick<Admission, 'kind' | 'operation' | 'subresource'>;

/** Whether a step has a say: its plug-in is on, and the write is one of those that it looks at. */
function isConcerned(step: AdmissionStep, admission: Admission): boolean {
  const { configuration } = admission.lookup;
  const isOn = step.isOptIn ? configuration?.enabled.includes(step.name) : !configuration?.disabled.includes(step.name);
  return Boolean(isOn) && step.handles(admission);
}

/** A part of admission that follows from the state. */
export interface OwnStep extends Step {
  /** The object as it goes on, or why it does not. In the later phases the object stays as it is. */
  admit(object: KubeObject, admission: Admission): KubeObject | Failure;
}

/** A part of admission that somebody else decides, who is asked and answers over the log. */
export interface ReviewStep extends Step, Pick<NeededReview, 'reviewer' | 'stream' | 'isAnswer'> {
  /** Undefined: there is nothing to ask, and the object goes on as it is. */
  question(object: KubeObject, admission: Admission): Fact | undefined;
  /** What the answer makes of the object. */
  answered(object: KubeObject, answer: ReviewAnswer): KubeObject | Failure;
}

export type AdmissionStep = OwnStep | ReviewStep;

export type Admitted =
  | { readonly kind: 'admitted'; readonly object: KubeObject }
  | { readonly kind: 'refused'; readonly status: Status }
  | { readonly kind: 'review'; readonly reviews: readonly NeededReview[] };

export function isReview(step: AdmissionStep): step is ReviewStep {
  return 'question' in step;
}

/** The mutating phase: one after the other, each on what the one before has made of the object. A review that is not answered ends it. */
export function mutate(steps: readonly AdmissionStep[], given: KubeObject, admission: Admission): Admitted {
  let object = given;
  for (const step of steps) {
    if (!isConcerned(step, admission)) continue;
    const outcome = isReview(step) ? reviewed('mutate', step, object, admission) : step.admit(object, admission);
    if (isNeeded(outcome)) return { kind: 'review', reviews: [outcome] };
    if (isFailure(outcome)) return { kind: 'refused', status: outcome };
    object = outcome;
  }
  return { kind: 'admitted', object };
}

/**
 * A phase that judges and changes nothing: all reviewers are asked at once. What refuses the object is found in the order of the steps, so
 * nothing is refused before those ahead have answered.
 */
export function judge(phase: 'validate' | 'charge', steps: readonly AdmissionStep[], object: KubeObject, admission: Admission): Admitted {
  const reviews: NeededReview[] = [];
  for (const step of steps) {
    if (!isConcerned(step, admission)) continue;
    const outcome = isReview(step) ? reviewed(phase, step, object, admission) : step.admit(object, admission);
    if (isNeeded(outcome)) reviews.push(outcome);
    else if (isFailure(outcome) && reviews.length === 0) return { kind: 'refused', status: outcome };
  }
  return reviews.length > 0 ? { kind: 'review', reviews } : { kind: 'admitted', object };
}

function reviewed(phase: ReviewPhase, step: ReviewStep, object: KubeObject, admission: Admission): KubeObject | Failure | NeededReview {
  const needed = reviewOf(phase, step, object, admission);
  if (!needed) return object;
  const answer = answerTo(needed, admission.answers);
  return answer ? step.answered(object, answer) : needed;
}

/** The review that a step asks for. */
export function reviewOf(phase: ReviewPhase, step: ReviewStep, object: KubeObject, admission: Admission): NeededReview | undefined {
  const { reviewer, stream, isAnswer } = step;
  const question = step.question(object, admission);
  return question && { phase, reviewer, stream, isAnswer, ...asked(question) };
}

function isNeeded(outcome: KubeObject | Failure | NeededReview): outcome is NeededReview {
  return typeof (outcome as { isAnswer?: unknown }).isAnswer === 'function';
}
