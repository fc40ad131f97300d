import {
  decodeObject,
  findSubresource,
  invalid,
  invalidValue,
  isFailure,
  patchFormatOf,
  patchMediaTypes,
  readPatch,
  unsupportedMediaType,
  unsupportedPatchType,
  type Failure,
  type GroupVersionKind,
  type UpdateRequest,
} from '#libs/kube-api';
import type { ObjectWriter } from '../events-api/derived-event-writer';
import { coreEventOf } from '../events-api/event-views';
import { isEvents, storedKind } from '../events-api/stored-events';
import { patchEvent } from '../events-api/patch-event';
import type { Answer } from '../http/answer';
import { answerOf, presentScale, readIncludeObject } from '../wire/representation';
import { withWarnings, writtenAnswer, type Written } from './results';
import { readWriteOptions } from './write-options';
import { bodyOf, bytesOf, type MutatingRequest } from './write-request';

/** Server-side apply needs field ownership, which is not kept. */
const patchTypes = patchMediaTypes.filter((type) => type !== 'application/apply-patch+yaml');

/** The kind that bodies of this request have: that of the subresource, if there is one. */
function bodyKind({ kind, subresource }: MutatingRequest): GroupVersionKind {
  const own = subresource === undefined ? undefined : findSubresource(kind, subresource);
  return own ? { group: own.group, version: own.version, kind: own.kind } : { group: kind.group, version: kind.version, kind: kind.kind };
}

/** PUT. */
export async function updateObject(request: MutatingRequest, writer: ObjectWriter): Promise<Answer | Failure> {
  const { kind, namespace, name = '', query } = request;
  const body = await bodyOf(request);
  if (isFailure(body)) return body;
  const options = readWriteOptions('UpdateOptions', query);
  if (isFailure(options)) return options;
  const decoded = decodeObject(bodyKind(request), body.bytes, { format: body.format, fieldValidation: options.fieldValidation });
  if (!decoded.ok) return decoded.status;
  const object = isEvents(kind) ? coreEventOf(decoded.object) : decoded.object;
  const target = { ...storedKind(kind), namespace: namespace || undefined, name };
  const subresource = request.subresource as UpdateRequest['subresource'];
  const result = await writer.write({ verb: 'update', target, subresource, object, options }, request.origin);
  if (result.kind === 'refused') return result.status as Failure;
  return changedAnswer(request, result, decoded.warnings);
}

/** PATCH: JSON patch, merge patch or strategic merge patch. */
export async function patchObject(request: MutatingRequest, writer: ObjectWriter): Promise<Answer | Failure> {
  const { kind, namespace, name = '', query } = request;
  const format = patchFormatOf(request.headers['content-type']);
  if (format === 'body') return unsupportedPatchType();
  if (format === undefined || format === 'apply') return unsupportedMediaType(patchTypes);
  const bytes = await bytesOf(request);
  if (!Buffer.isBuffer(bytes)) return bytes;
  const options = readWriteOptions('PatchOptions', query);
  if (isFailure(options)) return options;
  const read = readPatch(format, bytes);
  if (!read.ok) return read.status;
  const { patch, strict } = read;
  if (options.fieldValidation === 'Strict' && strict.length > 0) {
    return invalid('', '', [invalidValue('patch', bytes.toString('utf8'), `strict decoding error: ${strict.join(', ')}`)]);
  }
  const warnings = options.fieldValidation === 'Ignore' ? [] : strict;
  const target = { ...storedKind(kind), namespace: namespace || undefined, name };
  const subresource = request.subresource as UpdateRequest['subresource'];
  const result = isEvents(kind) && kind.group !== ''
    ? await patchEvent(request, writer, { format, patch, options })
    : await writer.write({ verb: 'patch', target, subresource, patchType: format, patch, options }, request.origin);
  if (result.kind === 'refused') return result.status as Failure;
  return changedAnswer(request, result, warnings);
}

/** A write to a scale is answered with the scale. */
async function changedAnswer(request: MutatingRequest, result: Written, warnings: readonly string[]): Promise<Answer | Failure> {
  if (request.subresource !== 'scale') return writtenAnswer(request, result, warnings);
  const { negotiated, query, view } = request;
  const includeObject = readIncludeObject(query.text('includeObject'), negotiated);
  if (isFailure(includeObject)) return includeObject;
  const answer = await answerOf(200, presentScale(result.object, { negotiated, includeObject, now: view.time }), negotiated);
  return withWarnings(answer, [...warnings, ...result.warnings]);
}
