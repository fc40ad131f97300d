import type { RecordedEvent } from '#libs/event-log';
import { objectKey, type KubeObject, type ObjectKey } from '#libs/kernel';
import type { VersionedChange } from '../change-history';
import type { ClusterState, FoldedAppend } from '../cluster-state';
import { ResourceTable } from '../resource-table';
import { correlate } from './correlation';
import { eventObject, namespaceOf, repeated, reportName } from './event-object';
import type { Report, ReportContext } from './report';
import { ReporterMemory, type Remembered } from './reporter-memory';
import { reportsOf } from './reports-of';

/** Raise whenever the same log gives other Events: those that were kept are then ignored. */
export const EVENT_REPORTS_VERSION = 4;
/** How long an Event is kept after it was written last, cluster time (upstream `--event-ttl`). */
export const eventTtlMs = 3_600_000;
/** Derived events kept; the oldest go first. */
export const derivedMax = 10_000;
/**
 * Reports of one event. Versions are taken from the room below its position (POSITION_STRIDE): a report and the removal that it
 * may cause take one each, and one is left for what time has removed before.
 */
export const reportsPerEventMax = 7;

/** In place of a key under which repeats are counted. */
const forgotten = '';

/** An Event, and what goes on with it. */
export interface KeptReport {
  object: KubeObject;
  /** Cluster time, ms. */
  lastSeen: number;
  /** Absent: a client wrote it. Empty: nothing is counted on it any more. */
  repeatKey?: string;
}

interface Entry {
  lastSeen: number;
  /** Under which repeats of it are counted; undefined for what a client wrote, empty where whoever counted has forgotten it. */
  repeatKey: string | undefined;
}

/**
 * The Events of a cluster at one position: those that clients stored, and those derived from what our own controllers recorded.
 * A client's write to a derived one moves it to its own stream; from there on it is the client's.
 */
export class EventReports {
  readonly table = new ResourceTable('events');
  /** Every event, the longest unchanged first. */
  private readonly entries = new Map<ObjectKey, Entry>();
  private readonly repeats = new Map<string, ObjectKey>();
  private readonly memory = new ReporterMemory();
  private derivedCount = 0;
  /** Nothing ends before this time: asked with every append, so the entries are not looked at each time. */
  private nothingEndsBefore = 0;
  /** Walks along the entries behind which no derived one is left; a fresh walk would step over all that were removed. */
  private eldest = this.entries.entries();

  constructor(private readonly context: ReportContext) {}

  /**
   * The Events as they were once.
   * @param kept in any order
   * @param remembered what reporters remember of objects, by uid
   */
  static restored(
    context: ReportContext,
    kept: Iterable<readonly [ObjectKey, KeptReport]>,
    remembered: Iterable<readonly [uid: string, remembered: Remembered]>,
  ): EventReports {
    const reports = new EventReports(context);
    const versionOf = ({ object }: KeptReport): number => Number(object.metadata.resourceVersion);
    for (const [key, { object, lastSeen, repeatKey }] of [...kept].sort(([, a], [, b]) => versionOf(a) - versionOf(b))) {
      reports.put(key, object, { lastSeen, repeatKey });
      if (repeatKey === undefined) continue;
      if (repeatKey !== forgotten) reports.repeats.set(repeatKey, key);
      reports.derivedCount++;
    }
    for (const [uid, one] of remembered) reports.memory.restore(uid, one);
    return reports;
  }

  /** All there is to know of an Event; undefined when there is none. */
  kept(key: ObjectKey): KeptReport | undefined {
    const entry = this.entries.get(key);
    return entry && { object: this.table.get(key) as KubeObject, ...entry };
  }

  /** What reporters remember of an object. */
  remembered(uid: string): Remembered | undefined {
    return this.memory.get(uid);
  }

  isDerived(key: ObjectKey): boolean {
    return this.entries.get(key)?.repeatKey !== undefined;
  }

  /** The changes of Events that an append brings, in the order of their versions. `cluster` has folded it. */
  apply(append: FoldedAppend, cluster: ClusterState): VersionedChange[] {
    const first = append.events[0] as RecordedEvent;
    const changes = this.expire(append.time, first.position - 2 * reportsPerEventMax - 1);
    for (const event of append.events) {
      if (event.type === 'KubeletRestarted') this.forgetCounts(event.data.node as string);
      const reports = reportsOf(event, append, cluster, this.memory, this.context).slice(0, reportsPerEventMax);
      if (reports.length > 0) this.report(reports, event, append.time, changes);
    }
    if (append.change?.resource === 'events') changes.push(this.stored(append));
    return changes;
  }

  /** Removes derived events whose time has come; `version` is what their removal is seen at. */
  expire(now: number, version: number): VersionedChange[] {
    const removed: VersionedChange[] = [];
    if (now < this.nothingEndsBefore) return removed;
    for (const [key, entry] of this.entries) {
      this.nothingEndsBefore = entry.lastSeen + eventTtlMs;
      if (this.nothingEndsBefore > now) break;
      if (entry.repeatKey !== undefined) removed.push(this.remove(key, version));
    }
    return removed;
  }

  /** Stored events whose time has come: to be deleted on their streams. */
  storedBefore(now: number): KubeObject[] {
    const old: KubeObject[] = [];
    for (const [key, entry] of this.entries) {
      if (entry.lastSeen + eventTtlMs > now) break;
      if (entry.repeatKey === undefined) old.push(this.table.get(key) as KubeObject);
    }
    return old;
  }

