import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { KindCatalogue } from '#libs/kube-api';
import {
  openApiOf,
  openApiV2ProtobufAccepts,
  openApiV2ProtobufType,
  openApiV3ProtobufAccepts,
  openApiV3ProtobufType,
  type OpenApi,
  type OpenApiDocument,
} from '#libs/kube-api/openapi';
import { jsonType, pageNotFound, textType, type Answer } from '../http/answer';
import { parseAccept } from '../negotiation/accept';
import type { RequestInfo } from '../request-info/request-info';
import type { DiscoveryHeaders } from './discovery';
import { madeOfKinds } from './of-kinds';

const compressed = promisify<Buffer | string, Buffer>(gzip);
const whole = promisify<Buffer, Buffer>(gunzip);

/** Compressed documents that are kept: more than a cluster of the release alone has. */
const documentsMax = 512;

/** The documents of a cluster's kinds. Each is made when it is first asked for, and kept compressed. */
class KeptDocuments {
  readonly openApi: OpenApi;
  private readonly kept = new Map<string, Promise<Buffer>>();

  constructor(kinds: KindCatalogue) {
    this.openApi = openApiOf(kinds.all.filter(({ served }) => served));
  }

  gzipped(contentType: string, { hash, make }: OpenApiDocument): Promise<Buffer> {
    const key = `${contentType} ${hash}`;
    let document = this.kept.get(key);
    if (!document) {
      // Those of other servers change; of these the last ones are kept.
      const [oldest] = this.kept.keys();
      if (this.kept.size >= documentsMax && oldest !== undefined) this.kept.delete(oldest);
      const made = make();
      document = compressed(typeof made === 'string' ? made : Buffer.from(made.buffer, made.byteOffset, made.byteLength));
      this.kept.set(key, document);
    }
    return document;
  }

  async plain(contentType: string, document: OpenApiDocument): Promise<Buffer> {
    return whole(await this.gzipped(contentType, document));
  }
}

const documentsOf = madeOfKinds((kinds) => new KeptDocuments(kinds));
const yearMs = 365 * 86_400_000;
const v3Root = '/openapi/v3';

/** What other servers have. */
export interface OtherSchemas {
  /** Where their documents are, by their paths below `/openapi/v3`. */
  readonly urls: ReadonlyMap<string, string>;
  /** OpenAPI v2 of this server and theirs together. */
  merged(own: OpenApiDocument): Promise<OpenApiDocument>;
}

/** The path of a document below `/openapi/v3`. Undefined: another path. */
export function schemaNameOf(path: string): string | undefined {
  return path.startsWith(`${v3Root}/`) && path.length > v3Root.length + 1 ? path.slice(v3Root.length + 1) : undefined;
}

/**
 * `/openapi/v2`, `/openapi/v3` and the documents below it. Undefined: another path.
 * @param others what other servers have; absent: nothing
 */
export async function openApiAnswer(
  { path, query }: RequestInfo,
  headers: DiscoveryHeaders,
  kinds: KindCatalogue,
  others?: OtherSchemas,
): Promise<Answer | undefined> {
  if (!path.startsWith('/openapi/')) return undefined;
  const documents = documentsOf(kinds);
  if (path === '/openapi/v2') return v2Answer(documents, headers, others);
  if (path === v3Root || path === `${v3Root}/`)
    return { status: 200, contentType: textType, body: documents.openApi.v3Index(others?.urls), headers: fileHeaders, isFile: true };
  const name = schemaNameOf(path);
  return name === undefined ? pageNotFound() : v3Answer(name, documents, query.text('hash'), headers);
}

/** As Go's file server says it of a document: since when it is there, and that parts of it could be had. */
const fileHeaders = { 'Accept-Ranges': 'bytes', 'Last-Modified': new Date().toUTCString() };

function tagOf({ hash }: OpenApiDocument): string {
  return `"${hash}"`;
}

function isKnown(document: OpenApiDocument, { 'if-none-match': known }: DiscoveryHeaders): boolean {
  const tags = (known ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(tagOf(document));
}

/** Undefined: no clause can be met. */
function negotiated(accept: string | undefined, protobufAccepts: readonly string[]): 'json' | 'protobuf' | undefined {
  for (const { type } of parseAccept(accept || '*/*')) {
    if (protobufAccepts.includes(type)) return 'protobuf';
    if (type === jsonType || type === '*/*' || type === 'application/*') return 'json';
  }
  return undefined;
}

const notAcceptable: Answer = { status: 406, contentType: undefined, body: '' };

async function v3Answer(name: string, documents: KeptDocuments, asked: string, headers: DiscoveryHeaders): Promise<Answer> {
  const { openApi } = documents;
  const form = negotiated(headers.accept, openApiV3ProtobufAccepts);
  const document = form === 'protobuf' ? openApi.v3Protobuf(name) : openApi.v3(name);
  if (!document) return { status: 404, contentType: undefined, body: '' };
  if (!form) return notAcceptable;
  const common = { Etag: tagOf(document), Vary: 'Accept' };
  if (asked !== '' && asked !== document.hash) {
    return { status: 301, contentType: jsonType, body: '', headers: { ...common, Location: `${v3Root}/${name}?hash=${document.hash}` } };
  }
  // With its hash in the path a document never changes: clients keep it for a year.
  const kept: Record<string, string> =
    asked === '' ? {} : { 'Cache-Control': 'public, immutable', Expires: new Date(Date.now() + yearMs).toUTCString() };
  if (isKnown(document, headers)) return { status: 304, contentType: undefined, body: '', headers: { ...common, ...kept } };
  const contentType = form === 'protobuf' ? openApiV3ProtobufType : jsonType;
  const body = await documents.plain(contentType, document);
  return { status: 200, contentType, body, headers: { ...common, ...fileHeaders, ...kept }, isFile: true };
}

async function v2Answer(documents: KeptDocuments, headers: DiscoveryHeaders, others: OtherSchemas | undefined): Promise<Answer> {
  const form = negotiated(headers.accept, openApiV2ProtobufAccepts);
  if (!form) return notAcceptable;
  const own = form === 'protobuf' ? documents.openApi.v2Protobuf() : documents.openApi.v2();
  const document = others && form === 'json' ? await others.merged(own) : own;
  const common = { Etag: tagOf(document), Vary: ['Accept-Encoding', 'Accept'] };
  if (isKnown(document, headers)) return { status: 304, contentType: undefined, body: '', headers: common };
  const contentType = form === 'protobuf' ? openApiV2ProtobufType : jsonType;
  const answer = { status: 200, contentType, headers: { ...common, ...fileHeaders } };
  if (!acceptsGzip(headers)) return { ...answer, body: await documents.plain(contentType, document), isFile: true };
  const body = await documents.gzipped(contentType, document);
  return { ...answer, headers: { ...answer.headers, 'Content-Encoding': 'gzip' }, body };
}

function acceptsGzip({ 'accept-encoding': encodings }: DiscoveryHeaders): boolean {
  return String(encodings ?? '')
    .split(',')
    .some((part) => part.trim().split(';')[0] === 'gzip');
}
