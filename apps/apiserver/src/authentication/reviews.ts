import { formatTime, type KubeObject } from '#libs/kernel';
import { badRequest, entriesOfNew, invalid, isFailure, selectorProblem, wireFormOf, type Failure, type ResourceKind } from '#libs/kube-api';
import type { Answer } from '../http/answer';
import { objectAnswer, refusedAnswer } from '../writing/results';
import { readSubmission, type Submission } from '../writing/submission';
import type { MutatingRequest } from '../writing/write-request';
import { isAllowed } from './authorization';
import type { Verdict } from './account-tokens';
import { userInfo, type User } from './user';

/** Whose a token is, for whom; without audiences: for the API server. */
export type ReviewToken = (token: string, audiences: readonly string[]) => Promise<Verdict>;

type Answered = KubeObject | Failure;
type Review = (review: KubeObject, request: MutatingRequest, reviewToken: ReviewToken) => Answered | Promise<Answered>;

const reviews: Readonly<Record<string, Review>> = {
  'subjectaccessreviews.authorization.k8s.io': reviewAccess,
  'selfsubjectaccessreviews.authorization.k8s.io': reviewAccess,
  'localsubjectaccessreviews.authorization.k8s.io': reviewAccess,
  'selfsubjectrulesreviews.authorization.k8s.io': reviewRules,
  'selfsubjectreviews.authentication.k8s.io': reviewSelf,
  'tokenreviews.authentication.k8s.io': reviewTokens,
};

export function isReview({ kind }: MutatingRequest): boolean {
  return Object.hasOwn(reviews, kind.groupResource);
}

/** POST of a question about who somebody is or what he may do: the answer is its status, and nothing is stored. */
export async function answerReview(request: MutatingRequest, reviewToken: ReviewToken): Promise<Answer | Failure> {
  const { kind, namespace } = request;
  const submitted = await readSubmission(request, 'create', kind);
  if (isFailure(submitted)) return submitted;
  const { object, warnings } = submitted;
  const { namespace: given, ...metadata } = withoutSystemFields(object.metadata ?? {});
  if (kind.namespaced && given && given !== namespace) {
    const refusal = badRequest('the namespace of the provided object does not match the namespace sent on the request');
    return refusedAnswer(request, refusal, warnings);
  }
  const asked = { ...object, metadata: { ...metadata, ...(kind.namespaced ? { namespace } : {}) } } as KubeObject;
  // Upstream leaves out the kind, and a review has no name.
  const refusal = wrongIn(kind, asked) && invalid(`.${kind.group}`, '', wrongIn(kind, ownedBySender(asked, submitted, request)) ?? []);
  const answered = refusal ?? (await (reviews[kind.groupResource] as Review)(asked, request, reviewToken));
  if (isFailure(answered)) return refusedAnswer(request, answered, warnings);
  return objectAnswer(request, 201, wireFormOf(kind, answered), warnings);
}

function wrongIn(kind: ResourceKind, review: KubeObject): FieldErrors | undefined {
  const errors: FieldErrors = [];
  kind.validation.create(review, errors);
  return errors.length > 0 ? errors : undefined;
}

type FieldErrors = Parameters<ResourceKind['validation']['create']>[1];

/** What is refused is quoted with its owner. */
function ownedBySender(review: KubeObject, { options }: Submission, { kind, view }: MutatingRequest): KubeObject {
  const managedFields = entriesOfNew(kind, review, { manager: options.fieldManager ?? '', now: view.time });
  return wireFormOf(kind, { ...review, metadata: { ...review.metadata, managedFields } } as KubeObject);
}

/** What the server alone says of an object, and so takes from every body of a creation. */
const systemFields = ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'];

function withoutSystemFields(metadata: object): KubeObject['metadata'] {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !systemFields.includes(key))) as unknown as KubeObject['metadata'];
}

/** Of oneself, or of whoever is named. */
function reviewAccess(review: KubeObject, { kind, user }: MutatingRequest): KubeObject {
  const { user: name = '', groups, nonResourceAttributes: path } = review.spec ?? {};
  const subject: User = kind.resource.startsWith('self') ? user : { name, groups: groups ?? [] };
  const evaluationError = selectorProblem(review);
  const status = { allowed: isAllowed(subject, path?.path), ...(evaluationError === '' ? {} : { evaluationError }) };
  return { ...review, status };
}

function reviewRules(review: KubeObject, { user }: MutatingRequest): KubeObject | Failure {
  if (!review.spec?.namespace) return badRequest('no namespace on request');
  const all = ['*'];
  const isAdministrator = isAllowed(user);
  const status = {
    resourceRules: isAdministrator ? [{ verbs: all, apiGroups: all, resources: all }] : [],
    nonResourceRules: isAdministrator ? [{ verbs: all, nonResourceURLs: all }] : [],
    incomplete: false,
  };
  return { metadata: {}, spec: {}, status } as unknown as KubeObject;
}

function reviewSelf(_: KubeObject, { user, view }: MutatingRequest): KubeObject {
  return { metadata: { creationTimestamp: formatTime(view.time) }, status: { userInfo: userInfo(user) } } as unknown as KubeObject;
}

async function reviewTokens(review: KubeObject, _: MutatingRequest, reviewToken: ReviewToken): Promise<Answered> {
  const { token = '', audiences } = (review.spec ?? {}) as { token?: string; audiences?: string[] };
  if (token === '') return badRequest('token is required for TokenReview in authentication');
  const verdict = await reviewToken(token, audiences ?? []);
  if ('error' in verdict) return { ...review, status: { user: {}, error: verdict.error } };
  const heard = verdict.audiences.length > 0 ? { audiences: [...verdict.audiences] } : {};
  return { ...review, status: { authenticated: true, user: userInfo(verdict.user), ...heard } };
}
