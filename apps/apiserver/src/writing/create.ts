import { badRequest, checkEvictionName, isFailure, readBinding, success, type DeleteOptions, type Failure } from '#libs/kube-api';
import type { JsonObject } from '#libs/kernel';
import type { ObjectWriter } from '../events-api/derived-event-writer';
import { createNewEvent, isNewEvents } from '../events-api/new-events';
import type { Answer } from '../http/answer';
import { answerOf } from '../wire/representation';
import { withRequestor } from './requestor';
import { refusedAnswer, withWarnings, writtenAnswer } from './results';
import { checkDeleteOptions, readWriteOptions } from './write-options';
import { bodyKind, bodyOf, decodeBody, versionOf, type MutatingRequest } from './write-request';

/** POST to a collection. */
export async function createObject(request: MutatingRequest, writer: ObjectWriter): Promise<Answer | Failure> {
  const { kind, namespace } = request;
  const body = await bodyOf(request);
  if (isFailure(body)) return body;
  const options = readWriteOptions('create', request);
  if (isFailure(options)) return options;
  const decoded = decodeBody(request, kind, body, options);
  if (!decoded.ok) return decoded.status;
  const object = withRequestor(kind, decoded.object, request.user);
  const result = isNewEvents(kind)
    ? await createNewEvent(request, writer, object, options)
    : await writer.write(
        { verb: 'create', resource: kind.storage, ...versionOf(kind), namespace: namespace || undefined, object, options },
        request.origin,
      );
  if (result.kind === 'refused') return refusedAnswer(request, result.status, decoded.warnings);
  return writtenAnswer(request, result, decoded.warnings);
}

/** POST pods/x/binding, and POST bindings, which names the pod in its body. */
export async function bindPodTo(request: MutatingRequest, writer: ObjectWriter): Promise<Answer | Failure> {
  const { namespace } = request;
  const body = await bodyOf(request);
  if (isFailure(body)) return body;
  const options = readWriteOptions('create', request);
  if (isFailure(options)) return options;
  const decoded = decodeBody(request, bodyKind(request), body, options);
  if (!decoded.ok) return decoded.status;
  const given = decoded.object.metadata;
  if (given?.namespace && given.namespace !== namespace)
    return badRequest('the namespace of the provided object does not match the namespace sent on the request');
  const name = request.name ?? given?.name ?? '';
  if (name === '') return badRequest('Name parameter required.');
  const binding = readBinding(decoded.object, name);
  if (isFailure(binding)) return binding;
  const target = { resource: 'pods', namespace, name };
  const { node, uid, annotations } = binding;
  const result = await writer.write({ verb: 'bind', target, node, uid, annotations, options }, request.origin);
  if (result.kind === 'refused') return refusedAnswer(request, result.status, decoded.warnings);
  return withWarnings(await answerOf(201, JSON.stringify(success(201)), request.negotiated), decoded.warnings);
}

/** POST pods/x/eviction. */
export async function evictPod(request: MutatingRequest, writer: ObjectWriter): Promise<Answer | Failure> {
  const { namespace, name = '' } = request;
  const body = await bodyOf(request);
  if (isFailure(body)) return body;
  const options = readWriteOptions('create', request);
  if (isFailure(options)) return options;
  const decoded = decodeBody(request, bodyKind(request), body, options);
  if (!decoded.ok) return decoded.status;
  const misnamed = checkEvictionName(decoded.object, name);
  if (misnamed) return misnamed;
  const asked: DeleteOptions | Failure = checkDeleteOptions((decoded.object.deleteOptions ?? {}) as JsonObject);
  if (isFailure(asked)) return asked;
  const dryRun = Boolean(options.dryRun) || Boolean(asked.dryRun);
  const target = { resource: 'pods', namespace, name };
  const result = await writer.write(
    { verb: 'evict', target, deleteOptions: { ...asked, dryRun }, options: { ...options, dryRun } },
    request.origin,
  );
  if (result.kind === 'refused') return refusedAnswer(request, result.status, decoded.warnings);
  return withWarnings(await answerOf(201, JSON.stringify(success(201)), request.negotiated), decoded.warnings);
}
