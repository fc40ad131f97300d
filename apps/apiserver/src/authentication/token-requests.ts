import { randomUUID } from 'node:crypto';
import { formatTime, type JsonObject, type KubeObject } from '#libs/kernel';
import {
  badRequest,
  conflict,
  goQuote,
  invalid,
  invalidValue,
  isFailure,
  notFound,
  parseApiVersion,
  type Failure,
  type TokenAsked,
} from '#libs/kube-api';
import type { Binding, FindObject } from '#libs/kube-api/tokens';
import type { Answer } from '../http/answer';
import { answerOf } from '../wire/representation';
import { refusedAnswer, withWarnings } from '../writing/results';
import { isSubmission, readSubmission } from '../writing/submission';
import type { MutatingRequest } from '../writing/write-request';
import type { AccountTokens } from './account-tokens';

const kindName = 'TokenRequest.authentication.k8s.io';
const secondsDefault = 3_600;
const secondsMin = 600;
const secondsMax = 2 ** 32;
/** What kubelets ask for of a pod's usual token, seconds: it goes on being taken for a year, and whoever uses it so is to be told of. */
const projectedSeconds = 3_607;
const extendedSeconds = 365 * 24 * 3_600;

export interface TokenRequestServices {
  tokens: AccountTokens;
  find: FindObject;
  /** Pods' tokens of the usual length are taken for longer. */
  extendsExpiration: boolean;
  /** Why the request is not admitted (NodeRestriction). */
  admit?(asked: TokenAsked): Failure | undefined;
}

interface TokenSpec {
  audiences: string[];
  expirationSeconds: number;
  boundObjectRef: { kind?: string; apiVersion?: string; name?: string; uid?: string } | null;
}

/** POST serviceaccounts/NAME/token: a token of the account. Nothing is recorded of it. */
export async function answerTokenRequest(request: MutatingRequest, services: TokenRequestServices): Promise<Answer | Failure> {
  const submitted = await readSubmission(request, 'create');
  if (!isSubmission(submitted)) return submitted;
  const issued = await issue(request, submitted.object, services);
  if (isFailure(issued)) return refusedAnswer(request, issued, submitted.warnings);
  return withWarnings(await answerOf(201, JSON.stringify(issued), request.negotiated), submitted.warnings);
}

async function issue(request: MutatingRequest, sent: KubeObject, services: TokenRequestServices): Promise<JsonObject | Failure> {
  const { namespace, name = '', view } = request;
  const { tokens, find } = services;
  const { audiences = [], boundObjectRef } = (sent.spec ?? {}) as Partial<TokenSpec>;
  const refusal = services.admit?.({ namespace: namespace ?? '', account: name, audiences, boundTo: boundObjectRef });
  if (refusal) return refusal;
  const misnamed = wrongName(sent, namespace, name);
  if (misnamed) return misnamed;
  const account = find('serviceaccounts', namespace, name);
  if (!account) return notFound('serviceaccounts', name);
  const { uid = '' } = (sent.metadata ?? {}) as { uid?: string };
  if (uid !== '' && uid !== account.metadata.uid) {
    const text = `the UID in the token request (${uid}) does not match the UID of the service account (${account.metadata.uid})`;
    return conflict(kindName, name, text);
  }
  const asked = { ...sent, metadata: { ...sent.metadata, name, namespace, uid: account.metadata.uid } } as KubeObject;
  const spec = specOf(sent, tokens);
  const wrong = wrongDuration(spec.expirationSeconds);
  if (wrong) return wrong;
  const binding = bindingOf(spec, name, namespace, find);
  if (isFailure(binding)) return binding;
  const isExtended =
    services.extendsExpiration &&
    binding?.kind === 'Pod' &&
    spec.expirationSeconds === projectedSeconds &&
    spec.audiences.every((audience) => tokens.audiences.includes(audience));
  const id = randomUUID();
  const token = await tokens.issue({
    account,
    audiences: spec.audiences,
    ...(binding ? { binding } : {}),
    id,
    now: view.time,
    expirationSeconds: isExtended ? extendedSeconds : spec.expirationSeconds,
    ...(isExtended ? { warnAfterSeconds: spec.expirationSeconds } : {}),
  });
  request.audit?.issued(id);
  return answered(asked, spec, token, view.time);
}

