import { isSubresourceServed } from '../kinds/resource-kind';
import type { ResourceKind, Subresource } from '../kinds/resource-kind';
import { definition } from '../schema';
import type { Definition } from '../schema';

/** A parameter of the query; path parameters are strings and follow from the path. */
export interface QueryParameter {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'integer';
}

/** What can be done at a path, without the words of a particular version of OpenAPI. */
export interface Operation {
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch';
  readonly operationId: string;
  readonly action: string;
  readonly query: readonly QueryParameter[];
  /** Of the request body; `patch`: any of the patch types. */
  readonly body?: Definition | 'patch';
  /** Of the answer; absent: text. */
  readonly result?: Definition;
  readonly created: boolean;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
}

export interface Endpoint {
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly operations: readonly Operation[];
}

const parameter = (name: string, type: QueryParameter['type'] = 'string'): QueryParameter => ({ name, type });
const writeQuery = [parameter('dryRun'), parameter('fieldManager'), parameter('fieldValidation')];
const listQuery = [
  parameter('allowWatchBookmarks', 'boolean'),
  parameter('continue'),
  parameter('fieldSelector'),
  parameter('labelSelector'),
  parameter('limit', 'integer'),
  parameter('resourceVersion'),
  parameter('resourceVersionMatch'),
  parameter('sendInitialEvents', 'boolean'),
  parameter('timeoutSeconds', 'integer'),
  parameter('watch', 'boolean'),
];
const deleteQuery = [
  parameter('dryRun'),
  parameter('gracePeriodSeconds', 'integer'),
  parameter('orphanDependents', 'boolean'),
  parameter('propagationPolicy'),
];
const logQuery = [
  parameter('container'),
  parameter('follow', 'boolean'),
  parameter('limitBytes', 'integer'),
  parameter('previous', 'boolean'),
  parameter('sinceSeconds', 'integer'),
  parameter('stream'),
  parameter('tailLines', 'integer'),
  parameter('timestamps', 'boolean'),
];

