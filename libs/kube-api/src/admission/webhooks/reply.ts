import { isObject, type JsonObject } from '#libs/kernel';
import { convert, noKind, noObject, noText, parseJson, parseYaml, plainNumbers, versionKindError } from '../../decode';
import type { Definition } from '../../schema';
import { goQuote } from '../../status';

/** What came back over the wire. */
export interface CallReply {
  readonly status: number;
  readonly body: string;
  readonly contentType?: string;
}

/** What an answer has to be. */
export interface ReplyKind {
  readonly group: string;
  readonly kind: string;
  /** The version that was asked in, where an answer in another one is none. */
  readonly version?: string;
  readonly of: Definition;
}

/** The review in the answer, or what a client of the API server's kind says of it. */
export function readReply(wanted: ReplyKind, reply: CallReply): JsonObject | string {
  const { status, contentType = 'application/json' } = reply;
  if (status < 200 || status > 206) return replyError(reply);
  const body = reply.body.replace(/^\ufeff/, '');
  const untyped = mediaTypeProblem(contentType);
  if (untyped !== undefined) return `Internal error occurred: ${untyped}`;
  if (body === '') return `0-length response with status code: ${status} and content type: ${contentType}`;
  // What does not begin as an object of JSON is read as YAML, as a body of a request would be.
  const isJson = body.trimStart().startsWith('{');
  const parsed = isJson ? parseJson(body) : parseYaml(body);
  if (parsed.error !== undefined) return isJson ? versionKindError(parsed.error) : parsed.error;
  const value = plainNumbers(parsed.value);
  if (value !== null && !isObject(value)) return noObject(value);
  const review = value ?? {};
  const wrong = typeProblem(review, wanted);
  if (wrong !== undefined) return wrong;
  const { object, error } = convert(wanted.of, review);
  return error === undefined ? object : error;
}

/** What Go says of a Content-Type that it cannot read. */
function mediaTypeProblem(contentType: string): string | undefined {
  const [type = ''] = contentType.split(';');
  const token = /^[-!#$%&'*+.^_`|~0-9A-Za-z]+/;
  const [first = ''] = token.exec(type.trim()) ?? [];
  if (first === '') return 'mime: no media type';
  const rest = type.trim().slice(first.length);
  if (rest === '') return undefined;
  if (!rest.startsWith('/')) return 'mime: expected slash after first token';
  const [second = ''] = token.exec(rest.slice(1)) ?? [];
  if (second === '') return 'mime: expected token after slash';
  return rest.length > second.length + 1 ? 'mime: unexpected content after media subtype' : undefined;
}

/** Kinds of `v1` that are read without a group's scheme. */
const unversioned: ReadonlySet<string> = new Set(['Status', 'APIVersions', 'APIGroup', 'APIGroupList', 'APIResourceList']);

/** Kind and version of the answer; what is left out is what was expected. */
function typeProblem(review: JsonObject, wanted: ReplyKind): string | undefined {
  for (const field of ['apiVersion', 'kind'] as const) {
    const value = review[field];
    if (value !== undefined && value !== null && typeof value !== 'string') return noText(field, value);
  }
  const { kind = '', apiVersion = '' } = review as { kind?: string; apiVersion?: string };
  if (apiVersion.split('/').length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const known = [`${wanted.group}/v1`, `${wanted.group}/v1beta1`];
  if ((kind === '' || kind === wanted.kind) && (apiVersion === '' || known.includes(apiVersion))) {
    const version = apiVersion.slice(wanted.group.length + 1);
    if (apiVersion === '' || wanted.version === undefined || version === wanted.version) return undefined;
    return `converting (${version}.${wanted.kind}) to (${wanted.version}.${wanted.kind}): unknown conversion`;
  }
  if (apiVersion === 'v1' && unversioned.has(kind))
    return `converting (v1.${kind}) to (${wanted.version ?? 'v1'}.${wanted.kind}): unknown conversion`;
  if (kind === '') return `Object 'Kind' is missing in '${JSON.stringify(review)}'`;
  return noKind(kind, apiVersion || `${wanted.group}/v1`);
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