function answered(asked: KubeObject, { audiences, expirationSeconds, boundObjectRef }: TokenSpec, token: string, now: number): JsonObject {
  const { name, namespace, uid, creationTimestamp: _, ...rest } = asked.metadata as unknown as JsonObject;
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, uid, creationTimestamp: formatTime(now), ...rest } as JsonObject,
    spec: { audiences, expirationSeconds, boundObjectRef },
    status: { token, expirationTimestamp: formatTime(now + expirationSeconds * 1_000) },
  };
}

/** A body may say whose token it asks for, and has to be right then. */
function wrongName({ metadata }: KubeObject, namespace: string | undefined, name: string): Failure | undefined {
  const { name: givenName = '', namespace: givenNamespace = '' } = metadata ?? {};
  const wrong = (field: string, value: string, what: string): Failure =>
    invalid(kindName, name, [invalidValue(field, value, `must match the service account ${what} if specified`)]);
  if (givenName !== '' && givenName !== name) return wrong('metadata.name', givenName, 'name');
  return givenNamespace !== '' && givenNamespace !== namespace ? wrong('metadata.namespace', givenNamespace, 'namespace') : undefined;
}

function specOf({ spec }: KubeObject, { audiences }: AccountTokens): TokenSpec {
  const given = (spec ?? {}) as Partial<TokenSpec>;
  return {
    audiences: given.audiences && given.audiences.length > 0 ? given.audiences : [...audiences],
    expirationSeconds: given.expirationSeconds ?? secondsDefault,
    boundObjectRef: given.boundObjectRef ?? null,
  };
}

function wrongDuration(seconds: number): Failure | undefined {
  const wrong = (text: string): Failure => invalid(kindName, '', [invalidValue('spec.expirationSeconds', seconds, text)]);
  if (seconds < secondsMin) return wrong('may not specify a duration less than 10 minutes');
  return seconds > secondsMax ? wrong('may not specify a duration larger than 2^32 seconds') : undefined;
}

/** What the token is to be bound to, found; undefined: to nothing but its account. */
function bindingOf(
  { boundObjectRef }: TokenSpec,
  account: string,
  namespace: string | undefined,
  find: FindObject,
): Binding | Failure | undefined {
  if (!boundObjectRef) return undefined;
  const { kind = '', apiVersion = '', name = '', uid = '' } = boundObjectRef;
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' };
  const resource = group === '' ? boundResources.get(kind) : undefined;
  if (!resource) return badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  const object = find(resource, resource === 'nodes' ? undefined : namespace, name);
  if (!object) return notFound(resource, name);
  if (resource === 'pods' && object.spec?.serviceAccountName !== account)
    return badRequest(`cannot bind token for serviceaccount ${goQuote(account)} to pod running with different serviceaccount name.`);
  if (uid !== '' && uid !== object.metadata.uid) {
    const text = `the UID in the bound object reference (${uid}) does not match the UID in record`;
    return conflict(kind, name, `${text}. The object might have been deleted and then recreated`);
  }
  const node = resource === 'pods' ? nodeOf(object, find) : undefined;
  return { kind: kind as Binding['kind'], object, ...(node ? { node } : {}) };
}

const boundResources: ReadonlyMap<string, 'pods' | 'secrets' | 'nodes'> = new Map([
  ['Pod', 'pods'],
  ['Secret', 'secrets'],
  ['Node', 'nodes'],
]);

function nodeOf({ spec }: KubeObject, find: FindObject): Binding['node'] {
  const name = spec?.nodeName as string | undefined;
  if (!name) return undefined;
  const node = find('nodes', undefined, name);
  return { name, ...(node ? { uid: node.metadata.uid } : {}) };
}
