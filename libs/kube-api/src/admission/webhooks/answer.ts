import { isObject, type Json, type JsonObject } from '#libs/kernel';
import { convert, parseJson, parseYaml, plainNumbers } from '../../decode';
import { Definitions, releaseDefinitions } from '../../schema';
import { goQuote } from '../../status';
import type { OutsideCall, WebhookOutcome } from './review';

/** What came back over the wire. */
export interface CallReply {
  readonly status: number;
  readonly body: string;
  readonly contentType?: string;
}

const definitions = new Definitions(
  {
    definitions: {
      'v1.AdmissionReview': ['kind string', 'apiVersion string', 'response v1.AdmissionResponse pointer'],
      'v1.AdmissionResponse': [
        'uid string always go=types.UID',
        'allowed bool always',
        'status meta.v1.Status pointer',
        'patch bytes',
        'patchType string pointer go=v1.PatchType',
        'auditAnnotations map[]string',
        'warnings []string',
      ],
    },
  },
  releaseDefinitions,
);

const versionType = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** What a webhook has answered, by the rules of the API server: what is wrong with it counts as a call that failed. */
export function readReviewAnswer(call: Pick<OutsideCall, 'apiVersion' | 'isMutating'>, uid: string, reply: CallReply): WebhookOutcome {
  const read = readReply(call.apiVersion, reply);
  if (typeof read === 'string') return { error: `failed to call webhook: ${read}` };
  const response = read['response'] as Response | undefined;
  const wrong = problemOf(call, uid, read, response);
  if (wrong !== undefined || !response) return { error: `received invalid webhook response: ${wrong ?? ''}` };
  const { allowed, patch, patchType, status, warnings, auditAnnotations } = response;
  const isV1 = call.apiVersion === 'admission.k8s.io/v1';
  const type = isV1 ? patchType : 'JSONPatch';
  return {
    allowed: allowed ?? false,
    ...(patch && call.isMutating
      ? { patch: Buffer.from(patch, 'base64').toString('utf8'), ...(type === undefined ? {} : { patchType: type }) }
      : {}),
    ...(status ? { status } : {}),
    ...(warnings && warnings.length > 0 ? { warnings } : {}),
    ...(auditAnnotations && Object.keys(auditAnnotations).length > 0 ? { auditAnnotations } : {}),
  };
}

interface Response {
  uid?: string;
  allowed?: boolean;
  /** Base64. */
  patch?: string;
  patchType?: string;
  status?: JsonObject;
  warnings?: string[];
  auditAnnotations?: Record<string, string>;
}

/** What is wrong with an answer that could be read (upstream: `VerifyAdmissionResponse`); v1beta1 is not looked at as closely. */
function problemOf(
  { apiVersion, isMutating }: Pick<OutsideCall, 'apiVersion' | 'isMutating'>,
  uid: string,
  review: JsonObject,
  response: Response | undefined,
): string | undefined {
  if (!response) return 'webhook response was absent';
  if (apiVersion !== 'admission.k8s.io/v1') return undefined;
  if ((response.uid ?? '') !== uid) return `expected response.uid=${goQuote(uid)}, got ${goQuote(response.uid ?? '')}`;
  const { kind, apiVersion: version } = review as { kind?: string; apiVersion?: string };
  if (kind !== 'AdmissionReview' || version !== apiVersion)
    return `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${version ?? ''}, Kind=${kind ?? ''}`;
  const { patch, patchType } = response;
  if (!isMutating) {
    if (patch) return 'validating webhook may not return response.patch';
    return patchType === undefined ? undefined : 'validating webhook may not return response.patchType';
  }
  if (patch && patchType === undefined) return 'webhook returned response.patch but not response.patchType';
  if (!patch && patchType !== undefined) return 'webhook returned response.patchType but not response.patch';
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}

/** The review in the answer, or what a client of the API server's kind says of it. */
function readReply(expected: string, reply: CallReply): JsonObject | string {
  const { status, body, contentType = 'application/json' } = reply;
  if (status < 200 || status > 206) return replyError(reply);
  if (body === '') return `0-length response with status code: ${status} and content type: ${contentType}`;
  // What does not begin as an object of JSON is read as YAML, as a body of a request would be.
  const isJson = body.trimStart().startsWith('{');
  const parsed = isJson ? parseJson(body) : parseYaml(body);
  if (parsed.error !== undefined) return isJson ? `couldn't get version/kind; json parse error: ${parsed.error}` : parsed.error;
  const value = plainNumbers(parsed.value);
  if (value !== null && !isObject(value))
    return `couldn't get version/kind; json parse error: json: cannot unmarshal ${nameOf(value)} into Go value of type ${versionType}`;
  const review = value ?? {};
  const wrong = typeProblem(review, expected);
  if (wrong !== undefined) return wrong;
  const { object, error } = convert(definitions.get('v1.AdmissionReview'), review);
  return error === undefined ? object : error;
}

/** Kind and version of the answer; what is left out is what was expected. */
function typeProblem(review: JsonObject, expected: string): string | undefined {
  for (const field of ['apiVersion', 'kind']) {
    const value = review[field];
    if (value !== undefined && value !== null && typeof value !== 'string')
      return `couldn't get version/kind; json parse error: json: cannot unmarshal ${nameOf(value)} into Go struct field .${field} of type string`;
  }
  const { kind = '', apiVersion = '' } = review as { kind?: string; apiVersion?: string };
  const known = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'];
  if ((kind === '' || kind === 'AdmissionReview') && (apiVersion === '' || known.includes(apiVersion))) return undefined;
  if (kind === '') return `Object 'Kind' is missing in '${JSON.stringify(review)}'`;
  return `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion || expected)} in scheme "pkg/runtime/scheme.go:110"`;
}

function nameOf(value: Json): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

const generic: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/** Characters of a body that are quoted at most. */
const textMax = 2_048;

/** What client-go says of an answer that is no success: the message of a Status, or words for the code. */
export function replyError({ status, body, contentType }: CallReply): string {
  const parsed = parseJson(body);
  const value = parsed.error === undefined ? parsed.value : undefined;
  if (isObject(value) && value['kind'] === 'Status' && value['apiVersion'] === 'v1' && value['status'] !== 'Success')
    return typeof value['message'] === 'string' ? value['message'] : '';
  const text = contentType?.startsWith('text/') || contentType === undefined ? body.slice(0, textMax).trim() : 'unknown';
  const known = generic[status];
  if (known !== undefined) return known;
  if (status === 406)
    return text === '' || text === 'unknown' ? 'the server was unable to respond with a content type that the client supports' : text;
  if (status === 403 || status === 415) return text;
  if (status >= 500) return `an error on the server (${goQuote(text)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}
