import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { patch, reviewOf, type Review } from './webhook.fixture';

/** A call of a webhook that is to be answered wrongly. */
export interface LiedTo {
  readonly review: Review;
  readonly response: ServerResponse;
  readonly isMutating: boolean;
  readonly path: string;
  /** How many calls of this lie came before. */
  readonly before: number;
}

type Lie = (call: LiedTo) => void;

const hooked = [{ op: 'add', path: '/data/hooked', value: 'yes' }];

/** The answer of a webhook that does as it should: a mutating one adds `data.hooked`. */
function honest({ review, isMutating }: LiedTo, more: object = {}): object {
  return reviewOf(review, { allowed: true, ...(isMutating ? patch(hooked) : {}), ...more });
}

/** Where the same webhook is honest: the first of the lies. */
function honestPath({ isMutating }: LiedTo): string {
  return `/${isMutating ? 'mutating' : 'validating'}/l0`;
}

const itself = ({ path }: LiedTo): string => path;

const json = { 'Content-Type': 'application/json' };

function send({ response }: LiedTo, content: object | string | Buffer, status = 200, headers: Record<string, string> = json): void {
  response.writeHead(status, headers);
  response.end(typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content));
}

/** What goes over the connection, byte for byte; it ends with it. */
function raw({ response }: LiedTo, text: string): void {
  response.socket?.end(text);
}

