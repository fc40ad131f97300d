// Every version of the objects that scheduling reads, with the store's revision of each: one order over all kinds.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '#libs/kernel';

export interface ObjectVersion {
  revision: number;
  /** Absent: gone at this revision. */
  object?: KubeObject;
  /** Its creation, ms since the epoch, where no revision is known. */
  since?: number;
}

/** What the scheduler asked of the API, in the order of arrival. */
export interface SchedulerWrite {
  /** Milliseconds since the epoch, with fractions. */
  received: number;
  completed: number;
  verb: string;
  subresource?: string;
  /** `namespace/name` of the pod. */
  pod: string;
  body: { status?: { nominatedNodeName?: string | null }; metadata?: { uid?: string }; target?: { name: string } } | undefined;
  revision?: number;
}

export interface RecordedVersions {
  /** By `resource key`, ascending. */
  versions: Map<string, ObjectVersion[]>;
  writes: SchedulerWrite[];
  /** When each revision was written (ms since the epoch), where the audit log says so. */
  timeOf: Map<number, number>;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

const finalKinds = new Map([
  ['Node', 'nodes'],
  ['PodDisruptionBudget', 'poddisruptionbudgets'],
  ['Namespace', 'namespaces'],
]);
const listed = new Set(finalKinds.values());

/** Pods come from the watch, nodes and budgets from the audit log's answers; where that has no bodies, from the final state. */
export function readVersions(folder: string): RecordedVersions {
  const versions = new Map<string, ObjectVersion[]>();
  const add = (resource: string, object: KubeObject, gone: boolean): void => {
    const key = `${resource} ${keyOf(object)}`;
    const list = versions.get(key) ?? [];
    if (list.length === 0) versions.set(key, list);
    const revision = Number(object.metadata.resourceVersion);
    if (!list.some((version) => version.revision === revision)) list.push(gone ? { revision } : { revision, object });
  };
  for (const { type, object } of linesOf(folder, 'watch-pods.jsonl')) add('pods', object, type === 'DELETED');
  const writes: SchedulerWrite[] = [];
  const timeOf = new Map<number, number>();
  for (const entry of linesOf(folder, 'audit.jsonl')) {
    const { objectRef = {}, responseObject, verb, responseStatus = {} } = entry;
    const revision = Number(responseObject?.metadata?.resourceVersion);
    if (revision > 0 && !isRead(verb)) timeOf.set(revision, timeIn(entry.stageTimestamp));
    if (isRead(verb) || responseStatus.code >= 300) continue;
    if (listed.has(objectRef.resource) && responseObject?.metadata?.resourceVersion)
      add(objectRef.resource, responseObject, verb === 'delete');
    if (entry.user?.username === 'system:kube-scheduler' && objectRef.resource === 'pods') writes.push(writeOf(entry));
  }
  addFinalState(folder, versions);
  for (const list of versions.values()) list.sort((a, b) => a.revision - b.revision);
  return { versions, writes: writes.sort((a, b) => a.received - b.received), timeOf };
}

/** Of kinds without any recorded version. */
function addFinalState(folder: string, versions: Map<string, ObjectVersion[]>): void {
  const { items } = JSON.parse(readFileSync(join(folder, 'final.json'), 'utf8')) as { items: Loose[] };
  const present = new Set([...versions.keys()].map((key) => key.split(' ')[0]));
  for (const object of items) {
    const resource = finalKinds.get(object.kind);
    if (resource && !present.has(resource))
      versions.set(`${resource} ${keyOf(object)}`, [{ revision: 0, object, since: timeIn(object.metadata.creationTimestamp) }]);
  }
}

function writeOf(entry: Loose): SchedulerWrite {
  const { objectRef, verb, requestObject, responseObject } = entry;
  const revision = Number(responseObject?.metadata?.resourceVersion);
  return {
    received: timeIn(entry.requestReceivedTimestamp),
    completed: timeIn(entry.stageTimestamp),
    verb,
    subresource: objectRef.subresource,
    pod: `${objectRef.namespace}/${objectRef.name}`,
    body: requestObject,
    ...(revision > 0 ? { revision } : {}),
  };
}

const isRead = (verb: string): boolean => verb === 'get' || verb === 'list' || verb === 'watch';

export function keyOf({ metadata }: KubeObject): string {
  return metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name;
}

/** RFC 3339 with up to microseconds, as milliseconds. */
export function timeIn(text: string): number {
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  return Date.parse(text.replace(/\.\d+/, '')) + Number(`0.${fraction || '0'}`) * 1_000;
}

function* linesOf(folder: string, file: string): Generator<Loose> {
  for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) if (line !== '') yield JSON.parse(line);
}
