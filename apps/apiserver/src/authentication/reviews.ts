import { formatTime, type KubeObject } from '#libs/kernel';
import {
  badRequest,
  entriesOfNew,
  fieldRequirementsOf,
  invalid,
  isFailure,
  missingRolesText,
  selectorProblem,
  wireFormOf,
  type Attributes,
  type Failure,
  type PolicyRule,
  type ResourceKind,
  type User,
} from '#libs/kube-api';
import type { ApiServices } from '../api-request';
import type { Answer } from '../http/answer';
import { objectAnswer, refusedAnswer } from '../writing/results';
import { isSubmission, readSubmission, type Submission } from '../writing/submission';
import type { MutatingRequest } from '../writing/write-request';
import type { Verdict } from './account-tokens';
import { userInfo } from './user';

/** Whose a token is, for whom; without audiences: for the API server. */
export type ReviewToken = (token: string, audiences: readonly string[]) => Promise<Verdict>;

type Answered = KubeObject | Failure;

/** Who may do what, and whose tokens there are. */
type Known = Pick<ApiServices, 'access' | 'reviewToken'>;

type Review = (review: KubeObject, request: MutatingRequest, known: Known) => Answered | Promise<Answered>;

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
export async function answerReview(request: MutatingRequest, known: Known): Promise<Answer | Failure> {
  const { kind, namespace } = request;
  const submitted = await readSubmission(request, 'create', kind);
  if (!isSubmission(submitted)) return submitted;
  const { object, warnings } = submitted;
  const { namespace: given, ...metadata } = withoutSystemFields(object.metadata ?? {});
  if (kind.namespaced && given && given !== namespace) {
    const refusal = badRequest('the namespace of the provided object does not match the namespace sent on the request');
    return refusedAnswer(request, refusal, warnings);
  }
  const asked = { ...object, metadata: { ...metadata, ...(kind.namespaced ? { namespace } : {}) } } as KubeObject;
  // Upstream leaves out the kind, and a review has no name.
  const refusal = wrongIn(kind, asked) && invalid(`.${kind.group}`, '', wrongIn(kind, ownedBySender(asked, submitted, request)) ?? []);
  const answered = refusal ?? (await (reviews[kind.groupResource] as Review)(asked, request, known));
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
function reviewAccess(review: KubeObject, { kind, user }: MutatingRequest, { access }: Known): KubeObject {
  const spec = (review.spec ?? {}) as AccessSpec;
  const { user: name = '', uid, groups, extra } = spec;
  const subject: User = kind.resource.startsWith('self')
    ? user
    : { name, groups: groups ?? [], ...(uid ? { uid } : {}), ...(extra ? { extra } : {}) };
  const { decision, reason } = access.authorize(attributesOf(subject, spec));
  const evaluationError = selectorProblem(review);
  const status = {
    allowed: decision === 'allow',
    ...(decision === 'deny' ? { denied: true } : {}),
    ...(reason === '' ? {} : { reason }),
    ...(evaluationError === '' ? {} : { evaluationError }),
  };
  return { ...review, status };
}

interface AccessSpec {
  user?: string;
  uid?: string;
  groups?: string[] | null;
  extra?: Record<string, string[]> | null;
  resourceAttributes?: Partial<Record<'verb' | 'group' | 'version' | 'resource' | 'subresource' | 'namespace' | 'name', string>> | null;
  nonResourceAttributes?: { verb?: string; path?: string } | null;
}

function attributesOf(user: User, { resourceAttributes: asked, nonResourceAttributes }: AccessSpec): Attributes {
  if (!asked) return { user, verb: nonResourceAttributes?.verb ?? '', path: nonResourceAttributes?.path ?? '' };
  const { verb = '', group = '', version, resource = '', subresource = '', namespace = '', name = '' } = asked;
  const fieldSelector = fieldRequirementsOf(asked);
  const narrowed = fieldSelector ? { fieldSelector } : {};
  return { user, verb, group, version: version || '*', resource, subresource, namespace, name, ...narrowed };
}

function reviewRules(review: KubeObject, { user }: MutatingRequest, { access }: Known): KubeObject | Failure {
  const { namespace } = (review.spec ?? {}) as { namespace?: string };
  if (!namespace) return badRequest('no namespace on request');
  const { rules, missing } = access.rulesFor(user, namespace);
  const status = {
    resourceRules: rules.filter(({ resources }) => (resources ?? []).length > 0).map(resourceRuleOf),
    nonResourceRules: rules.filter((rule) => (rule.nonResourceURLs ?? []).length > 0).map(pathRuleOf),
    incomplete: false,
    ...(missing.length === 0 ? {} : { evaluationError: missingRolesText(missing) }),
  };
  return { metadata: {}, spec: {}, status } as unknown as KubeObject;
}

function resourceRuleOf({ verbs, apiGroups, resources, resourceNames }: PolicyRule): PolicyRule {
  return {
    verbs: verbs ?? [],
    ...(apiGroups ? { apiGroups } : {}),
    ...(resources ? { resources } : {}),
    ...(resourceNames ? { resourceNames } : {}),
  };
}

function pathRuleOf({ verbs, nonResourceURLs }: PolicyRule): PolicyRule {
  return { verbs: verbs ?? [], ...(nonResourceURLs ? { nonResourceURLs } : {}) };
}

function reviewSelf(_: KubeObject, { user, view }: MutatingRequest): KubeObject {
  return { metadata: { creationTimestamp: formatTime(view.time) }, status: { userInfo: userInfo(user) } } as unknown as KubeObject;
}

async function reviewTokens(review: KubeObject, _: MutatingRequest, { reviewToken }: Known): Promise<Answered> {
  const { token = '', audiences } = (review.spec ?? {}) as { token?: string; audiences?: string[] };
  if (token === '') return badRequest('token is required for TokenReview in authentication');
  const verdict = await reviewToken(token, audiences ?? []);
  if ('error' in verdict) return { ...review, status: { user: {}, error: verdict.error } };
  const heard = verdict.audiences.length > 0 ? { audiences: [...verdict.audiences] } : {};
  return { ...review, status: { authenticated: true, user: userInfo(verdict.user), ...heard } };
}
