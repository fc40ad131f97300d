import type { ClusterState } from '#libs/cluster-state';
import { objectKey, type JsonObject, type KubeObject } from '#libs/kernel';
import {
  badRequest,
  isFailure,
  isSelectorError,
  methodNotAllowed,
  notFound,
  parseFieldSelector,
  parseLabelSelector,
  readIncludeObject,
  type Failure,
} from '#libs/kube-api';
import { nodeMetrics, podMetrics } from '#libs/kubelet';
import type { ApiRequest } from '../api-request';
import { pageNotFound, type Answer } from '../http/answer';
import { negotiateText, type Negotiated } from '../negotiation/accept';
import type { ResourcePath } from '../request-info/request-info';
import { answerOf, refusalOf } from '../wire/representation';
import { metricsGroup, metricsVersion } from './metrics-group';
import { shownList, shownNode, shownPod, shownTable, type Shown } from './shown-metrics';

/** A resource of the group: what is measured, and how that is shown. */
interface MeasuredResource {
  name: string;
  /** As refusals name it. */
  refusedAs: string;
  kind: string;
  namespaced: boolean;
  measure(cluster: ClusterState, object: KubeObject, now: number): Shown | undefined;
}

const resources: readonly MeasuredResource[] = [
  {
    name: 'nodes',
    refusedAs: 'nodemetrics',
    kind: 'NodeMetrics',
    namespaced: false,
    measure(cluster, { metadata }, now) {
      const found = nodeMetrics(cluster, metadata.name, now);
      return found && shownNode(found, now);
    },
  },
  {
    name: 'pods',
    refusedAs: 'podmetrics',
    kind: 'PodMetrics',
    namespaced: true,
    measure(cluster, pod, now) {
      const found = podMetrics(cluster, pod, now);
      return found && shownPod(found, now);
    },
  },
];

/** What the group has to serve. */
export const metricsResourceList: JsonObject & { resources: JsonObject[] } = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${metricsGroup}/${metricsVersion}`,
  resources: resources.map(({ name, kind, namespaced }) => ({ name, singularName: '', namespaced, kind, verbs: ['get', 'list'] })),
};

const verbs: ReadonlySet<string> = new Set(['get', 'list']);

/** The metrics API over simulated usage: kubereel in the place of a metrics-server. @param now cluster time, ms */
export async function metricsAnswer({ info, headers }: ApiRequest, cluster: ClusterState, now: number): Promise<Answer> {
  const negotiated = negotiateText(headers, info.query.flag('pretty'));
  if (isFailure(negotiated)) return refusalOf(negotiated, { format: 'json', pretty: false });
  const { resource: path, method, query } = info;
  if (!path)
    return method === 'GET' ? answerOf(200, JSON.stringify(metricsResourceList), negotiated) : refusalOf(methodNotAllowed(), negotiated);
  const resource = resources.find(({ name }) => name === path.resource);
  const isPlaced = resource?.namespaced ? path.namespace !== undefined || path.name === undefined : path.namespace === undefined;
  if (!resource || !isPlaced || path.subresource !== undefined) return pageNotFound();
  if (path.verb === undefined || !verbs.has(path.verb)) return refusalOf(methodNotAllowed(), negotiated);
  const found = path.verb === 'get' ? one(cluster, resource, path, now) : all(cluster, resource, path, query, now);
  const include = readIncludeObject(query.text('includeObject'));
  if (isFailure(found)) return refusalOf(found, negotiated);
  if (isFailure(include)) return refusalOf(include, negotiated);
  return answerOf(200, JSON.stringify(shownAs(negotiated, resource, found, include)), negotiated);
}

function shownAs(
  { as, asVersion = 'v1' }: Negotiated,
  { kind }: MeasuredResource,
  found: Shown | Shown[],
  include: 'None' | 'Metadata' | 'Object',
): JsonObject {
  if (as === 'Table') return shownTable(Array.isArray(found) ? found : [found], asVersion, include);
  return Array.isArray(found) ? shownList(kind, found) : found.object;
}

function one(cluster: ClusterState, resource: MeasuredResource, { namespace, name = '' }: ResourcePath, now: number): Shown | Failure {
  const object = cluster.get(resource.name, namespace, name);
  // Of pods, metrics-server knows only those that run.
  if (!object || (resource.namespaced && object.status?.phase !== 'Running')) return notFound(resource.name, name);
  const fullName = resource.namespaced ? `${namespace}/${name}` : name;
  return resource.measure(cluster, object, now) ?? notFound(`${resource.refusedAs}.${metricsGroup}`, fullName);
}

const byName = {
  labels: new Map([
    ['metadata.name', nameOf],
    ['metadata.namespace', namespaceOf],
  ]),
  refusal: notSelectable,
};

function nameOf({ metadata }: KubeObject): string {
  return metadata.name;
}

function namespaceOf({ metadata }: KubeObject): string {
  return metadata.namespace ?? '';
}

function notSelectable(field: string): string {
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

function all(
  cluster: ClusterState,
  resource: MeasuredResource,
  { namespace }: ResourcePath,
  query: ApiRequest['info']['query'],
  now: number,
): Shown[] | Failure {
  const labels = parseLabelSelector(query.text('labelSelector'));
  if (isSelectorError(labels)) return badRequest(labels.error);
  const fields = parseFieldSelector({ fields: byName }, query.text('fieldSelector'));
  if (isSelectorError(fields)) return badRequest(fields.error);
  const chosen = [...cluster.list(resource.name, namespace)].filter(
    (object) => labels.matches(object.metadata.labels ?? {}) && fields.matches(object),
  );
  return chosen
    .sort(byPlace)
    .map((object) => resource.measure(cluster, object, now))
    .filter((shown) => shown !== undefined);
}

function byPlace({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  const [one, other] = [objectKey(a.namespace, a.name), objectKey(b.namespace, b.name)];
  return one < other ? -1 : 1;
}
