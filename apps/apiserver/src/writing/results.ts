import type { WriteResult } from '#libs/control-loop';
import { objectKey, type KubeObject } from '#libs/kernel';
import { isFailure, warningsOf, type Failure, type Status } from '#libs/kube-api';
import { namedAsWritten } from '../events-api/refusal-names';
import type { Answer } from '../http/answer';
import { converted } from '../reading/converted';
import type { ResourceRequest } from '../reading/resource-request';
import type { Presentation } from '../wire/presentation';
import { answerOf, oneAnswer, presentScale, readIncludeObject, refusalOf } from '../wire/representation';
import { warningHeaders } from '../wire/warnings';

export type Written = Exclude<WriteResult, { kind: 'refused' }>;

/** What a write found: for warnings about what it changed, and for the version that an answer shows where none is new. */
export async function objectBefore({ kind, namespace, name, view }: ResourceRequest): Promise<KubeObject | undefined> {
  if (name === undefined) return undefined;
  return (await view.look(kind.storage))().get(objectKey(namespace, name));
}

/** The object after a write, in the form the client asked for: 201 when it came into being by it. */
export async function writtenAnswer(
  request: ResourceRequest,
  result: Written,
  decoded: readonly string[],
  before?: KubeObject,
): Promise<Answer | Failure> {
  const { kind, subresource } = request;
  const created = result.kind !== 'unchanged' && result.created;
  const object = shown(result, before);
  const own = subresource === undefined ? warningsOf(kind, object, before) : [];
  return objectAnswer(request, created ? 201 : 200, object, [...decoded, ...own, ...result.warnings]);
}

/** A dry run, and the update that lets a deletion end, make no new version of the object: the answer has the old one. */
function shown(result: Written, before: KubeObject | undefined): KubeObject {
  const { object } = result;
  const kept = result.kind === 'dry-run' || (result.kind === 'written' && result.gone);
  if (!kept || !before || before.metadata.uid !== object.metadata.uid) return object;
  const { name, generateName, namespace, uid, resourceVersion: own, ...rest } = object.metadata;
  const named = { name, ...(generateName === undefined ? {} : { generateName }), ...(namespace === undefined ? {} : { namespace }), uid };
  // What was read before the write may be older than what the write found: only a dry run knows no version of its own.
  const resourceVersion = result.kind === 'dry-run' ? before.metadata.resourceVersion : own;
  return { ...object, metadata: { ...named, resourceVersion, ...rest } };
}

export async function objectAnswer(
  request: ResourceRequest,
  status: number,
  object: KubeObject,
  warnings: readonly string[],
): Promise<Answer | Failure> {
  const presentation = presentationOf(request);
  if (isFailure(presentation)) return presentation;
  const { kind, negotiated, subresource, view } = request;
  const unconverted = await converted(view, kind, [object]);
  if (unconverted) return unconverted;
  const answer =
    subresource === 'scale'
      ? await answerOf(status, presentScale(kind, object, presentation), negotiated)
      : await oneAnswer(status, kind, object, presentation);
  return isFailure(answer) ? answer : withWarnings(answer, warnings);
}

export function presentationOf({ query, negotiated, view }: ResourceRequest): Presentation | Failure {
  const includeObject = readIncludeObject(query.text('includeObject'), negotiated);
  return isFailure(includeObject) ? includeObject : { negotiated, includeObject, now: view.time };
}

/** The answer, with these warnings before those that it has. */
export function withWarnings(answer: Answer, warnings: readonly string[]): Answer {
  if (warnings.length === 0) return { ...answer, compressible: false };
  const added = warningHeaders(warnings);
  const all = Object.entries(added).map(([name, texts]) => [name, [...texts, ...[answer.headers?.[name] ?? []].flat()]]);
  return { ...answer, compressible: false, headers: { ...answer.headers, ...(Object.fromEntries(all) as Record<string, string[]>) } };
}

/** A refusal, with what was found strange while its body was read. */
export async function refusedAnswer(
  { kind, negotiated }: ResourceRequest,
  refusal: Status,
  warnings: readonly string[],
): Promise<Answer | Failure> {
  const status = namedAsWritten(kind, refusal);
  if (warnings.length === 0) return status as Failure;
  return withWarnings(await refusalOf(status as Failure, negotiated), warnings);
}