  /** When time alone will remove something next, ms of cluster time. */
  nextExpiry(): number | undefined {
    for (const entry of this.entries.values()) return entry.lastSeen + eventTtlMs;
    return undefined;
  }

  private report(reports: readonly Report[], event: RecordedEvent, time: number, changes: VersionedChange[]): void {
    const overflow = Math.max(0, this.derivedCount + reports.length - derivedMax);
    let version = event.position - reports.length - overflow;
    for (let i = 0; i < overflow; i++) {
      const oldest = this.oldestDerived();
      if (oldest !== undefined) changes.push(this.remove(oldest, version++));
    }
    for (const [index, report] of reports.entries()) {
      const change = this.add(report, { id: event.id, index, version: version++, time });
      if (change) changes.push(change);
    }
  }

  /** A kubelet that begins anew does not know what the one before it has told: what it tells again is another Event. */
  private forgetCounts(node: string): void {
    const own = `\nkubelet\n${node}\n`;
    for (const [repeatKey, key] of this.repeats) {
      if (!repeatKey.includes(own)) continue;
      this.repeats.delete(repeatKey);
      (this.entries.get(key) as Entry).repeatKey = forgotten;
    }
  }

  /** Undefined: it is held back. */
  private add(report: Report, origin: { id: string; index: number; version: number; time: number }): VersionedChange | undefined {
    const told = this.told(report, origin.time);
    if (!told) return undefined;
    const { key: repeatKey, message, heldBack } = told;
    const known = this.repeats.get(repeatKey);
    if (known !== undefined) {
      const before = this.table.get(known) as KubeObject;
      const count = report.count ?? (before.eventTime === null ? (before.count as number) + heldBack + 1 : undefined);
      const object = { ...repeated(before, origin, count), ...(isKnownByMessage(report) ? { message } : {}) };
      this.put(known, object, { lastSeen: origin.time, repeatKey });
      return { type: 'MODIFIED', position: origin.version, key: known, before, object };
    }
    const key = objectKey(namespaceOf(report), reportName(report, origin));
    const object = eventObject(heldBack > 0 || message !== report.message ? { ...report, message, count: heldBack + 1 } : report, origin);
    this.repeats.set(repeatKey, key);
    this.derivedCount++;
    this.put(key, object, { lastSeen: origin.time, repeatKey });
    return { type: 'ADDED', position: origin.version, key, before: undefined, object };
  }

  /** What is written of a report. A kubelet says itself how often something was; what is written as events.k8s.io is not held back. */
  private told(report: Report, now: number): { key: string; message: string; heldBack: number } | undefined {
    const key = repeatKeyOf(report);
    if (report.action !== undefined || report.host !== undefined) return { key, message: report.message, heldBack: 0 };
    const { uid } = report.regarding;
    const { correlation, told } = correlate(report, key, now, this.memory.correlation(uid));
    this.memory.setCorrelation(uid, correlation);
    return told;
  }

  /** A write by a client. To a watcher, taking over a derived event is a change of it. */
  private stored(append: FoldedAppend): VersionedChange {
    const { key, object, type, before } = append.change as NonNullable<FoldedAppend['change']>;
    const derived = this.isDerived(key) ? this.table.get(key) : undefined;
    if (derived) this.forget(key);
    if (type === 'DELETED') {
      this.entries.delete(key);
      this.table.delete(key);
    } else this.put(key, object, { lastSeen: append.time, repeatKey: undefined });
    const shown = derived && type === 'ADDED' ? 'MODIFIED' : type;
    return { type: shown, position: append.position, key, before: before ?? derived, object };
  }

  private put(key: ObjectKey, object: KubeObject, entry: Entry): void {
    this.table.set(key, object);
    this.entries.delete(key);
    this.entries.set(key, entry);
  }

  private remove(key: ObjectKey, version: number): VersionedChange {
    const before = this.table.get(key) as KubeObject;
    this.forget(key);
    this.entries.delete(key);
    this.table.delete(key);
    const object = { ...before, metadata: { ...before.metadata, resourceVersion: String(version) } };
    return { type: 'DELETED', position: version, key, before, object };
  }

  private forget(key: ObjectKey): void {
    const repeatKey = this.entries.get(key)?.repeatKey;
    if (repeatKey === undefined) return;
    this.repeats.delete(repeatKey);
    this.derivedCount--;
  }

  private oldestDerived(): ObjectKey | undefined {
    for (let next = this.eldest.next(); !next.done; next = this.eldest.next())
      if (next.value[1].repeatKey !== undefined) return next.value[0];
    this.eldest = this.entries.entries();
    return undefined;
  }
}

/** Those that write events.k8s.io count on the first note, whatever came later. */
function isKnownByMessage({ action }: Report): boolean {
  return action === undefined;
}

/**
 * Reports with the same key are one Event that is counted up. Those who write events.k8s.io tell objects apart by their version too,
 * and go by the first note (client-go `tools/events`, `getKey`); those who write core events do neither (`tools/record`, `getEventKey`).
 */
function repeatKeyOf({ regarding, related, type, reason, message, component, host, action }: Report): string {
  const told = action === undefined ? [message] : [action, regarding.resourceVersion, related?.resourceVersion];
  return [
    regarding.uid,
    regarding.kind,
    regarding.namespace,
    regarding.name,
    regarding.fieldPath,
    related?.uid,
    type,
    reason,
    component,
    host,
    ...told,
  ].join('\n');
}