function http(body: string, headers = '', length = Buffer.byteLength(body)): string {
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nConnection: close\r\n${headers}\r\n${body}`;
}

const withBody =
  (made: (call: LiedTo) => object | string | Buffer): Lie =>
  (call) =>
    send(call, made(call));
const withStatus =
  (status: number, headers: Record<string, string> = json): Lie =>
  (call) =>
    send(call, honest(call), status, headers);
const withText =
  (status: number, text: string, headers: Record<string, string> = { 'Content-Type': 'text/plain' }): Lie =>
  (call) =>
    send(call, text, status, headers);
const response = (made: object): Lie => withBody(({ review }) => reviewOf(review, made));
const denied = (status: object): Lie => response({ allowed: false, status });
const patched = (operations: object[]): Lie => response({ allowed: true, ...patch(operations) });
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const patchText = (text: string, patchType?: string): Lie =>
  response({ allowed: true, patch: base64(text), ...(patchType === undefined ? {} : { patchType }) });
const status = (more: object): object => ({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...more });

/** Those that answer in time; what they are called says what they do. */
export const lies: Readonly<Record<string, Lie>> = {
  honest: withBody((call) => honest(call)),

  // Twice.
  'body twice': withBody((call) => JSON.stringify(honest(call)).repeat(2)),
  'body and a second line': withBody((call) => `${JSON.stringify(honest(call))}\n${JSON.stringify(honest(call))}`),
  'response twice': (call) => raw(call, http(JSON.stringify(honest(call))).repeat(2)),
  'response twice, the second one refuses': (call) => {
    const no = JSON.stringify(reviewOf(call.review, { allowed: false }));
    raw(call, http(JSON.stringify(honest(call))) + http(no));
  },
  'more bytes than it says': (call) => {
    const body = JSON.stringify(honest(call));
    raw(call, http(`${body}and more`, '', body.length));
  },
  'keys twice': withBody(({ review }) =>
    JSON.stringify(reviewOf(review, { allowed: true })).replace('"allowed":true', '"allowed":true,"allowed":false'),
  ),
  'first to be continued': (call) => {
    call.response.writeContinue();
    send(call, honest(call));
  },
  'hints before the answer': (call) => {
    raw(call, `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${http(JSON.stringify(honest(call)))}`);
  },
  'busy once, then honest': (call) =>
    call.before === 0 ? send(call, 'busy', 429, { 'Content-Type': 'text/plain', 'Retry-After': '1' }) : send(call, honest(call)),
  'unavailable once, then honest': (call) =>
    call.before === 0 ? send(call, 'away', 503, { 'Content-Type': 'text/plain', 'Retry-After': '1' }) : send(call, honest(call)),
  'broken once, then honest': (call) => (call.before === 0 ? call.response.socket?.destroy() : send(call, honest(call))),

  // Dying.
  'connection closed': ({ response }) => response.socket?.destroy(),
  'connection reset': ({ response }) =>
    (response.socket as unknown as { _parent?: { resetAndDestroy(): void } })._parent?.resetAndDestroy(),
  'closed within the head': (call) => raw(call, 'HTTP/1.1 200 OK\r\nContent-Type: appl'),
  'closed within the body': (call) => {
    const body = JSON.stringify(honest(call));
    raw(call, http(body.slice(0, 40), '', body.length));
  },
  'closed within a chunk': (call) => {
    raw(call, 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n40\r\n{"kind":');
  },
  'a whole body that ends with the connection': (call) => {
    raw(call, `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n${JSON.stringify(honest(call))}`);
  },
  'half a body that ends with the connection': (call) => {
    raw(call, `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n${JSON.stringify(honest(call)).slice(0, 40)}`);
  },
  'HTTP/1.0': (call) => raw(call, `HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(honest(call))}`),

  // Not HTTP as it should be.
  'no HTTP': (call) => raw(call, 'hello there\r\n\r\n'),
  'no number as status': (call) => raw(call, 'HTTP/1.1 OK\r\n\r\n'),
  'a head of 20 KB': (call) => raw(call, http(JSON.stringify(honest(call)), `X-Long: ${'a'.repeat(20_000)}\r\n`)),
  'packed without being asked': (call) => send(call, gzipSync(JSON.stringify(honest(call))), 200, { ...json, 'Content-Encoding': 'gzip' }),
  'said to be packed': (call) => send(call, honest(call), 200, { ...json, 'Content-Encoding': 'gzip' }),
  'two lengths': (call) => {
    const body = JSON.stringify(honest(call));
    raw(call, http(body, `Content-Length: ${body.length + 1}\r\n`));
  },

  // Codes.
  'code 201': withStatus(201),
  'code 204': withText(204, ''),
  'code 206': withStatus(206),
  'code 207': withStatus(207),
  'code 301 to itself': (call) => send(call, '', 301, { Location: itself(call) }),
  'code 302 to an honest one': (call) => send(call, '', 302, { Location: honestPath(call) }),
  'code 303 to an honest one': (call) => send(call, '', 303, { Location: honestPath(call) }),
  'code 307 to an honest one': (call) => send(call, '', 307, { Location: honestPath(call) }),
  'code 308 to an honest one': (call) => send(call, '', 308, { Location: honestPath(call) }),
  'code 307 to itself for ever': (call) => send(call, '', 307, { Location: itself(call) }),
  'code 307 to nowhere': (call) => send(call, '', 307, {}),
  'code 304': withText(304, ''),
  'code 400': withText(400, 'bad'),
  'code 401': withText(401, 'who?'),
  'code 403': withText(403, 'no'),
  'code 403 without a type': withText(403, 'no', {}),
  'code 404': withText(404, 'not found'),
  'code 406': withText(406, 'no such type'),
  'code 408': withText(408, 'slow'),
  'code 409': withText(409, 'busy'),
  'code 410': withText(410, 'gone'),
  'code 413': withText(413, 'large'),
  'code 415': withText(415, 'what?'),
  'code 418': withText(418, 'tea'),
  'code 422': withText(422, 'unlikely'),
  'code 429': withText(429, 'busy'),
  'code 500': withText(500, 'broken'),
  'code 500 in HTML': withText(500, '<html>broken</html>', { 'Content-Type': 'text/html' }),
  'code 500 in JSON': withText(500, '{"error":"broken"}', json),
  'code 500 without a type': withText(500, 'broken', {}),
  'code 500 with a long text': withText(500, 'x'.repeat(3_000)),
  'code 500 in two lines': withText(500, 'one\ntwo\t"three"\n'),
  'code 500 with an honest review': withStatus(500),
  'code 502': withText(502, 'bad gateway'),
  'code 503': withText(503, 'away'),
  'code 504': withText(504, 'late'),
  'code 599': withText(599, 'odd'),
  'code 500 with a Status': (call) => send(call, status({ message: 'said so', reason: 'InternalError', code: 500 }), 500),
  'code 400 with a Status': (call) => send(call, status({ message: 'said so', reason: 'BadRequest', code: 400 }), 400),
  'code 403 with a Status': (call) => send(call, status({ message: 'said so', reason: 'Forbidden', code: 403 }), 403),
  'code 429 with a Status': (call) =>
    send(call, status({ message: 'said so', reason: 'TooManyRequests', code: 429, details: { retryAfterSeconds: 7 } }), 429),
  'code 500 with a Status without a message': (call) => send(call, status({ code: 500 }), 500),
  'code 500 with a Status of success': (call) => send(call, status({ status: 'Success', message: 'fine' }), 500),
  'code 200 with a Status': (call) => send(call, status({ message: 'said so', reason: 'BadRequest', code: 400 })),
  'code 200 with a Status of success': (call) => send(call, status({ status: 'Success' })),

  // Bodies.
  'no body': withBody(() => ''),
  'white space': withBody(() => ' \n'),
  'no JSON': withBody(() => 'yes'),
  'half of JSON': withBody(() => '{"kind":'),
  'a trailing comma': withBody(() => '{"kind":"AdmissionReview",}'),
  'a list': withBody(() => '[]'),
  null: withBody(() => 'null'),
  'a number': withBody(() => '1'),
  'a string': withBody(() => '"yes"'),
  'an empty object': withBody(() => '{}'),
  YAML: (call) =>
    send(call, `apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nresponse: {uid: ${call.review.request.uid}, allowed: true}\n`),
  'as text': (call) => send(call, honest(call), 200, { 'Content-Type': 'text/plain' }),
  'as HTML': (call) => send(call, honest(call), 200, { 'Content-Type': 'text/html' }),
  'as YAML': (call) => send(call, honest(call), 200, { 'Content-Type': 'application/yaml' }),
  'as protobuf': (call) => send(call, honest(call), 200, { 'Content-Type': 'application/vnd.kubernetes.protobuf' }),
  'of no type': (call) => send(call, honest(call), 200, {}),
  'of a type that cannot be read': (call) => send(call, honest(call), 200, { 'Content-Type': 'no type;;' }),
  'a byte order mark': withBody((call) => `\ufeff${JSON.stringify(honest(call))}`),
  'bytes that are no text': (call) => send(call, Buffer.concat([Buffer.from('{"kind":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])),
  'white space around': withBody((call) => `\n\n ${JSON.stringify(honest(call))}\n\n`),

  // Reviews.
  'another kind': withBody(() => ({ apiVersion: 'v1', kind: 'Pod' })),
  'a kind nobody knows': withBody((call) => ({ ...honest(call), kind: 'Review' })),
  'another version': withBody((call) => ({ ...honest(call), apiVersion: 'admission.k8s.io/v1beta1' })),
  'a version nobody knows': withBody((call) => ({ ...honest(call), apiVersion: 'admission.k8s.io/v9' })),
  'another group': withBody((call) => ({ ...honest(call), apiVersion: 'example.org/v1' })),
  'a version that is none': withBody((call) => ({ ...honest(call), apiVersion: 'a/b/c' })),
  'no kind': withBody((call) => ({ ...honest(call), kind: undefined })),
  'no version': withBody((call) => ({ ...honest(call), apiVersion: undefined })),
  'neither kind nor version': withBody((call) => ({ ...honest(call), kind: undefined, apiVersion: undefined })),
  'a number as kind': withBody((call) => ({ ...honest(call), kind: 1 })),
  'a list as version': withBody((call) => ({ ...honest(call), apiVersion: [] })),
  'no response': withBody(() => ({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' })),
  'null as response': withBody(() => ({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: null })),
  'a list as response': withBody(() => ({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: [] })),
  'an empty response': withBody(() => ({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: {} })),
  'Response in capitals': withBody(({ review }) => ({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    Response: { uid: review.request.uid, allowed: true },
  })),
  'another uid': withBody(({ review }) => reviewOf(review, { uid: 'x', allowed: true })),
  'no uid': withBody(({ review }) => reviewOf(review, { uid: undefined, allowed: true })),
  'null as uid': withBody(({ review }) => reviewOf(review, { uid: null, allowed: true })),
  'a number as uid': withBody(({ review }) => reviewOf(review, { uid: 1, allowed: true })),
  'nothing of allowed': response({}),
  'null as allowed': response({ allowed: null }),
  'text as allowed': response({ allowed: 'true' }),
  'a number as allowed': response({ allowed: 1 }),
  'fields nobody knows': response({ allowed: true, more: { than: ['is', 'known'] } }),
  'the question back': withBody(({ review }) => review),
  'the question back, answered': withBody((call) => ({ ...call.review, ...honest(call) })),

  // Refusals.
  'refused without a word': response({ allowed: false }),
  'refused with an empty status': denied({}),
  'refused with a message': denied({ message: 'no' }),
  'refused with a reason': denied({ reason: 'Because' }),
  'refused with message and reason': denied({ message: 'no', reason: 'Because' }),
  'refused with 200': denied({ code: 200, message: 'no' }),
  'refused with 302': denied({ code: 302, message: 'no' }),
  'refused with 403': denied({ code: 403, message: 'no' }),
  'refused with 404': denied({ code: 404, message: 'no', reason: 'NotFound' }),
  'refused with 409': denied({ code: 409, message: 'no', reason: 'Conflict' }),
  'refused with 429': denied({ code: 429, message: 'no', reason: 'TooManyRequests', details: { retryAfterSeconds: 5 } }),
  'refused with 429 and no wait': denied({ code: 429, message: 'no', reason: 'TooManyRequests' }),
  'refused with 500 and a wait': denied({ code: 500, message: 'no', details: { retryAfterSeconds: 5 } }),
  'refused with 422 and a wait': denied({ code: 422, message: 'no', reason: 'Invalid', details: { retryAfterSeconds: 5 } }),
  'refused with 503': denied({ code: 503, message: 'no' }),
  'refused with 599': denied({ code: 599, message: 'no' }),
  'refused with 999': denied({ code: 999, message: 'no' }),
  'refused with -1': denied({ code: -1, message: 'no' }),
  'refused with a code as text': denied({ code: '403', message: 'no' }),
  'refused with a code and a half': denied({ code: 403.5, message: 'no' }),
  'refused by success': denied({ status: 'Success', message: 'no' }),
  'refused by another status': denied({ status: 'Perhaps', message: 'no' }),
  'refused with details': denied({
    code: 422,
    message: 'no',
    reason: 'Invalid',
    details: { name: 'a', kind: 'B', causes: [{ reason: 'FieldValueInvalid', message: 'bad', field: 'spec.a' }] },
  }),
  'refused with metadata': denied({ metadata: { resourceVersion: '12', continue: 'c', remainingItemCount: 3 }, message: 'no' }),
  'refused with kind and version': denied({ kind: 'Status', apiVersion: 'v1', metadata: {}, message: 'no' }),
  'refused in two lines': denied({ message: 'one\ntwo "three"' }),
  'text as status': response({ allowed: false, status: 'no' }),
  'allowed with a status': response({ allowed: true, status: { code: 403, message: 'no' } }),
  'refused with a patch': response({ allowed: false, ...patch(hooked), status: { message: 'no' } }),
  'refused with a warning': response({ allowed: false, status: { message: 'no' }, warnings: ['careful'] }),

  // Warnings and annotations.
  warnings: response({ allowed: true, warnings: ['one', 'two', 'one'] }),
  'an empty warning': response({ allowed: true, warnings: ['', 'two'] }),
  'odd warnings': response({ allowed: true, warnings: ['two\nlines', 'a "quoted" \\ one', 'grüß \u0007 gott'] }),
  'long warnings': response({ allowed: true, warnings: ['a'.repeat(300), 'b'.repeat(5_000), 'c'] }),
  'text as warnings': response({ allowed: true, warnings: 'careful' }),
  'numbers as warnings': response({ allowed: true, warnings: [1] }),
  'annotations that are numbers': response({ allowed: true, auditAnnotations: { a: 1 } }),
  'annotations of odd keys': response({ allowed: true, auditAnnotations: { 'a b/c/d': 'x', '': 'y' } }),

  // Patches.
  'a patch without a type': patchText('[{"op":"add","path":"/data/hooked","value":"yes"}]'),
  'a type without a patch': response({ allowed: true, patchType: 'JSONPatch' }),
  'an empty type': patchText('[]', ''),
  'another type': patchText('{"data":{"hooked":"yes"}}', 'MergePatch'),
  'another type, a list': patchText('[{"op":"add","path":"/data/hooked","value":"yes"}]', 'ApplyPatch'),
  'an empty patch': patchText('[]', 'JSONPatch'),
  'an empty text as patch': response({ allowed: true, patch: '', patchType: 'JSONPatch' }),
  'null as patch': response({ allowed: true, patch: null, patchType: null }),
  'null in the patch': patchText('null', 'JSONPatch'),
  'an object as patch': patchText('{"op":"add","path":"/data/hooked","value":"yes"}', 'JSONPatch'),
  'no JSON in the patch': patchText('add hooked', 'JSONPatch'),
  'half of a patch': patchText('[{"op":"add"', 'JSONPatch'),
  'a patch that is no base64': response({ allowed: true, patch: '%%%', patchType: 'JSONPatch' }),
  'a patch as list': response({ allowed: true, patch: [...hooked], patchType: 'JSONPatch' }),
  'a patch of text': patchText('["add"]', 'JSONPatch'),
  'an operation nobody knows': patched([{ op: 'change', path: '/data/a', value: 'b' }]),
  'no operation': patched([{ path: '/data/a', value: 'b' }]),
  'no path': patched([{ op: 'add', value: 'b' }]),
  'no value': patched([{ op: 'add', path: '/data/b' }]),
  'a path without a slash': patched([{ op: 'add', path: 'data', value: {} }]),
  'a path that is not there': patched([{ op: 'replace', path: '/data/none', value: 'b' }]),
  'a parent that is not there': patched([{ op: 'add', path: '/metadata/labels/a', value: 'b' }]),
  'a removal of nothing': patched([{ op: 'remove', path: '/data/none' }]),
  'a test that fails': patched([{ op: 'test', path: '/data/a', value: '2' }, ...hooked]),
  'a test that holds': patched([{ op: 'test', path: '/data/a', value: '1' }, ...hooked]),
  'a test alone': patched([{ op: 'test', path: '/data/a', value: '1' }]),
  'half that applies': patched([...hooked, { op: 'remove', path: '/data/none' }]),
  'a move from nowhere': patched([{ op: 'move', from: '/data/none', path: '/data/b' }]),
  'a copy of all into itself': patched([{ op: 'copy', from: '', path: '/data/all' }]),
  'another name': withBody(({ review }) =>
    reviewOf(review, {
      allowed: true,
      ...patch([{ op: 'replace', path: '/metadata/name', value: `${review.request.object?.metadata.name}-renamed` }]),
    }),
  ),
  'another namespace': patched([{ op: 'replace', path: '/metadata/namespace', value: 'kube-system' }]),
  'no namespace': patched([{ op: 'remove', path: '/metadata/namespace' }]),
  'its own uid': patched([{ op: 'add', path: '/metadata/uid', value: 'mine' }]),
  'its own version': patched([{ op: 'add', path: '/metadata/resourceVersion', value: '5' }]),
  'its own time': patched([{ op: 'add', path: '/metadata/creationTimestamp', value: '2001-01-01T00:00:00Z' }]),
  'a time that is none': patched([{ op: 'add', path: '/metadata/creationTimestamp', value: 'yesterday' }]),
  'a deletion': patched([{ op: 'add', path: '/metadata/deletionTimestamp', value: '2001-01-01T00:00:00Z' }]),
  'a finalizer': patched([{ op: 'add', path: '/metadata/finalizers', value: ['example.org/held'] }]),
  'no owners of fields': patched([{ op: 'remove', path: '/metadata/managedFields' }]),
  'broken owners of fields': patched([{ op: 'replace', path: '/metadata/managedFields', value: [{ manager: 'x', operation: 'Odd' }] }]),
  'a kind of its own': patched([{ op: 'replace', path: '/kind', value: 'Secret' }]),
  'a kind nobody knows in the patch': patched([{ op: 'replace', path: '/kind', value: 'None' }]),
  'no kind in the patch': patched([{ op: 'remove', path: '/kind' }]),
  'a version of its own': patched([{ op: 'replace', path: '/apiVersion', value: 'v2' }]),
  'a number as data': patched([{ op: 'replace', path: '/data', value: 1 }]),
  'a number in data': patched([{ op: 'replace', path: '/data/a', value: 1 }]),
  'null as data': patched([{ op: 'replace', path: '/data', value: null }]),
  'null in data': patched([{ op: 'replace', path: '/data/a', value: null }]),
  'no metadata': patched([{ op: 'remove', path: '/metadata' }]),
  'null as all': patched([{ op: 'replace', path: '', value: null }]),
  'a list as all': patched([{ op: 'replace', path: '', value: [] }]),
  'another object as all': withBody(({ review }) => {
    const value = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `${review.request.object?.metadata.name}-other`, namespace: 'default' },
    };
    return reviewOf(review, { allowed: true, ...patch([{ op: 'replace', path: '', value }]) });
  }),
  'fields that nobody knows': patched([{ op: 'add', path: '/spec', value: { a: 1 } }]),
  'a key that is invalid': patched([{ op: 'add', path: '/data/a b', value: '1' }]),
  'a label that is invalid': patched([{ op: 'add', path: '/metadata/labels', value: { 'a b': 'c d' } }]),
  'a label that is a number': patched([{ op: 'add', path: '/metadata/labels', value: { a: 1 } }]),
  'too much data': patched([{ op: 'add', path: '/data/big', value: 'x'.repeat(1_100_000) }]),
};

/** Those that are waited for: each is called with a `timeoutSeconds` of 1. */
export const lateLies: Readonly<Record<string, Lie>> = {
  never: () => undefined,
  'after its time': (call) => void setTimeout(() => send(call, honest(call)), 1_500),
  'a head, and nothing': ({ response }) => void response.writeHead(200, json).flushHeaders(),
  'half a head, and nothing': ({ response }) => void response.socket?.write('HTTP/1.1 200 OK\r\n'),
  'a body by drops': (call) => {
    const { response } = call;
    response.writeHead(200, json);
    const text = JSON.stringify(honest(call));
    let at = 0;
    const timer = setInterval(() => (at < text.length ? response.write(text[at++]) : response.end()), 50);
    response.on('close', () => clearInterval(timer));
  },
  'a head by drops': (call) => {
    const { socket } = call.response;
    socket?.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket?.write('X-A: b\r\n'), 50);
    socket?.on('close', () => clearInterval(timer));
  },
  'to be continued for ever': ({ response }) => {
    const timer = setInterval(() => response.writeContinue(), 50);
    response.on('close', () => clearInterval(timer));
  },
  'an error, and nothing': ({ response }) => void response.writeHead(500, { 'Content-Type': 'text/plain' }).write('brok'),
  'busy for ten seconds': (call) => send(call, 'busy', 429, { 'Content-Type': 'text/plain', 'Retry-After': '10' }),
  'unavailable for ever': (call) => send(call, 'away', 503, { 'Content-Type': 'text/plain', 'Retry-After': '1' }),
};