const remoteQuery = [
  parameter('container'),
  parameter('stderr', 'boolean'),
  parameter('stdin', 'boolean'),
  parameter('stdout', 'boolean'),
  parameter('tty', 'boolean'),
];
/** Subresources that a client connects to: what goes to and fro is no object. */
const connections: Readonly<Record<string, readonly QueryParameter[]>> = {
  attach: remoteQuery,
  exec: [parameter('command'), ...remoteQuery],
  portforward: [parameter('ports', 'integer')],
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `CoreV1Namespaced…`: what stands between verb and kind in the id of an operation. */
function idPrefix(kind: ResourceKind): string {
  const words = kind.group === '' ? ['core'] : kind.group.replace(/\.k8s\.io$/, '').split('.');
  return `${words.map(capital).join('')}${capital(kind.version)}`;
}

function basePath(kind: ResourceKind): string {
  return kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
}

/** Every path of the kinds, collections first. */
export function endpoints(kinds: readonly ResourceKind[]): Endpoint[] {
  return kinds
    .flatMap((kind) => [...collectionEndpoints(kind), ...objectEndpoints(kind)])
    .filter(({ operations }) => operations.length > 0);
}

function collectionEndpoints(kind: ResourceKind): Endpoint[] {
  const { group, version, verbs } = kind;
  const prefix = idPrefix(kind);
  const scoped = kind.namespaced ? 'Namespaced' : '';
  const base = basePath(kind);
  const path = kind.namespaced ? `${base}/namespaces/{namespace}/${kind.resource}` : `${base}/${kind.resource}`;
  const list = kind.listSchema;
  const own = kind.schema;
  const gvk = { group, version, kind: kind.kind };
  const operations: Operation[] = [];
  if (verbs.includes('list')) {
    operations.push({
      method: 'get',
      operationId: `list${prefix}${scoped}${kind.kind}`,
      action: 'list',
      query: listQuery,
      result: list,
      created: false,
      kind: gvk,
    });
  }
  if (verbs.includes('create')) {
    const operationId = `create${prefix}${scoped}${kind.kind}`;
    operations.push({ method: 'post', operationId, action: 'post', query: writeQuery, body: own, result: own, created: true, kind: gvk });
  }
  if (verbs.includes('deletecollection')) {
    const query = [...deleteQuery, ...listQuery.filter(({ name }) => name !== 'watch' && name !== 'allowWatchBookmarks')];
    const operationId = `delete${prefix}Collection${scoped}${kind.kind}`;
    operations.push({
      method: 'delete',
      operationId,
      action: 'deletecollection',
      query,
      body: definition('meta.v1.DeleteOptions'),
      result: definition('meta.v1.Status'),
      created: false,
      kind: gvk,
    });
  }
  const out: Endpoint[] = [{ path, group, version, operations }];
  const [listing] = operations;
  if (kind.namespaced && listing?.action === 'list') {
    const everywhere = { ...listing, operationId: `list${prefix}${kind.kind}ForAllNamespaces` };
    out.push({ path: `${base}/${kind.resource}`, group, version, operations: [everywhere] });
  }
  return out;
}

const methods: Readonly<Record<string, { method: Operation['method']; word: string; action: string }>> = {
  get: { method: 'get', word: 'read', action: 'get' },
  update: { method: 'put', word: 'replace', action: 'put' },
  create: { method: 'post', word: 'create', action: 'post' },
  delete: { method: 'delete', word: 'delete', action: 'delete' },
  patch: { method: 'patch', word: 'patch', action: 'patch' },
};

function connection(kind: ResourceKind, verb: string, { name, group, version, kind: options }: Subresource): Operation {
  const method = verb === 'create' ? 'post' : 'get';
  return {
    method,
    operationId: `connect${idPrefix(kind)}${capital(method)}${kind.namespaced ? 'Namespaced' : ''}${kind.kind}${capital(name)}`,
    action: 'connect',
    query: connections[name] ?? [],
    created: false,
    kind: { group, version, kind: options },
  };
}

function operation(kind: ResourceKind, verb: string, sub: Subresource | undefined): Operation | undefined {
  const found = methods[verb];
  if (!found || (verb === 'create' && !sub)) return undefined;
  if (sub && kind.groupResource === 'pods' && connections[sub.name]) return connection(kind, verb, sub);
  const gvk = { group: sub?.group ?? kind.group, version: sub?.version ?? kind.version, kind: sub?.kind ?? kind.kind };
  const own = sub ? sub.schema : kind.schema;
  const isLog = sub?.name === 'log';
  const queries: Record<string, readonly QueryParameter[]> = {
    get: isLog ? logQuery : [],
    delete: deleteQuery,
    patch: [...writeQuery, parameter('force', 'boolean')],
  };
  return {
    method: found.method,
    operationId: `${found.word}${idPrefix(kind)}${kind.namespaced ? 'Namespaced' : ''}${kind.kind}${sub ? capital(sub.name) : ''}`,
    action: found.action,
    query: queries[verb] ?? writeQuery,
    body: verb === 'patch' ? 'patch' : verb === 'delete' ? definition('meta.v1.DeleteOptions') : verb === 'get' ? undefined : own,
    result: isLog ? undefined : verb === 'delete' && !kind.deletionReturnsObject ? definition('meta.v1.Status') : own,
    created: verb !== 'get' && verb !== 'delete',
    kind: gvk,
  };
}

function objectEndpoints(kind: ResourceKind): Endpoint[] {
  const { group, version } = kind;
  const path = `${basePath(kind)}/${kind.namespaced ? 'namespaces/{namespace}/' : ''}${kind.resource}/{name}`;
  const at = (verbs: readonly string[], sub?: Subresource): Operation[] =>
    verbs.map((verb) => operation(kind, verb, sub)).filter((found): found is Operation => found !== undefined);
  return [
    { path, group, version, operations: at(kind.verbs) },
    ...kind.subresources
      .filter((sub) => isSubresourceServed(kind, sub.name))
      .map((sub) => ({ path: `${path}/${sub.name}`, group, version, operations: at(sub.verbs, sub) })),
  ];
}

/** Names in braces, in the order of the path. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
}

/** What bodies and answers consist of, and what every document tells beside. */
export function usedBy(endpoints: readonly Endpoint[]): Set<Definition> {
  const used = new Set(['meta.v1.Status', 'meta.v1.DeleteOptions', 'meta.v1.WatchEvent'].map(definition));
  for (const { operations } of endpoints) {
    for (const { body, result } of operations) {
      if (body && body !== 'patch') used.add(body);
      if (result) used.add(result);
    }
  }
  return used;
}
