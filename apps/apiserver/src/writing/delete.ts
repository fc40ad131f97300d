import type { Origin, WriteResult } from '#libs/control-loop';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { badRequest, decodeDeleteOptions, deleted, isFailure, type DeleteOptions, type Failure } from '#libs/kube-api';
import type { ObjectWriter } from '../events-api/derived-event-writer';
import type { Answer } from '../http/answer';
import { readListOptions } from '../reading/list-options';
import { converted } from '../reading/converted';
import { readPage } from '../reading/list';
import { answerOf, listAnswer } from '../wire/representation';
import { objectAnswer, objectBefore, presentationOf, refusedAnswer, withWarnings } from './results';
import { checkDeleteOptions, deleteOptionsOfQuery } from './write-options';
import { bodyOf, type MutatingRequest } from './write-request';

/** DELETE of one object: what is gone at once is answered with a Status, for most kinds; what stays with itself. */
export async function deleteObject(request: MutatingRequest, writer: ObjectWriter): Promise<Answer | Failure> {
  const { kind, namespace, name = '' } = request;
  const asked = await deleteOptionsOf(request);
  if (isFailure(asked)) return asked;
  const { options, origin } = asked;
  const target = { resource: kind.storage, namespace: namespace || undefined, name };
  const before = kind.form?.webhook && (await objectBefore(request));
  // It is read in the version that it is deleted in.
  const unconverted = before && (await converted(request.view, kind, [before]));
  if (unconverted) return unconverted;
  const result = await writer.write({ verb: 'delete', target, options }, origin);
  if (result.kind === 'refused') return refusedAnswer(request, result.status, result.warnings ?? []);
  const { object } = result;
  const warnings = [...warningsOf(request, options), ...result.warnings];
  if (!isGone(result) || kind.deletionReturnsObject) return objectAnswer(request, 200, object, warnings);
  const status = JSON.stringify(deleted(kind.groupResource, name, object.metadata.uid));
  return withWarnings(await answerOf(200, status, request.negotiated), warnings);
}

function warningsOf({ kind }: MutatingRequest, { propagationPolicy }: DeleteOptions): string[] {
  return kind.warnOfOrphans !== undefined && propagationPolicy === undefined ? [kind.warnOfOrphans] : [];
}

function isGone(result: Exclude<WriteResult, { kind: 'refused' }>): boolean {
  if (result.kind === 'written') return result.gone;
  return result.kind === 'dry-run' && result.object.metadata.deletionTimestamp === undefined;
}

interface AskedDeletion {
  options: DeleteOptions;
  /** Of the request, whose caller has the options as they were sent. */
  origin: Origin;
}

/** Of a body, or of the query when there is none. */
async function deleteOptionsOf(request: MutatingRequest): Promise<AskedDeletion | Failure> {
  const body = await bodyOf(request);
  if (isFailure(body)) return body;
  if (body.bytes.length > 0) {
    const decoded = decodeDeleteOptions(body.bytes, body.format);
    if (!decoded.ok) return decoded.status;
    request.audit?.deletedWith(decoded.options);
    return asSent(request, decoded.options);
  }
  const options = deleteOptionsOfQuery(request.query);
  return typeof options.error === 'string' ? badRequest(options.error) : asSent(request, options as JsonObject);
}

function asSent({ origin }: MutatingRequest, sent: JsonObject): AskedDeletion | Failure {
  const options = checkDeleteOptions(sent);
  if (isFailure(options)) return options;
  const { kind: _kind, apiVersion: _version, ...given } = sent;
  const { caller } = origin;
  return { options, origin: { ...origin, caller: caller && { user: caller.user, authorize: caller.authorize, options: given } } };
}

function ofCollection(origin: Origin): Origin {
  return { ...origin, caller: origin.caller && { ...origin.caller, isOfCollection: true } };
}

/** Deletions of a collection that are under way together, begun in key order. */
const deletedAtOnce = 64;

/**
 * DELETE of a collection: one page of it; the answer is the list as it was. The objects go by their names, as upstream's do
 * (registry/store.go, DeleteCollection): what has come in place of one of them meanwhile is deleted too, selected or not.
 */
export async function deleteCollection(request: MutatingRequest, writer: ObjectWriter): Promise<Answer | Failure> {
  const { kind, query } = request;
  const asked = await deleteOptionsOf(request);
  if (isFailure(asked)) return asked;
  const { options } = asked;
  const origin = ofCollection(asked.origin);
  const listOptions = readListOptions(kind, query, false);
  if (isFailure(listOptions)) return listOptions;
  const presentation = presentationOf(request);
  if (isFailure(presentation)) return presentation;
  const found = await readPage(request, listOptions);
  if (isFailure(found)) return found;
  const { page, metadata } = found;
  for (let at = 0; at < page.objects.length; at += deletedAtOnce) {
    const members = page.objects.slice(at, at + deletedAtOnce);
    const refusals = await Promise.all(
      members.map((object) =>
        deleteMember(request, writer, object, options, { ...origin, operation: `${origin.operation}/${object.metadata.uid}` }),
      ),
    );
    const refusal = refusals.find(Boolean);
    if (refusal) return refusal;
  }
  const answer = await listAnswer(kind, page.objects, metadata, presentation);
  if (isFailure(answer)) return answer;
  const warnings = warningsOf(request, options);
  return warnings.length > 0 ? withWarnings(answer, warnings) : answer;
}

/** Somebody else may have deleted it meanwhile: just as well. */
async function deleteMember(
  request: MutatingRequest,
  writer: ObjectWriter,
  object: KubeObject,
  options: DeleteOptions,
  origin: Origin,
): Promise<Failure | undefined> {
  const { namespace, name } = object.metadata;
  const result = await writer.write({ verb: 'delete', target: { resource: request.kind.storage, namespace, name }, options }, origin);
  return result.kind === 'refused' && result.status.code !== 404 ? (result.status as Failure) : undefined;
}
