import type { GroupResource } from '#libs/kernel';

/**
 * Stream names. One stream an object: `<cluster>.<resource>[.<group>]-<namespace>/<name>`. The part before the first `-` is the
 * category; a `-` inside cluster, resource or group is written `_`, which is legal in none of them. A NUL, which a core Event's name
 * may have and no store takes, is written `%00`: no name has a `%`.
 */
export function categoryOf(cluster: string, resource: GroupResource): string {
  return `${cluster}.${resource}`.replaceAll('-', '_');
}

export function objectStream(cluster: string, resource: GroupResource, namespace: string | undefined, name: string): string {
  const last = name.includes('\0') ? name.replaceAll('\0', '%00') : name;
  return namespace ? `${categoryOf(cluster, resource)}-${namespace}/${last}` : `${categoryOf(cluster, resource)}-${last}`;
}

/** Streams of what no object shows: decisions, reviews, the cluster's own life. */
export const decisionStreams = [
  'scheduler-decisions',
  'admission-reviews',
  'eviction-reviews',
  'kubelet-decisions',
  'controller-decisions',
  'cluster-lifecycle',
  'leadership',
  'kept-requests',
] as const;
export type DecisionStream = (typeof decisionStreams)[number];

/**
 * Each writer has a stream of its own, `<cluster>.<decision stream>/<writer>`, so that it can say which revision it expects. Without a
 * writer: the one stream that all share, for what is written once in the life of a cluster.
 */
export function decisionStream(cluster: string, stream: DecisionStream, writer?: string): string {
  return writer === undefined ? `${cluster}.${stream}` : `${cluster}.${stream}/${writer}`;
}

export type StreamSubject =
  | { kind: 'object'; resource: GroupResource; namespace: string; name: string; key: string }
  | { kind: 'decision'; stream: string; writer?: string };

const decisionNames = new Set<string>(decisionStreams);

/** What a stream is about; undefined when it is not one of this cluster's. */
export function parseStream(cluster: string, stream: string): StreamSubject | undefined {
  if (!stream.startsWith(cluster) || stream[cluster.length] !== '.') return undefined;
  const rest = stream.slice(cluster.length + 1);
  if (decisionNames.has(rest)) return { kind: 'decision', stream: rest };
  const slash = rest.indexOf('/');
  if (slash >= 0 && decisionNames.has(rest.slice(0, slash)))
    return { kind: 'decision', stream: rest.slice(0, slash), writer: rest.slice(slash + 1) };
  const dash = rest.indexOf('-');
  if (dash < 0) return undefined;
  const resource = rest.slice(0, dash).replaceAll('_', '-');
  const written = rest.slice(dash + 1);
  const path = written.includes('%') ? written.replaceAll('%00', '\0') : written;
  const end = path.indexOf('/');
  if (end < 0) return { kind: 'object', resource, namespace: '', name: path, key: `/${path}` };
  return { kind: 'object', resource, namespace: path.slice(0, end), name: path.slice(end + 1), key: path };
}

/** Stream-name prefix of everything that belongs to a cluster. */
export function clusterPrefix(cluster: string): string {
  return `${cluster}.`;
}
