import type { GroupResource } from '#libs/kernel';
import type { FieldError } from './field-error';
import { aggregateText } from './field-error';
import { goQuote } from './go-value';
import type { Failure, Status, StatusCause, StatusDetails } from './status';
import { detailsOf, failure } from './status';

/**
 * Every answer of the API that is a Status, made in one place. A resource is named `resource` or `resource.group`
 * (`deployments.apps`), a kind `Kind` or `Kind.group`.
 */

export function notFound(resource: GroupResource, name: string): Failure {
  return failure(404, 'NotFound', `${resource} ${goQuote(name)} not found`, detailsOf(resource, name));
}

/** No such resource, version or subresource within a known group. */
export function unknownResource(): Failure {
  return failure(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function alreadyExists(resource: GroupResource, name: string): Failure {
  return failure(409, 'AlreadyExists', `${resource} ${goQuote(name)} already exists`, detailsOf(resource, name));
}

/** The name is still held by an object that waits for its finalizers or its grace. */
export function beingDeleted(resource: GroupResource, name: string): Failure {
  const status = alreadyExists(resource, name);
  return { ...status, message: `object is being deleted: ${status.message}` };
}

/** `resource` may also be a kind (preconditions of a delete) or `pods/binding`. */
export function conflict(resource: string, name: string, text: string): Failure {
  return failure(409, 'Conflict', `Operation cannot be fulfilled on ${resource} ${goQuote(name)}: ${text}`, detailsOf(resource, name));
}

export function staleResourceVersion(resource: GroupResource, name: string): Failure {
  return conflict(resource, name, 'the object has been modified; please apply your changes to the latest version and try again');
}

const storageFolders: Record<string, string> = {
  nodes: 'minions',
  services: 'services/specs',
  endpoints: 'services/endpoints',
  replicationcontrollers: 'controllers',
  'ingresses.networking.k8s.io': 'ingress',
  'customresourcedefinitions.apiextensions.k8s.io': 'apiextensions.k8s.io/customresourcedefinitions',
};

/** The key in etcd that error texts quote: custom resources live below their group, built-in ones do not. */
function storageKey(resource: GroupResource, namespace: string | undefined, name: string): string {
  const { kind: plural = '', group = '' } = detailsOf(resource);
  const builtIn = !group.includes('.') || group.endsWith('.k8s.io');
  const folder = builtIn ? (storageFolders[resource] ?? plural) : `${group}/${plural}`;
  return `/registry/${folder}/${namespace ? `${namespace}/` : ''}${name}`;
}

/** A PUT or a binding that names another uid than the stored object has. */
export function storedUidDiffers(
  resource: GroupResource,
  namespace: string | undefined,
  name: string,
  given: string,
  stored: string,
): Failure {
  const key = storageKey(resource, namespace, name);
  return conflict(
    resource,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${given}, UID in object meta: ${stored}`,
  );
}

/** Preconditions of a delete or an eviction; `kind` is the Kind, as upstream writes it here. */
export function uidPreconditionFailed(kind: string, name: string, given: string, stored: string): Failure {
  return conflict(
    kind,
    name,
    `the UID in the precondition (${given}) does not match the UID in record (${stored}). The object might have been deleted and then recreated`,
  );
}

export function resourceVersionPreconditionFailed(kind: string, name: string, given: string, stored: string): Failure {
  return conflict(
    kind,
    name,
    `the ResourceVersion in the precondition (${given}) does not match the ResourceVersion in record (${stored}). The object might have been modified`,
  );
}

/** Findings of validation. Equal ones are merged in the message, and all of them are listed as causes. */
export function invalid(kind: string, name: string, errors: readonly FieldError[]): Failure {
  const causes = errors.map(({ type, body, field }): StatusCause => ({ reason: type, message: body, field }));
  const message = `${kind} ${goQuote(name)} is invalid${errors.length === 0 ? '' : `: ${aggregateText(errors)}`}`;
  return failure(422, 'Invalid', message, errors.length === 0 ? detailsOf(kind, name) : { ...detailsOf(kind, name), causes });
}

/** A patch that cannot be applied (a failing JSON patch operation). */
export function unprocessablePatch(): Failure {
  return failure(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

/** Refused by admission or by an authoriser. Without a name (a list, or a create that generates one): `RES is forbidden`. */
export function forbiddenRequest(resource: string, name: string, text: string, causes?: StatusCause[]): Failure {
  const details = detailsOf(resource, name);
  if (causes !== undefined) details.causes = causes;
  return failure(403, 'Forbidden', `${name === '' ? resource : `${resource} ${goQuote(name)}`} is forbidden: ${text}`, details);
}

/** A path that is no resource. */
export function forbiddenPath(text: string): Failure {
  return failure(403, 'Forbidden', `forbidden: ${text}`, {});
}

/** Creation in a namespace that is going away. */
export function namespaceTerminating(resource: GroupResource, name: string, namespace: string): Failure {
  return forbiddenRequest(resource, name, `unable to create new content in namespace ${namespace} because it is being terminated`, [
    { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' },
  ]);
}

export function badRequest(text: string): Failure {
  return failure(400, 'BadRequest', text);
}

export function unauthorized(): Failure {
  return failure(401, 'Unauthorized', 'Unauthorized');
}

export function methodNotAllowed(): Failure {
  return failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

/** No offered media type at all. */
export function notAcceptable(accepted: readonly string[]): Failure {
  return failure(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${accepted.join(', ')}`, {});
}

/** A media type with parameters (`as=…`) that nothing here can produce. */
export function notAcceptableRepresentation(accepted: readonly string[]): Failure {
  return failure(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);
}

/** One object asked for as a list; `objectType` as upstream prints it (`*core.ConfigMap`). */
export function notAcceptableForObject(transform: string, objectType: string): Failure {
  return failure(406, 'NotAcceptable', `you requested ${transform}, but the requested object is not a list (${objectType})`);
}

/** A list asked for as one object's metadata; `listType` as upstream prints it (`*core.ConfigMapList`). */
export function notAcceptableForList(transform: string, listType: string): Failure {
  return failure(406, 'NotAcceptable', `you requested ${transform}, but the requested object is a list (${listType})`);
}

export function unsupportedMediaType(accepted: readonly string[]): Failure {
  return failure(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
}

/** A PATCH whose Content-Type is a body type, but no patch type. */
export function unsupportedPatchType(): Failure {
  return failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
}

/** The version asked for is compacted away. */
export function expired(text: string, continueToken?: string): Failure {
  const status = failure(410, 'Expired', text);
  return continueToken === undefined ? status : { ...status, metadata: { continue: continueToken } };
}

export function listVersionExpired(): Failure {
  return expired('The resourceVersion for the provided list is too old.');
}

export function continueTokenExpired(inconsistentContinue: string): Failure {
  return expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
      'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
      'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted ' +
      'between the time the first chunk was returned and now may show up in the list.',
    inconsistentContinue,
  );
}

/** The frame (or answer) of a watch whose start is compacted away. */
export function watchVersionExpired(asked: string, oldest: string): Failure {
  return expired(`too old resource version: ${asked} (${oldest})`);
}

export function requestTooLarge(text: string): Failure {
  return failure(413, 'RequestEntityTooLarge', text);
}

/** A request body over the limit. */
export function bodyTooLarge(bytesMax: number): Failure {
  return requestTooLarge(`Request entity too large: limit is ${bytesMax}`);
}

export function tooManyRequests(message: string, causes: StatusCause[], retryAfterSeconds?: number): Failure {
  const details: StatusDetails = {};
  if (causes.length > 0) details.causes = causes;
  if (retryAfterSeconds) details.retryAfterSeconds = retryAfterSeconds;
  return failure(429, 'TooManyRequests', message, details);
}

const evictionRefused = "Cannot evict pod as it would violate the pod's disruption budget.";

/** An eviction that the budget does not allow now. */
export function disruptionBudgetExhausted(budget: string, desiredHealthy: number, currentHealthy: number): Failure {
  const message = `The disruption budget ${budget} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  return tooManyRequests(evictionRefused, [{ reason: 'DisruptionBudget', message }]);
}

/** An eviction whose budget has not been computed for its present spec. */
export function disruptionBudgetUnprocessed(budget: string): Failure {
  const message = `The disruption budget ${budget} is still being processed by the server.`;
  return tooManyRequests(evictionRefused, [{ reason: 'DisruptionBudget', message }], 10);
}

export function severalDisruptionBudgets(): Failure {
  return plainError('This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.');
}

export function internalError(text: string): Failure {
  return failure(500, 'InternalError', `Internal error occurred: ${text}`, { causes: [{ message: text }] });
}

/** An error that upstream never gave a reason: 500, message only. */
export function plainError(text: string): Failure {
  return failure(500, undefined, text);
}

export function serverTimeout(resource: GroupResource, verb: string, retryAfterSeconds?: number): Failure {
  const details = detailsOf(resource);
  if (retryAfterSeconds) details.retryAfterSeconds = retryAfterSeconds;
  const message = `The ${verb} operation against ${resource} could not be completed at this time, please try again.`;
  return failure(500, 'ServerTimeout', message, details);
}

export function serviceUnavailable(text = 'the server is currently unable to handle the request'): Failure {
  return failure(503, 'ServiceUnavailable', text);
}

export function timeout(text: string, retryAfterSeconds?: number): Failure {
  return failure(504, 'Timeout', `Timeout: ${text}`, retryAfterSeconds ? { retryAfterSeconds } : {});
}

/** A version that does not exist yet; reflectors look for the cause. */
export function resourceVersionTooLarge(asked: string, current: string): Failure {
  return failure(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

/** A Status with the code of an answer that has no object of its own: bindings and evictions (201). */
export function success(code: number): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code };
}

/** The answer to a delete that removed the object at once. */
export function deleted(resource: GroupResource, name: string, uid: string): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details: { ...detailsOf(resource, name), uid } };
}
