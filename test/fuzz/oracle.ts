// What an answer may be, whatever was asked.
import { parse } from 'yaml';
import { openEnvelope } from '../golden/api/play/protobuf-wire';
import type { FuzzAnswer } from './answer';
import type { FuzzRequest } from './requests';

/** Answers of 5xx that the real server gives too; anything else of the sort is a defect. */
const known5xx: readonly { status: number; method?: string; text: RegExp; why: string }[] = [
  { status: 500, text: /resourceVersion should not be set on objects to be created/, why: 'a plain error of the generic store' },
  {
    status: 500,
    text: /strconv\.ParseUint: parsing/,
    why: 'a version that is no number, in the body of an update: the error of Go goes out as it is',
  },
  {
    status: 500,
    method: 'DELETE',
    text: /json: cannot unmarshal|no kind \\?"|couldn't get version\/kind|exceeded max depth|is not a valid|unrecognized type|yaml: /,
    why: 'options of a deletion that cannot be decoded: the error of the decoder goes out as it is',
  },
  {
    status: 500,
    method: 'POST',
    text: /target\.(kind|name): /,
    why: 'a binding that is not valid: its errors are put together to a plain one',
  },
  {
    status: 500,
    method: 'PATCH',
    text: /failed to (create typed patch|convert new) object/,
    why: 'a configuration that does not fit the schema',
  },
  {
    status: 500,
    method: 'PATCH',
    text: /does not contain declared merge key|data type is not struct|list element types are not identical|unrecognized type|invalid type|failed to find|cannot unmarshal/,
    why: 'a strategic patch that cannot be merged: the error of the library goes out as it is',
  },
  { status: 500, text: /no preferred addresses found; known addresses/, why: 'a pod on a node that is not there, or has no address' },
  { status: 500, text: /^pod not found \(/, why: 'a kubelet whose runtime does not have the pod' },
  { status: 503, text: /error trying to reach service: |no endpoints available for service/, why: 'a proxy to where nobody listens' },
  { status: 501, text: /kubereel simulates containers/, why: 'proxies: there is nothing behind them, which docs/api.md tells' },
  { status: 500, text: /without impersonating a user/, why: 'a group to act for and no user: a plain error of the filter' },
  {
    status: 500,
    method: 'POST',
    text: /^resource name may not be empty$/,
    why: 'a pod of the runtime class "", which the admission asks its client for',
  },
  { status: 504, text: /Too large resource version/, why: 'a version of the future is waited for, and does not come' },
];

/** The first thing that is wrong with an answer; undefined when nothing is. */
export function problemOf(request: FuzzRequest, { status, contentType, body }: FuzzAnswer): string | undefined {
  if (status === 500 && request.method === 'HEAD' && actsForNobody(request)) return undefined;
  if (status >= 500 && !isKnown(request.raw ? '' : request.method, status, saidIn(contentType, body)))
    return `${status}: ${textOf(body).slice(0, 500)}`;
  // 417 comes from below, before anybody looks at the request: Go's server answers so as well.
  if (status < 400 || status === 417 || request.method === 'HEAD' || request.raw || status === 101) return undefined;
  return formProblem(request, status, contentType, body);
}

/** Asks to act for a group or the like, and for no user; of the answer to a HEAD there is no text to tell. */
function actsForNobody({ headers }: FuzzRequest): boolean {
  const names = headers.map(([name]) => name.toLowerCase());
  return names.some((name) => name.startsWith('impersonate-')) && !names.includes('impersonate-user');
}

function textOf(body: Buffer): string {
  return body.toString('utf8');
}

/** What an answer says, as the texts of this file have it: YAML quotes the message of a Status in ways of its own. */
function saidIn(contentType: string, body: Buffer): string {
  const text = textOf(body);
  if (contentType !== 'application/yaml') return text;
  try {
    const { message } = parse(text) as { message?: unknown };
    return typeof message === 'string' ? message : text;
  } catch {
    return text;
  }
}

/** @param method `''` for bytes of which nobody knows what they ask for */
function isKnown(method: string, status: number, text: string): boolean {
  return known5xx.some((one) => one.status === status && (method === '' || (one.method ?? method) === method) && one.text.test(text));
}

/** Texts that the real server sends as they are, for there is no resource that a Status could be about. */
const plainTexts =
  /^(404 page not found|unable to upgrade|pod not found \(|Error: |a request has one Host|no host |more than \d+ headers|400 Bad Request|405 |mismatch challenge|Not Found|Not found\.|Internal Server Error: |[^{]*healthz|[^{]*readyz|[^{]*livez)/;

/** A refusal of the API is a Status, in the form that was asked for. */
function formProblem({ path, lane }: FuzzRequest, status: number, contentType: string, body: Buffer): string | undefined {
  const shown = (): string => `${status} as ${contentType || 'nothing'}: ${textOf(body).slice(0, 300)}`;
  if (lane === 'socket') return undefined;
  // The documents of OpenAPI are served by a library of their own, which refuses without a word.
  if (path.startsWith('/openapi/')) return undefined;
  if (contentType.startsWith('text/plain'))
    return plainTexts.test(textOf(body)) || !path.startsWith('/api') ? undefined : `a refusal that is no Status, ${shown()}`;
  if (contentType === 'application/vnd.kubernetes.protobuf') {
    const envelope = openEnvelope(body);
    return envelope?.kind === 'Status' ? undefined : `a message that is no Status, ${shown()}`;
  }
  if (contentType === 'application/yaml') return /^kind: Status$/m.test(textOf(body)) ? undefined : `no Status in YAML, ${shown()}`;
  if (contentType !== 'application/json') return `in no form that was asked for, ${shown()}`;
  try {
    const { kind, code } = JSON.parse(textOf(body)) as { kind?: string; code?: number };
    return kind === 'Status' && code === status ? undefined : `no Status of its code, ${shown()}`;
  } catch {
    return `no JSON, ${shown()}`;
  }
}
