import type { IncomingHttpHeaders } from 'node:http';
import type { Origin } from '#libs/control-loop';
import {
  findSubresource,
  isFailure,
  isSubresourceServed,
  methodNotAllowed,
  restrictNodeToken,
  type TokenAsked,
  notFound,
  unknownResource,
  type Failure,
  type ResourceKind,
} from '#libs/kube-api';
import type { ApiRequest, ApiServices } from './api-request';
import type { Answer, Handled } from './http/answer';
import { unknownPath } from './http/unknown-path';
import { answerReview, isReview } from './authentication/reviews';
import { podLog } from './logs/pod-log';
import { answerStream, notServedYet, streamSubresources } from './logs/streams';
import { negotiate, negotiateText } from './negotiation/accept';
import { componentStatuses } from './reading/component-statuses';
import { getObject } from './reading/get';
import { listObjects } from './reading/list';
import type { ResourceRequest } from './reading/resource-request';
import { toldGroups } from './authentication/user';
import type { RequestVerb, ResourcePath } from './request-info/request-info';
import type { ClusterView } from './serving/cluster-view';
import { watchObjects } from './watching/watch';
import { RequestCaller } from './writing/caller';
import { admitConnection } from './writing/connect';
import { bindPodTo, createObject, evictPod } from './writing/create';
import { deleteCollection, deleteObject } from './writing/delete';
import { patchObject, updateObject } from './writing/update';
import type { MutatingRequest } from './writing/write-request';

const reads: ReadonlySet<RequestVerb> = new Set(['get', 'list', 'watch']);

/** A request to a resource path: is there such a thing, may this be done to it, and then whatever does it. */
export async function resourceAnswer(
  request: ApiRequest,
  path: ResourcePath,
  view: ClusterView,
  isPast: boolean,
  services: ApiServices,
): Promise<Handled | Failure> {
  const kind = view.kinds.findResource(path.group, path.version, path.resource);
  if (!kind) return unknownPath(path.group);
  const refusal = pathRefusal(kind, path);
  if (refusal) return refusal;
  const verb = path.verb as RequestVerb;
  const { info, headers } = request;
  if (isPast && !reads.has(verb)) return methodNotAllowed();
  if (verb === 'watch' && info.method !== 'GET') return methodNotAllowed();
  // A log is text whatever is asked for.
  const accepted = path.subresource === 'log' ? {} : headers;
  const pretty = info.query.flag('pretty');
  const negotiated = kind.form ? negotiateText(accepted, pretty) : negotiate(accepted, pretty, true);
  if (isFailure(negotiated)) return negotiated;
  const namespace = kind.namespaced ? path.namespace : '';
  const resourceRequest: ResourceRequest = {
    kind,
    verb,
    namespace,
    name: path.name,
    subresource: path.subresource,
    query: info.query,
    negotiated,
    view,
  };
  if (path.subresource !== undefined && streamSubresources.has(path.subresource))
    return isPast ? methodNotAllowed() : connect(resourceRequest, request, services);
  if (kind.groupResource === 'componentstatuses') return componentStatuses(resourceRequest, services);
  if (reads.has(verb)) return read(resourceRequest, request.operation);
  return write(
    {
      ...resourceRequest,
      headers,
      user: request.user,
      origin: originOf(request, services),
      readBody: () => request.readBody(),
      audit: request.audit,
    },
    services,
  );
}

/** Whoever is configured to may refuse a connection. */
async function connect(request: ResourceRequest, asked: ApiRequest, services: ApiServices): Promise<Handled | Failure> {
  const refused = await admitConnection(request, services.writer, originOf(asked, services));
  if (refused) return refused;
  return (await askedOfKubelet(request, asked, services)) ?? answerStream(request, asked.headers);
}

/** Few processes are ever asked what a kubelet measures. */
async function askedOfKubelet(
  request: ResourceRequest,
  { info }: ApiRequest,
  { runtime }: ApiServices,
): Promise<Handled | Failure | undefined> {
  if (request.kind.groupResource !== 'nodes' || request.subresource !== 'proxy') return undefined;
  const { kubeletAnswer } = await import('./kubelet-api/kubelet-api.js');
  const page = { path: info.resource?.rest.join('/') ?? '', method: info.method };
  return kubeletAnswer(request, page, { cluster: runtime.state, now: runtime.clock.now() });
}

