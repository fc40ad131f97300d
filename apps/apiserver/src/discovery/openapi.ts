import {
  notAcceptable,
  openApiOf,
  openApiV2ProtobufAccepts,
  openApiV2ProtobufType,
  type Failure,
  type KindCatalogue,
  type OpenApi,
  type OpenApiDocument,
} from '#libs/kube-api';
import { jsonType, pageNotFound, textType, type Answer } from '../http/answer';
import { parseAccept } from '../negotiation/accept';
import type { RequestInfo } from '../request-info/request-info';
import type { DiscoveryHeaders } from './discovery';
import { madeOfKinds } from './of-kinds';

const documentsOf = madeOfKinds((kinds) => openApiOf(kinds.all.filter(({ served }) => served)));
const yearMs = 365 * 86_400_000;
const v3Root = '/openapi/v3';

/** `/openapi/v2`, `/openapi/v3` and the documents below it. Undefined: another path. */
export async function openApiAnswer(
  { path, query }: RequestInfo,
  headers: DiscoveryHeaders,
  kinds: KindCatalogue,
): Promise<Answer | Failure | undefined> {
  if (!path.startsWith('/openapi/')) return undefined;
  const documents: OpenApi = documentsOf(kinds);
  if (path === '/openapi/v2') return v2Answer(documents, headers);
  if (path === v3Root || path === `${v3Root}/`)
    return { status: 200, contentType: textType, body: documents.v3Index(), headers: fileHeaders, compressible: true };
  if (!path.startsWith(`${v3Root}/`)) return pageNotFound();
  const name = path.slice(v3Root.length + 1);
  const document = documents.v3(name);
  if (!document) return pageNotFound();
  return v3Answer(name, document, query.text('hash'), headers);
}

/** As Go's file server says it of a document: since when it is there, and that parts of it could be had. */
const fileHeaders = { 'Accept-Ranges': 'bytes', 'Last-Modified': new Date().toUTCString() };

function tagged({ hash }: OpenApiDocument): Record<string, string> {
  return { Etag: `"${hash}"`, Vary: 'Accept' };
}

function v3Answer(name: string, document: OpenApiDocument, asked: string, headers: DiscoveryHeaders): Answer {
  const common = tagged(document);
  if (asked !== '' && asked !== document.hash) {
    return { status: 301, contentType: jsonType, body: '', headers: { ...common, Location: `${v3Root}/${name}?hash=${document.hash}` } };
  }
  if (headers['if-none-match'] === common.Etag) return { status: 304, contentType: undefined, body: '', headers: common };
  // With its hash in the path a document never changes: clients keep it for a year.
  const kept: Record<string, string> =
    asked === '' ? {} : { 'Cache-Control': 'public, immutable', Expires: new Date(Date.now() + yearMs).toUTCString() };
  return {
    status: 200,
    contentType: jsonType,
    body: bytesOf(document),
    headers: { ...common, ...fileHeaders, ...kept },
    compressible: true,
  };
}

function bytesOf({ body }: OpenApiDocument): string | Buffer {
  return typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

function v2Answer(openApi: OpenApi, headers: DiscoveryHeaders): Answer | Failure {
  for (const { type } of parseAccept(headers.accept || '*/*')) {
    const protobuf = openApiV2ProtobufAccepts.includes(type);
    if (!protobuf && type !== jsonType && type !== '*/*' && type !== 'application/*') continue;
    const document = protobuf ? openApi.v2Protobuf() : openApi.v2();
    const common = tagged(document);
    if (headers['if-none-match'] === common.Etag) return { status: 304, contentType: undefined, body: '', headers: common };
    return {
      status: 200,
      contentType: protobuf ? openApiV2ProtobufType : jsonType,
      body: bytesOf(document),
      headers: { ...common, ...fileHeaders, Vary: ['Accept-Encoding', 'Accept'] },
      compressible: true,
    };
  }
  return notAcceptable([jsonType, openApiV2ProtobufType]);
}
