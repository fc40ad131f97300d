import {
  badRequest,
  isFailure,
  notFound,
  patchFormatOf,
  readApplyConfig,
  readPatch,
  patchMediaTypes,
  unsupportedMediaType,
  unsupportedPatchType,
  type ApplyRequest,
  type Failure,
  type UpdateRequest,
} from '#libs/kube-api';
import type { ObjectWriter } from '../events-api/derived-event-writer';
import type { Answer } from '../http/answer';
import { withRequestor } from './requestor';
import { objectBefore, refusedAnswer, writtenAnswer } from './results';
import { isSubmission, readSubmission } from './submission';
import { readWriteOptions } from './write-options';
import { bytesOf, versionOf, type MutatingRequest } from './write-request';

/** PUT. */
export async function updateObject(request: MutatingRequest, writer: ObjectWriter): Promise<Answer | Failure> {
  const { kind, namespace, name = '', origin } = request;
  const submitted = await readSubmission(request, 'update');
  if (!isSubmission(submitted)) return submitted;
  const { object, exact, options, warnings } = submitted;
  const before = await objectBefore(request);
  const target = { resource: kind.storage, namespace: namespace || undefined, name };
  const subresource = request.subresource as UpdateRequest['subresource'];
  const result = await writer.write(
    { verb: 'update', target, ...versionOf(kind), subresource, object, ...(exact ? { exact } : {}), options },
    origin,
  );
  if (result.kind === 'refused') return refusedAnswer(request, result.status, [...warnings, ...(result.warnings ?? [])]);
  return writtenAnswer(request, result, warnings, before);
}

/** PATCH: JSON patch, merge patch, strategic merge patch or server-side apply. */
export async function patchObject(request: MutatingRequest, writer: ObjectWriter): Promise<Answer | Failure> {
  const { kind, namespace, name = '', origin } = request;
  const format = patchFormatOf(request.headers['content-type']);
  if (kind.form && (format === undefined || format === 'body' || format === 'strategic'))
    return unsupportedMediaType(patchMediaTypes.filter((type) => !type.includes('strategic')));
  if (format === undefined || format === 'body') return unsupportedPatchType();
  if (format === 'apply') return applyObject(request, writer);
  const bytes = await bytesOf(request);
  if (!Buffer.isBuffer(bytes)) return bytes;
  const options = readWriteOptions('patch', request);
  if (isFailure(options)) return options;
  request.audit?.patched(bytes);
  const read = readPatch(format, bytes, options.fieldValidation);
  const before = await objectBefore(request);
  // A patch is read when its object has been found.
  if (!read.ok) return before ? read.status : notFound(kind.groupResource, name);
  const { patch, strict } = read;
  const target = { resource: kind.storage, namespace: namespace || undefined, name };
  const subresource = request.subresource as UpdateRequest['subresource'];
  const result = await writer.write(
    { verb: 'patch', target, ...versionOf(kind), subresource, patchType: format, patch, strict, options },
    origin,
  );
  if (result.kind === 'refused') return refusedAnswer(request, result.status, result.warnings ?? []);
  return writtenAnswer(request, result, [], before);
}

/** PATCH of server-side apply, which creates what is not there. */
async function applyObject(request: MutatingRequest, writer: ObjectWriter): Promise<Answer | Failure> {
  const { kind, namespace, name = '', query, origin } = request;
  const bytes = await bytesOf(request);
  if (!Buffer.isBuffer(bytes)) return bytes;
  const options = readWriteOptions('apply', request);
  if (isFailure(options)) return options;
  const read = readApplyConfig(bytes);
  request.audit?.patched(bytes, read.ok ? read.config : undefined);
  if (!read.ok) return read.status;
  const before = await objectBefore(request);
  const target = { resource: kind.storage, namespace: namespace || undefined, name };
  const subresource = request.subresource as UpdateRequest['subresource'];
  const { strict } = read;
  const config = subresource ? read.config : withRequestor(kind, read.config, request.user);
  const write: ApplyRequest = { verb: 'apply', target, ...versionOf(kind), subresource, config, force: query.flag('force'), options };
  const isStrict = options.fieldValidation === 'Strict' && strict.length > 0;
  // What is said twice is refused when nothing else is wrong.
  const result = await writer.write(isStrict ? { ...write, options: { ...options, dryRun: true } } : write, origin);
  if (result.kind === 'refused') return refusedAnswer(request, result.status, result.warnings ?? []);
  if (isStrict) return badRequest(`error strict decoding YAML: ${strict.join(', ')}`);
  return writtenAnswer(request, result, options.fieldValidation === 'Ignore' ? [] : strict, before);
}