function read(request: ResourceRequest, requestId: string): Promise<Handled | Failure> {
  if (request.subresource === 'log') return podLog(request);
  if (request.verb === 'watch') return watchObjects(request, requestId);
  return request.verb === 'list' ? listObjects(request) : getObject(request);
}

function write(request: MutatingRequest, services: ApiServices): Promise<Handled | Failure> {
  const { writer } = services;
  const { kind, verb, subresource } = request;
  if (isReview(request)) return answerReview(request, services);
  if (subresource === 'token') return tokenAnswer(request, services);
  if (kind.groupResource === 'bindings' || subresource === 'binding') return bindPodTo(request, writer);
  if (subresource === 'eviction') return evictPod(request, writer);
  switch (verb) {
    case 'create':
      return createObject(request, writer);
    case 'update':
      return updateObject(request, writer);
    case 'patch':
      return patchObject(request, writer);
    case 'deletecollection':
      return deleteCollection(request, writer);
    default:
      return deleteObject(request, writer);
  }
}

/** Few processes are ever asked for a token. */
async function tokenAnswer(
  request: MutatingRequest,
  { tokens, runtime, access, extendsExpiration = true }: ApiServices,
): Promise<Handled | Failure> {
  const { answerTokenRequest } = await import('./authentication/token-requests.js');
  const { state } = runtime;
  const find = state.get.bind(state);
  const isRestricted = !state.admission?.disabled.includes('NodeRestriction');
  const requester = { user: request.user, access };
  const admit = (asked: TokenAsked): Failure | undefined => (isRestricted ? restrictNodeToken(asked, requester, find) : undefined);
  return answerTokenRequest(request, { tokens, find, extendsExpiration, admit });
}

function originOf(request: ApiRequest, { access }: ApiServices): Origin {
  const { user, impersonator, operation, auditId, signal, headers, info, audit } = request;
  return {
    actor: `user:${user.name}`,
    operation,
    correlationId: auditId,
    signal,
    agent: agentOf(headers),
    impersonator: impersonator?.name,
    groups: toldGroups(user),
    requester: { user, access },
    ...(audit ? { annotated: (operation, annotations) => audit.annotated(operation, annotations) } : undefined),
    caller: new RequestCaller(user, access, info.query),
  };
}

/** Characters that are kept of each of the headers in which a client names itself. */
const agentMax = 80;

/** `USER-AGENT`, or `USER-AGENT; COMMAND` of a kubectl. */
function agentOf(headers: IncomingHttpHeaders): string | undefined {
  const agent = headers['user-agent']?.slice(0, agentMax);
  const command = headers['kubectl-command'];
  return typeof command === 'string' ? `${agent ?? ''}; ${command.slice(0, agentMax)}` : agent;
}

/** Paths and methods that no route of upstream's would match. */
function pathRefusal(kind: ResourceKind, path: ResourcePath): Answer | Failure | undefined {
  const { group, namespace, name, subresource, verb } = path;
  if (kind.namespaced ? namespace === undefined && name !== undefined : namespace !== undefined) return unknownPath(group);
  if (!kind.served) return notServedYet(kind.groupResource);
  if (subresource === undefined) return isAllowed(kind, path) ? undefined : methodNotAllowed();
  const known = findSubresource(kind, subresource);
  if (!known && kind.form) return notFound(kind.groupResource, name ?? '');
  // Upstream reads no more of the path of a custom object than its subresource.
  if (!known || (path.rest.length > 0 && subresource !== 'proxy' && !kind.form)) return unknownResource();
  if (streamSubresources.has(subresource)) return undefined;
  if (!isSubresourceServed(kind, subresource)) return notServedYet(`${kind.groupResource}/${subresource}`);
  return verb !== undefined && known.verbs.includes(verb) ? undefined : methodNotAllowed();
}

const collectionVerbs: ReadonlySet<RequestVerb> = new Set(['list', 'watch', 'create', 'deletecollection']);

function isAllowed(kind: ResourceKind, { namespace, name, verb }: ResourcePath): boolean {
  if (verb === undefined || !kind.verbs.includes(verb)) return false;
  if (name === undefined) {
    // Over all namespaces there is only reading.
    const everywhere = kind.namespaced && namespace === undefined;
    return collectionVerbs.has(verb) && (!everywhere || reads.has(verb));
  }
  return verb === 'watch' || !collectionVerbs.has(verb);
}
