import { decodeObject, isFailure, type Decoded, type ExpectedKind, type Failure, type WriteOptions } from '#libs/kube-api';
import type { Answer } from '../http/answer';
import { refusedAnswer } from './results';
import { readWriteOptions } from './write-options';
import { bodyKind, bodyOf, type MutatingRequest } from './write-request';

/** What the body of a request submits, how it is to be written, and what is to be warned of. */
export interface Submission {
  object: Decoded['object'];
  exact?: Decoded['exact'];
  options: WriteOptions;
  warnings: Decoded['warnings'];
}

/** The body as an object of the kind, among the kinds of the cluster. Bodies are refused before options are, as upstream refuses them. */
export async function readSubmission(
  request: MutatingRequest,
  verb: 'create' | 'update',
  kind: ExpectedKind = bodyKind(request),
): Promise<Submission | Failure | Answer> {
  const body = await bodyOf(request);
  if (isFailure(body)) return body;
  const options = readWriteOptions(verb, request);
  if (isFailure(options)) return options;
  const { fieldValidation } = options;
  const decoded = decodeObject(kind, body.bytes, { format: body.format, fieldValidation, kinds: request.view.kinds });
  if (decoded.ok) request.audit?.submitted(kind, decoded.object);
  if (decoded.ok) return { object: decoded.object, exact: decoded.exact, options, warnings: decoded.warnings };
  return decoded.warnings ? refusedAnswer(request, decoded.status, decoded.warnings) : decoded.status;
}

export function isSubmission(read: Submission | Failure | Answer): read is Submission {
  return 'object' in read;
}
