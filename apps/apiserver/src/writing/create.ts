import { badRequest, checkEvictionName, isFailure, readBinding, success, type DeleteOptions, type Failure } from '#libs/kube-api';
import type { JsonObject } from '#libs/kernel';
import type { ObjectWriter } from '../events-api/derived-event-writer';
import type { Answer } from '../http/answer';
import { answerOf } from '../wire/representation';
import { withRequestor } from './requestor';
import { refusedAnswer, withWarnings, writtenAnswer } from './results';
import { isSubmission, readSubmission } from './submission';
import { checkDeleteOptions } from './write-options';
import { versionOf, type MutatingRequest } from './write-request';

/** POST to a collection. */
export async function createObject(request: MutatingRequest, writer: ObjectWriter): Promise<Answer | Failure> {
  const { kind, namespace } = request;
  const submitted = await readSubmission(request, 'create', kind);
  if (!isSubmission(submitted)) return submitted;
  const object = withRequestor(kind, submitted.object, request.user);
  const { options } = submitted;
  const exact = submitted.exact && { exact: withRequestor(kind, submitted.exact, request.user) };
  const result = await writer.write(
    { verb: 'create', resource: kind.storage, ...versionOf(kind), namespace: namespace || undefined, object, ...exact, options },
    request.origin,
  );
  if (result.kind === 'refused') return refusedAnswer(request, result.status, [...submitted.warnings, ...(result.warnings ?? [])]);
  return writtenAnswer(request, result, submitted.warnings);
}

/** POST pods/x/binding, and POST bindings, which names the pod in its body. */
export async function bindPodTo(request: MutatingRequest, writer: ObjectWriter): Promise<Answer | Failure> {
  const { namespace } = request;
  const submitted = await readSubmission(request, 'create');
  if (!isSubmission(submitted)) return submitted;
  const given = submitted.object.metadata;
  const refuse = (status: Failure): Promise<Answer | Failure> => refusedAnswer(request, status, submitted.warnings);
  if (given?.namespace && given.namespace !== namespace)
    return refuse(badRequest('the namespace of the provided object does not match the namespace sent on the request'));
  const name = request.name ?? given?.name ?? '';
  const binding = readBinding(submitted.object, name);
  if (isFailure(binding)) return refuse(binding);
  if (name === '') return refuse(badRequest('Name parameter required.'));
  const target = { resource: 'pods', namespace, name };
  const { options } = submitted;
  const { node, uid, annotations } = binding;
  const result = await writer.write({ verb: 'bind', target, node, uid, annotations, options }, request.origin);
  if (result.kind === 'refused') return refusedAnswer(request, result.status, [...submitted.warnings, ...(result.warnings ?? [])]);
  return withWarnings(await answerOf(201, JSON.stringify(success(201)), request.negotiated), [...submitted.warnings, ...result.warnings]);
}

/** POST pods/x/eviction. */
export async function evictPod(request: MutatingRequest, writer: ObjectWriter): Promise<Answer | Failure> {
  const { namespace, name = '' } = request;
  const submitted = await readSubmission(request, 'create');
  if (!isSubmission(submitted)) return submitted;
  const misnamed = checkEvictionName(submitted.object, name);
  if (misnamed) return refusedAnswer(request, misnamed, submitted.warnings);
  const asked: DeleteOptions | Failure = checkDeleteOptions((submitted.object.deleteOptions ?? {}) as JsonObject);
  if (isFailure(asked)) return refusedAnswer(request, asked, submitted.warnings);
  const { options } = submitted;
  const dryRun = Boolean(options.dryRun) || Boolean(asked.dryRun);
  const target = { resource: 'pods', namespace, name };
  const result = await writer.write(
    { verb: 'evict', target, deleteOptions: { ...asked, dryRun }, options: { ...options, dryRun } },
    request.origin,
  );
  if (result.kind === 'refused') return refusedAnswer(request, result.status, [...submitted.warnings, ...(result.warnings ?? [])]);
  return withWarnings(await answerOf(201, JSON.stringify(success(201)), request.negotiated), [...submitted.warnings, ...result.warnings]);
}
