// The cluster as the scheduler could know it at one revision, in its cache and among its nominations.
import type { KubeObject } from '#libs/kernel';
import { createProfiles, podInfoOf, SchedulerCache, SchedulingQueue, schedulePod, type AttemptResult } from '#libs/scheduling';
import type { ObjectVersion, RecordedVersions } from './recorded-versions';

export interface Moment {
  /** Versions below it are known. */
  revision: number;
  /** When the outcome was sent; nominations and bindings that the scheduler had sent by then are known to it, whatever became of them. */
  decidedAt?: number;
  /** When it was reported, for what has no revisions. */
  reportedAt: number;
  /** Changes of others in the last so many milliseconds before the outcome was sent came too late for the attempt. */
  unseenMs?: number;
}

/** One attempt for the pod in that state, every node looked at; undefined when the pod was not there or has a node. */
export function attemptAt(recorded: RecordedVersions, preemptor: string, moment: Moment): AttemptResult | undefined {
  const known = knownAt(recorded, moment);
  const pod = known.get(`pods ${preemptor}`);
  if (!pod || pod.spec?.nodeName) return undefined;
  const profiles = createProfiles(undefined);
  const cache = new SchedulerCache();
  const queue = new SchedulingQueue(profiles, cache.listers);
  const waiting: KubeObject[] = [];
  for (const [key, object] of inCacheOrder(known, recorded, moment)) {
    const resource = key.slice(0, key.indexOf(' '));
    if (resource === 'nodes') cache.addNode(object);
    else if (resource !== 'pods') cache.setObject(resource, object);
    else if (object === pod) continue;
    else if (object.spec?.nodeName) {
      if (!isOver(object)) cache.addPod(object);
    } else waiting.push(object);
  }
  for (const object of waiting) if (!isOver(object)) queue.nominator.add(podInfoOf(object));
  const profile = profiles.get('default-scheduler');
  if (!profile) throw new Error('no default profile');
  const now = moment.decidedAt ?? moment.reportedAt;
  return schedulePod(cache.snapshot(), pod, { profile, nominated: queue.nominator, chance: () => 0, now, evaluateAll: true });
}

/**
 * Pods of a node in the order of upstream's cache, on which it depends which of several equally important ones is a victim: a pod that
 * changes goes to the end, and the last one takes the place of one that leaves.
 */
function inCacheOrder(
  known: ReadonlyMap<string, KubeObject>,
  { versions }: RecordedVersions,
  { revision }: Moment,
): [string, KubeObject][] {
  const changes: { key: string; version: ObjectVersion }[] = [];
  for (const [key, list] of versions)
    if (key.startsWith('pods ')) for (const version of list) if (version.revision < revision) changes.push({ key, version });
  changes.sort((a, b) => a.version.revision - b.version.revision);
  const byNode = new Map<string, string[]>();
  const nodeOf = new Map<string, string>();
  for (const { key, version } of changes) {
    const before = nodeOf.get(key);
    if (before !== undefined) {
      const list = byNode.get(before) as string[];
      list[list.indexOf(key)] = list.at(-1) as string;
      list.pop();
      nodeOf.delete(key);
    }
    const node = version.object && !isOver(version.object) ? (version.object.spec?.nodeName as string | undefined) : undefined;
    if (node === undefined) continue;
    nodeOf.set(key, node);
    const list = byNode.get(node);
    if (list) list.push(key);
    else byNode.set(node, [key]);
  }
  const ordered = [...byNode.values()].flat();
  const place = new Map(ordered.map((key, index) => [key, index]));
  return [...known].sort(([a], [b]) => (place.get(a) ?? ordered.length) - (place.get(b) ?? ordered.length) || (a < b ? -1 : 1));
}

function isOver({ status }: KubeObject): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function knownAt(recorded: RecordedVersions, moment: Moment): Map<string, KubeObject> {
  const known = new Map<string, KubeObject>();
  for (const [key, versions] of recorded.versions) {
    const version = lastKnown(versions, recorded, moment);
    if (version?.object) known.set(key, version.object);
  }
  applyOwnWrites(known, recorded, moment);
  return known;
}

function lastKnown(
  versions: readonly ObjectVersion[],
  { timeOf, writes }: RecordedVersions,
  { revision, decidedAt, reportedAt, unseenMs = 0 }: Moment,
): ObjectVersion | undefined {
  let last: ObjectVersion | undefined;
  for (const version of versions) {
    if (version.revision >= revision || (version.since ?? 0) > reportedAt) break;
    const written = timeOf.get(version.revision);
    const isUnseen = unseenMs > 0 && decidedAt !== undefined && written !== undefined && written > decidedAt - unseenMs;
    if (isUnseen && !writes.some((write) => write.revision === version.revision)) break;
    last = version;
  }
  return last;
}

/** What the scheduler had decided itself counts for it at once: bindings and nominations. */
function applyOwnWrites(known: Map<string, KubeObject>, { writes }: RecordedVersions, { revision, decidedAt }: Moment): void {
  if (decidedAt === undefined) return;
  for (const { received, subresource, pod: name, body, revision: written } of writes) {
    if (received >= decidedAt) break;
    const key = `pods ${name}`;
    const pod = known.get(key);
    if (!pod || pod.spec?.nodeName) continue;
    if (subresource === 'binding') {
      if (body?.target && body.metadata?.uid === pod.metadata.uid)
        known.set(key, { ...pod, spec: { ...pod.spec, nodeName: body.target.name } });
    } else if (written !== undefined && written >= revision && body?.status && 'nominatedNodeName' in body.status) {
      known.set(key, { ...pod, status: { ...pod.status, nominatedNodeName: body.status.nominatedNodeName ?? '' } });
    }
  }
}
