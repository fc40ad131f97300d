import { decodeObject, isFailure, type Decoded, type ExpectedKind, type Failure, type WriteOptions } from '#libs/kube-api';
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
): Promise<Submission | Failure> {
  const body = await bodyOf(request);
  if (isFailure(body)) return body;
  const options = readWriteOptions(verb, request);
  if (isFailure(options)) return options;
  const { fieldValidation } = options;
  const decoded = decodeObject(kind, body.bytes, { format: body.format, fieldValidation, kinds: request.view.kinds });
  return decoded.ok ? { object: decoded.object, exact: decoded.exact, options, warnings: decoded.warnings } : decoded.status;
}
