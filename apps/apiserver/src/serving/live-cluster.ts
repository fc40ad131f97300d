import type { FoldedAppend } from '#libs/cluster-state';
import type { ClusterRuntime, Writer } from '#libs/control-loop';
import type { GroupResource } from '#libs/kernel';
import { kindsOf, type KindCatalogue } from '#libs/kube-api';
import type { Subscription } from 'rxjs';
import { Landmarks } from '../past/landmarks';
import type { Changes, ClusterView, Look } from './cluster-view';
import { EventService } from './event-service';
import { LogReader } from './log-reader';
import { ResourceFeed } from './resource-feed';

/** The cluster as it is, with its latest changes: what reads answer from and watches listen to. */
export class LiveCluster implements ClusterView {
  readonly events: EventService;
  readonly past: LogReader;
  readonly landmarks: Landmarks;
  private readonly startedAt: number;
  private readonly feeds = new Map<GroupResource, ResourceFeed>();
  private readonly subscription: Subscription;

  constructor(
    private readonly runtime: ClusterRuntime,
    writer: Writer,
    /** Changes of each resource kept in memory; older ones are read from the log. */
    private readonly changesMax?: number,
  ) {
    this.startedAt = runtime.state.position;
    this.past = new LogReader(runtime);
    this.landmarks = new Landmarks(runtime.options.log, runtime.options.cluster);
    this.events = new EventService(runtime, writer, this.feed('events'), this.startedAt);
    this.subscription = runtime.folded$.subscribe((appends) => this.take(appends));
  }

  get position(): number {
    return this.runtime.state.position;
  }

  get kinds(): KindCatalogue {
    return kindsOf(this.runtime.state);
  }

  get time(): number {
    return this.runtime.clock.now();
  }

  async look(storage: GroupResource, version?: number): Promise<Look> {
    if (storage === 'events') await this.events.whenReady();
    const now = storage === 'events' ? this.events.reports.table : this.runtime.state.table(storage);
    if (version === undefined) return () => now;
    const { history } = this.feed(storage);
    const then = history.tableAt(now, version);
    if (then === undefined) {
      const state = await this.past.stateAt(version);
      return () => state.table(storage);
    }
    // Nothing has changed since that version yet; by the time of the call something may have.
    return then === now ? () => history.tableAt(now, version) ?? then : () => then;
  }

  /** Reads the log where memory does not reach back so far. */
  async changesAfter(storage: GroupResource, position: number): Promise<Changes> {
    await this.look(storage);
    const { history } = this.feed(storage);
    const until = this.position;
    const known = history.after(position);
    if (known) return { changes: known, until };
    const older = await this.past.changes(storage, position, until);
    // Memory may have moved on while the log was read; then that is read again, from where it is known.
    const since = await this.changesAfter(storage, until);
    return { changes: [...older, ...since.changes], until: since.until };
  }

  feed(storage: GroupResource): ResourceFeed {
    let feed = this.feeds.get(storage);
    if (!feed) this.feeds.set(storage, (feed = new ResourceFeed(storage, this.startedAt, this.changesMax)));
    return feed;
  }

  close(): void {
    this.subscription.unsubscribe();
    this.events.close();
  }

  private take(appends: readonly FoldedAppend[]): void {
    const last = appends[appends.length - 1];
    if (last) this.landmarks.note(last.position, last.time);
    const touched = new Set<ResourceFeed>([this.feed('events')]);
    for (const append of appends) {
      this.events.apply(append);
      const { change, position } = append;
      if (!change || change.resource === 'events') continue;
      const feed = this.feed(change.resource);
      feed.push({ type: change.type, position, key: change.key, before: change.before, object: change.object });
      touched.add(feed);
    }
    for (const feed of touched) feed.flush();
  }
}
