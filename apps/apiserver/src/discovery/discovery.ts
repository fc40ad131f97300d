import { createHash } from 'node:crypto';
import { aggregatedDiscoveryType, discoveryOf, isFailure, versionInfo, type Discovery, type Failure } from '#libs/kube-api';
import { healthPaths, slisPath } from '../health/health';
import { jsonType, pageNotFound, type Answer } from '../http/answer';
import { unknownPath } from '../http/unknown-path';
import { negotiate, parseAccept, type AcceptHeaders } from '../negotiation/accept';
import type { RequestInfo } from '../request-info/request-info';
import { answerOf } from '../wire/representation';
import { madeOfKinds } from './of-kinds';
import { openIdAnswer, openIdPaths, type TokenIssuer } from './openid';

/** Discovery, and what of its aggregated form has been made. */
export interface DiscoveryDocuments {
  readonly discovery: Discovery;
  readonly aggregated: Map<string, AggregatedDocument>;
}

export interface AggregatedDocument {
  body: string;
  tag: string;
}

export function documentsFor(discovery: Discovery): DiscoveryDocuments {
  return { discovery, aggregated: new Map() };
}

/** Of what this server answers itself. */
export const localDocuments = madeOfKinds((kinds) => documentsFor(discoveryOf(kinds.all)));

export interface DiscoveryHeaders extends AcceptHeaders {
  'if-none-match'?: string;
  'accept-encoding'?: string | string[];
  host?: string;
  ':authority'?: string;
}

/** For people to read, as upstream writes what is no object of the API. */
const indented = (body: object): Answer => ({ status: 200, contentType: jsonType, body: JSON.stringify(body, undefined, 2) });

/** `/`, `/version`, `/api`, `/apis` and what lies above the resources. Undefined: another path. */
export async function discoveryAnswer(
  info: RequestInfo,
  headers: DiscoveryHeaders,
  documents: DiscoveryDocuments,
  tokens: TokenIssuer,
): Promise<Answer | Failure | undefined> {
  const { path } = info;
  const { discovery, aggregated } = documents;
  if (path === '/version' || path === '/version/') return indented(versionInfo({ gitCommit: '$Format:%H$' }));
  if (path === '/') return indented(discovery.rootPaths([...healthPaths, ...openIdPaths, slisPath]));
  const openId = await openIdAnswer(path, headers, tokens);
  if (openId) return openId;
  const parts = path.replace(/\/$/, '').split('/').slice(1);
  const [root, first, second] = parts;
  if (root !== 'api' && root !== 'apis') return undefined;
  if (parts.length === 1) return rootAnswer(root, info, headers, discovery, aggregated);
  const group = root === 'api' ? '' : (first as string);
  const version = root === 'api' ? first : second;
  if (root === 'apis' && !discovery.hasGroup(group)) return parts.length <= 3 ? pageNotFound() : undefined;
  if (parts.length > (root === 'api' ? 2 : 3)) return undefined;
  const body = version === undefined ? discovery.apiGroup(group) : discovery.apiResourceList(group, version);
  return body === undefined ? unknownPath(group) : negotiatedAnswer(body, info, headers);
}

async function rootAnswer(
  root: 'api' | 'apis',
  info: RequestInfo,
  headers: DiscoveryHeaders,
  discovery: Discovery,
  aggregated: Map<string, AggregatedDocument>,
): Promise<Answer | Failure> {
  if (wantsAggregated(headers.accept)) return aggregatedAnswer(root, headers, discovery, aggregated);
  const body = root === 'api' ? discovery.apiVersions(headers[':authority'] ?? headers.host ?? '') : discovery.apiGroupList();
  return negotiatedAnswer(body, info, headers);
}

/** The first clause that can be met decides; only v2 is served in the aggregated form. */
export function wantsAggregated(accept: string | undefined): boolean {
  for (const { type, params } of parseAccept(accept ?? '')) {
    if (type !== 'application/json') continue;
    if (!params.has('as')) return false;
    if (params.get('as') === 'APIGroupDiscoveryList' && params.get('g') === 'apidiscovery.k8s.io' && params.get('v') === 'v2') return true;
  }
  return false;
}

/** Clients keep it and ask by its tag whether it still holds. */
function aggregatedAnswer(
  root: 'api' | 'apis',
  headers: DiscoveryHeaders,
  discovery: Discovery,
  aggregated: Map<string, AggregatedDocument>,
): Answer {
  let document = aggregated.get(root);
  if (!document) {
    const body = `${JSON.stringify(discovery.aggregated(`/${root}`))}\n`;
    document = { body, tag: `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"` };
    aggregated.set(root, document);
  }
  const { body, tag } = document;
  const same = headers['if-none-match'] === tag;
  return {
    status: same ? 304 : 200,
    contentType: same ? undefined : aggregatedDiscoveryType,
    body: same ? '' : body,
    headers: { ETag: tag, Vary: 'Accept', 'Cache-Control': 'public' },
    compressible: true,
  };
}

async function negotiatedAnswer(body: object, { query }: RequestInfo, headers: AcceptHeaders): Promise<Answer | Failure> {
  const negotiated = negotiate(headers, query.flag('pretty'), false);
  return isFailure(negotiated) ? negotiated : answerOf(200, JSON.stringify(body), negotiated);
}
