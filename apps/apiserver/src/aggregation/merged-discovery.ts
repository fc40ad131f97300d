import type { KubeObject } from '#libs/kernel';
import { compareVersions, localApiServices, type Discovery } from '#libs/kube-api';
import type { Discovered } from './remote-discovery';
import type { RemoteGroupVersion } from './remote-groups';

interface Priority {
  group: number;
  version: number;
}

/** Of groups that APIServices say nothing of: those of definitions, and upstream's own group, which is always the first. */
const usual: Priority = { group: 1_000, version: 100 };
const first: Priority = { group: 20_001, version: 0 };
const ownGroup = 'apiregistration.k8s.io';

interface Version {
  version: string;
  priority: Priority;
  /** As the aggregated form has it. */
  shown: object;
}

interface AggregatedItem {
  metadata: { name: string };
  versions: { version: string }[];
}

let recorded: ReadonlyMap<string, Priority> | undefined;

/** Priorities that group versions of the release have until somebody changes them. */
function recordedPriority(name: string): Priority | undefined {
  recorded ??= new Map(localApiServices().map((service) => [service.metadata.name, priorityOf(service)]));
  return recorded.get(name);
}

function priorityOf({ spec }: KubeObject): Priority {
  return { group: spec?.groupPriorityMinimum as number, version: spec?.versionPriority as number };
}

/** What there is to merge. */
export interface Merged {
  /** What this server answers itself. */
  local: Discovery;
  remotes: Iterable<RemoteGroupVersion>;
  /** The APIService of this name. */
  find(name: string): KubeObject | undefined;
  /** What a remote group version has to serve. */
  discovered(remote: RemoteGroupVersion): Discovered | undefined;
}

/** What all servers together have to serve: groups and versions by the priorities of their APIServices. */
export function mergedDiscovery(merged: Merged): Discovery {
  const { local } = merged;
  const groups = groupsOf(merged);
  const remote = new Map([...merged.remotes].map((each) => [`${each.group}/${each.version}`, each]));
  const byName = ([one]: [string, Version[]], [other]: [string, Version[]]): number => (one < other ? -1 : 1);
  // Groups of one priority stand in the order of the names of their APIServices, which begin with the version.
  const byService = ([one, [a]]: [string, Version[]], [other, [b]]: [string, Version[]]): number =>
    `${a?.version}.${one}` < `${b?.version}.${other}` ? -1 : 1;
  const sorted = (tie: typeof byName): [string, Version[]][] =>
    [...groups].sort((one, other) => highest(other[1]) - highest(one[1]) || tie(one, other));
  const names = sorted(byService).map(([name]) => name);
  const body = (name: string): object => {
    const versions = (groups.get(name) ?? []).map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
    return { name, versions, preferredVersion: versions[0] };
  };
  return {
    ...local,
    groups: names,
    hasGroup: (group) => groups.has(group) || local.hasGroup(group),
    apiGroupList: () => ({ kind: 'APIGroupList', apiVersion: 'v1', groups: names.map(body) }),
    apiGroup: (group) => (groups.has(group) ? { kind: 'APIGroup', apiVersion: 'v1', ...body(group) } : undefined),
    aggregated: (path) =>
      path === '/api'
        ? local.aggregated(path)
        : {
            ...local.aggregated(path),
            items: sorted(byName).map(([name, versions]) => ({ metadata: { name }, versions: versions.map(({ shown }) => shown) })),
          },
    rootPaths: (serverPaths = []) => {
      const ofRemotes = [...remote.values()].flatMap(({ group, version }) => [`/apis/${group}`, `/apis/${group}/${version}`]);
      return local.rootPaths([...serverPaths, ...ofRemotes]);
    },
  };
}

function highest(versions: readonly Version[]): number {
  return Math.max(...versions.map(({ priority }) => priority.group));
}

function groupsOf({ local, remotes, find, discovered }: Merged): Map<string, Version[]> {
  const groups = new Map<string, Version[]>();
  const { items } = local.aggregated('/apis') as { items: AggregatedItem[] };
  for (const { metadata, versions } of items) {
    const { name } = metadata;
    const priority = (version: string): Priority => localPriority(name, `${version}.${name}`, find);
    groups.set(
      name,
      versions.map((shown) => ({ version: shown.version, priority: priority(shown.version), shown })),
    );
  }
  for (const remote of remotes) {
    const { group, version, groupPriority, versionPriority } = remote;
    if (group === '') continue;
    const { resources, freshness } = discovered(remote) ?? { resources: undefined, freshness: 'Stale' };
    const shown = { version, resources, freshness };
    const others = (groups.get(group) ?? []).filter((each) => each.version !== version);
    groups.set(group, [...others, { version, priority: { group: groupPriority, version: versionPriority }, shown }]);
  }
  for (const versions of groups.values())
    versions.sort((one, other) => other.priority.version - one.priority.version || compareVersions(one.version, other.version));
  return groups;
}

function localPriority(group: string, name: string, find: Merged['find']): Priority {
  if (group === ownGroup) return first;
  const said = find(name);
  return said ? priorityOf(said) : (recordedPriority(name) ?? usual);
}
