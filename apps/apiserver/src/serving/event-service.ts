import { EventReports, foldLog, type ClusterState, type FoldedAppend, type ReportContext, type VersionedChange } from '#libs/cluster-state';
import type { ClusterRuntime, Timer, Writer } from '#libs/control-loop';
import { derivedId, type GroupResource } from '#libs/kernel';
import { kindsOf, type KindCatalogue } from '#libs/kube-api';
import type { ResourceFeed } from './resource-feed';

/** What reports have to know of the kinds of a cluster. */
export function reportContext(cluster: { readonly kinds?: KindCatalogue }): ReportContext {
  return { kindOf: (resource: GroupResource) => kindsOf(cluster).findGroupResource(resource) };
}

/** Events written to streams are deleted within this time after their hour, ms of cluster time. */
const sweepMs = 60_000;

/**
 * Keeps the Events of the live cluster. In a new cluster it follows the log from the first append; in a resumed one it reads
 * the log again when somebody first asks for Events, so that a start does not pay for it.
 */
export class EventService {
  readonly reports: EventReports;
  private building: Promise<void> | undefined;
  private ready: boolean;
  private waiting: FoldedAppend[] = [];
  private timer: Timer | undefined;
  private sweeps = 0;

  constructor(
    private readonly runtime: ClusterRuntime,
    private readonly writer: Writer,
    private readonly feed: ResourceFeed,
    private readonly startedAt: number,
  ) {
    this.reports = new EventReports(reportContext(runtime.state));
    this.ready = startedAt === 0;
  }

  apply(append: FoldedAppend): void {
    if (this.ready) this.take(append);
    else if (this.building) this.waiting.push(append);
    else return;
  }

  /** Resolves when the Events are those of the fold's position. */
  whenReady(): Promise<void> {
    if (this.ready) return Promise.resolve();
    this.building ??= this.build();
    return this.building;
  }

  close(): void {
    this.timer?.cancel();
  }

  private async build(): Promise<void> {
    const { runtime } = this;
    // What is folded while the log is read comes through `waiting`; both meet at this position.
    const until = runtime.state.position;
    await foldLog(runtime.options.log, runtime.options.cluster, {
      until,
      onAppend: (append, state) => {
        const changes = this.reports.apply(append, state);
        if (append.position > this.startedAt) this.publish(changes);
      },
    });
    for (const append of this.waiting) this.take(append);
    this.waiting = [];
    this.ready = true;
    this.feed.flush();
    this.schedule();
  }

  private take(append: FoldedAppend): void {
    this.publish(this.reports.apply(append, this.runtime.state));
    if (this.ready && this.timer === undefined) this.schedule();
  }

  private publish(changes: readonly VersionedChange[]): void {
    for (const change of changes) this.feed.push(change);
  }

  /** Wakes when time alone will end an Event next. */
  private schedule(): void {
    this.timer?.cancel();
    this.timer = undefined;
    const next = this.reports.nextExpiry();
    if (next === undefined) return;
    const { clock } = this.runtime;
    this.timer = clock.at(Math.max(next, clock.now() + this.waitMs()), () => this.expire());
  }

  /** Stored events whose deletion is under way are still the oldest: no need to look again at once. */
  private waitMs(): number {
    return this.reports.storedBefore(this.runtime.clock.now()).length > 0 ? sweepMs : 0;
  }

  private expire(): void {
    const now = this.runtime.clock.now();
    this.publish(this.reports.expire(now, this.runtime.state.position));
    this.feed.flush();
    this.sweep(now);
    this.schedule();
  }

  private sweep(now: number): void {
    const sweep = this.sweeps++;
    for (const event of this.reports.storedBefore(now)) {
      const { namespace, name, uid } = event.metadata;
      const operation = `event-ttl/${this.startedAt}/${sweep}/${uid}`;
      const target = { resource: 'events', namespace, name };
      const origin = { actor: 'apiserver', operation, correlationId: derivedId(operation) };
      void this.writer.write({ verb: 'delete', target, options: { preconditions: { uid } } }, origin);
    }
  }
}

/** The Events of a cluster at a position of the past, from its whole log up to there. */
export class PastEvents {
  readonly reports: EventReports;

  constructor(cluster: { readonly kinds?: KindCatalogue }) {
    this.reports = new EventReports(reportContext(cluster));
  }

  apply(append: FoldedAppend, cluster: ClusterState): VersionedChange[] {
    return this.reports.apply(append, cluster);
  }
}
