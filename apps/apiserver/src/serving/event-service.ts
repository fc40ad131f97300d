import { EventReports, type FoldedAppend, type ReportContext, type VersionedChange } from '#libs/cluster-state';
import type { ClusterRuntime, Timer, Writer } from '#libs/control-loop';
import { LogUnavailableError } from '#libs/event-log';
import { derivedId, type GroupResource } from '#libs/kernel';
import { kindsOf, type KindCatalogue } from '#libs/kube-api';
import type { Past, PastStep } from '#libs/past';
import type { ResourceFeed } from './resource-feed';

/** What reports have to know of the kinds of a cluster. */
export function reportContext(cluster: { readonly kinds?: KindCatalogue }): ReportContext {
  return { kindOf: (resource: GroupResource) => kindsOf(cluster).findGroupResource(resource) };
}

/** Events written to streams are deleted within this time after their hour, ms of cluster time. */
const sweepMs = 60_000;

/** Calls made while the log is read, so that others need not read it once more. */
export interface Companion {
  /** Told of each append on the way. */
  passed?: (step: PastStep, reports: EventReports) => void;
  /** Waited for after each page. */
  paged?: () => Promise<void>;
  /** Called once the position is reached up to which this process has folded, in the same turn of the event loop: later appends come live. */
  caughtUp?: () => void;
}

/**
 * Keeps the Events of the live cluster. In a new cluster it follows the log from the first append; in a resumed one it reads
 * the log from the last checkpoint on when somebody first asks for Events, so that a start does not pay for it.
 */
export class EventService {
  private current: EventReports;
  private building: Promise<void> | undefined;
  private ready: boolean;
  private timer: Timer | undefined;
  private sweeps = 0;
  private closed = false;
  private waited = false;
  /** Position up to which changes of Events have been handed to the feed. */
  private told: number;

  constructor(
    private readonly runtime: ClusterRuntime,
    private readonly writer: Writer,
    private readonly feed: ResourceFeed,
    private readonly startedAt: number,
    private readonly past: Past,
  ) {
    this.current = new EventReports(reportContext(runtime.state));
    this.ready = startedAt === 0;
    this.told = startedAt;
  }

  get reports(): EventReports {
    return this.current;
  }

  /** Takes an append. Gives what it means for Events, while they are known. */
  apply(append: FoldedAppend): readonly VersionedChange[] | undefined {
    if (!this.ready) return undefined;
    const changes = this.current.apply(append, this.runtime.state);
    this.publish(changes);
    this.told = append.position;
    if (this.timer === undefined) this.schedule();
    return changes;
  }

  /** Resolves when the Events are those of the fold's position. */
  async whenReady(): Promise<void> {
    if (this.ready) return;
    this.waited = true;
    await (this.building ?? this.build({}));
  }

  /**
   * Reads the log from the last checkpoint on, up to where the fold stands, and takes the Events from there. Whoever comes while somebody
   * else does waits, and then reads it for himself.
   */
  async read(companion: Companion): Promise<void> {
    while (this.building) await this.building.catch(() => undefined);
    await this.build(companion);
  }

  /** Somebody waits for the Events: no time is to be lost. */
  get isAwaited(): boolean {
    return this.waited && !this.ready;
  }

  private build(companion: Companion): Promise<void> {
    this.building = this.catchUp(companion).finally(() => (this.building = undefined));
    return this.building;
  }

  close(): void {
    this.closed = true;
    this.timer?.cancel();
  }

  private async catchUp({ passed, paged, caughtUp }: Companion): Promise<void> {
    const { runtime } = this;
    const fold = await this.past.foldFrom(runtime.state.position);
    // The fold goes on while the log is read; what came meanwhile is read next, until nothing has.
    while (fold.state.position < runtime.state.position && !this.closed) {
      const before = fold.state.position;
      for await (const steps of fold.to(runtime.state.position, (step) => passed?.(step, fold.reports))) {
        for (const step of steps) {
          const end = step.frames[step.frames.length - 1]?.position ?? 0;
          if (end > this.told) this.publish(step.events);
          if (end > this.told) this.told = end;
        }
        if (this.closed) return;
        await paged?.();
      }
      if (fold.state.position === before)
        throw new LogUnavailableError(`the event log has not come back to position ${runtime.state.position} yet`);
    }
    if (this.closed) return;
    this.current = fold.reports;
    this.ready = true;
    caughtUp?.();
    this.feed.flush();
    this.schedule();
  }

  private publish(changes: readonly VersionedChange[]): void {
    for (const change of changes) this.feed.push(change);
  }

  /** Wakes when time alone will end an Event next. */
  private schedule(): void {
    this.timer?.cancel();
    this.timer = undefined;
    const next = this.current.nextExpiry();
    if (next === undefined) return;
    const { clock } = this.runtime;
    this.timer = clock.at(Math.max(next, clock.now() + this.waitMs()), () => this.expire());
  }

  /** Stored events whose deletion is under way are still the oldest: no need to look again at once. */
  private waitMs(): number {
    return this.current.storedBefore(this.runtime.clock.now()).length > 0 ? sweepMs : 0;
  }

  private expire(): void {
    const now = this.runtime.clock.now();
    this.publish(this.current.expire(now, this.runtime.state.position));
    this.feed.flush();
    this.sweep(now);
    this.schedule();
  }

  private sweep(now: number): void {
    const sweep = this.sweeps++;
    for (const event of this.current.storedBefore(now)) {
      const { namespace, name, uid } = event.metadata;
      const operation = `event-ttl/${this.startedAt}/${sweep}/${uid}`;
      const target = { resource: 'events', namespace, name };
      const origin = { actor: 'apiserver', operation, correlationId: derivedId(operation) };
      void this.writer.write({ verb: 'delete', target, options: { preconditions: { uid } } }, origin);
    }
  }
}
