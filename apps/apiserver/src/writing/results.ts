import type { WriteResult } from '#libs/control-loop';
import type { KubeObject } from '#libs/kernel';
import { isFailure, type Failure } from '#libs/kube-api';
import type { Answer } from '../http/answer';
import type { ResourceRequest } from '../reading/resource-request';
import { answerOf, presentObject, readIncludeObject } from '../wire/representation';
import { warningHeaders } from '../wire/warnings';

export type Written = Exclude<WriteResult, { kind: 'refused' }>;

/** The object after a write, in the form the client asked for: 201 when it came into being by it. */
export async function writtenAnswer(request: ResourceRequest, result: Written, warnings: readonly string[] = []): Promise<Answer | Failure> {
  const created = result.kind !== 'unchanged' && result.created;
  return objectAnswer(request, created ? 201 : 200, result.object, [...warnings, ...result.warnings]);
}

export async function objectAnswer(request: ResourceRequest, status: number, object: KubeObject, warnings: readonly string[]): Promise<Answer | Failure> {
  const { kind, query, negotiated, view } = request;
  const includeObject = readIncludeObject(query.text('includeObject'), negotiated);
  if (isFailure(includeObject)) return includeObject;
  const json = presentObject(kind, object, { negotiated, includeObject, now: view.time });
  return isFailure(json) ? json : withWarnings(await answerOf(status, json, negotiated), warnings);
}

export function withWarnings(answer: Answer, warnings: readonly string[]): Answer {
  return { ...answer, compressible: false, headers: { ...answer.headers, ...warningHeaders(warnings) } };
}
