import { isSubresourceServed } from '../kinds/resource-kind';
import type { ResourceKind, Subresource } from '../kinds/resource-kind';

/**
 * What discovery tells clients, as plain bodies in the recorded shape (key order included). Kinds that are known and not served
 * are left out unless asked for: a client must not find what it cannot use.
 */
export interface DiscoveryOptions {
  /** List every kind of the release, served or not. */
  includeUnserved?: boolean;
}

export interface Discovery {
  /** `GET /api` in the former form, which has no `apiVersion`. */
  apiVersions(serverAddress: string): object;
  /** `GET /apis` in the former form; the order is that of preference. */
  apiGroupList(): object;
  /** `GET /apis/G`; undefined: the group is unknown, and clients get a plain 404. */
  apiGroup(group: string): object | undefined;
  /** `GET /api/v1` (group ``), `GET /apis/G/V`; undefined: a 404 Status. */
  apiResourceList(group: string, version: string): object | undefined;
  /** `GET /api` and `GET /apis` as `APIGroupDiscoveryList` of `apidiscovery.k8s.io/v2`. */
  aggregated(path: '/api' | '/apis'): object;
  /** `GET /`: group paths first, then the server's own. */
  rootPaths(serverPaths?: readonly string[]): object;
  /** Groups beside core, in order of preference. */
  readonly groups: readonly string[];
  hasGroup(group: string): boolean;
}

/** The media type that tells a client it got the aggregated form. */
export const aggregatedDiscoveryType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

type Shown = { kind: ResourceKind; subresources: readonly Subresource[] };

export function discoveryOf(kinds: Iterable<ResourceKind>, { includeUnserved = false }: DiscoveryOptions = {}): Discovery {
  const versions = new Map<string, Map<string, Shown[]>>();
  for (const kind of kinds) {
    if (!includeUnserved && !kind.served) continue;
    const subresources = kind.subresources.filter((sub) => includeUnserved || isSubresourceServed(kind, sub.name));
    const group = versions.get(kind.group) ?? new Map<string, Shown[]>();
    versions.set(kind.group, group);
    group.set(kind.version, [...(group.get(kind.version) ?? []), { kind, subresources }]);
  }
  const groups = [...versions.keys()].filter((group) => group !== '');
  return {
    groups,
    hasGroup: (group) => versions.has(group),
    apiVersions: (serverAddress) => ({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
    }),
    apiGroupList: () => ({ kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map((group) => groupBody(group, versions.get(group))) }),
    apiGroup: (group) =>
      group !== '' && versions.has(group) ? { kind: 'APIGroup', apiVersion: 'v1', ...groupBody(group, versions.get(group)) } : undefined,
    apiResourceList: (group, version) => {
      const shown = versions.get(group)?.get(version);
      return shown && resourceListBody(group, version, shown);
    },
    aggregated: (path) => ({
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      metadata: {},
      items: (path === '/api' ? [''] : groups).map((group) => aggregatedGroup(group, versions.get(group) ?? new Map())),
    }),
    rootPaths: (serverPaths = []) => ({ paths: rootPathsOf(versions, serverPaths) }),
  };
}

function groupBody(name: string, versions: ReadonlyMap<string, unknown> = new Map()): object {
  const list = [...versions.keys()].map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: list, preferredVersion: list[0] };
}

/** `/api/v1` answers without an apiVersion of its own. */
function resourceListBody(group: string, version: string, shown: readonly Shown[]): object {
  const head =
    group === ''
      ? { kind: 'APIResourceList', groupVersion: version }
      : { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/${version}` };
  const resources = shown.flatMap(({ kind, subresources }) => [
    resourceBody(kind),
    ...subresources.map((sub) => subresourceBody(kind, sub)),
  ]);
  return { ...head, resources };
}

function filled(list: readonly string[]): readonly string[] | undefined {
  return list.length === 0 ? undefined : list;
}

function resourceBody(kind: ResourceKind): object {
  return {
    name: kind.resource,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: kind.discoveredVerbs ?? kind.verbs,
    shortNames: filled(kind.shortNames),
    categories: filled(kind.categories),
    storageVersionHash: kind.storageVersionHash,
  };
}

function isForeign(kind: ResourceKind, sub: Subresource): boolean {
  return sub.group !== kind.group || sub.version !== kind.version;
}

function subresourceBody(kind: ResourceKind, sub: Subresource): object {
  return {
    name: `${kind.resource}/${sub.name}`,
    singularName: '',
    namespaced: kind.namespaced,
    ...(isForeign(kind, sub) ? { group: sub.group, version: sub.version } : {}),
    kind: sub.kind,
    verbs: sub.verbs,
  };
}

function aggregatedGroup(group: string, versions: ReadonlyMap<string, readonly Shown[]>): object {
  return {
    metadata: group === '' ? {} : { name: group },
    versions: [...versions].map(([version, shown]) => ({ version, resources: shown.map(aggregatedResource), freshness: 'Current' })),
  };
}

/** Group and version of a kind are empty where they are those of the enclosing item. */
function responseKind(kind: string, group = '', version = ''): object {
  return { group, version, kind };
}

function aggregatedResource({ kind, subresources }: Shown): object {
  return {
    resource: kind.resource,
    responseKind: responseKind(kind.kind),
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular,
    verbs: kind.discoveredVerbs ?? kind.verbs,
    shortNames: filled(kind.shortNames),
    categories: filled(kind.categories),
    subresources:
      subresources.length === 0
        ? undefined
        : subresources.map((sub) => ({
            subresource: sub.name,
            responseKind: isForeign(kind, sub) ? responseKind(sub.kind, sub.group, sub.version) : responseKind(sub.kind),
            verbs: sub.verbs,
          })),
  };
}

const ownPaths: readonly string[] = [
  '/healthz',
  '/healthz/ping',
  '/livez',
  '/livez/ping',
  '/metrics',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/',
  '/readyz',
  '/readyz/ping',
  '/version',
];

function rootPathsOf(versions: ReadonlyMap<string, ReadonlyMap<string, unknown>>, serverPaths: readonly string[]): string[] {
  const paths = new Set(['/api', '/apis', '/apis/', ...ownPaths, ...serverPaths]);
  for (const [group, list] of versions) {
    const base = group === '' ? '/api' : `/apis/${group}`;
    paths.add(base);
    for (const version of list.keys()) paths.add(`${base}/${version}`);
  }
  return [...paths].sort();
}
