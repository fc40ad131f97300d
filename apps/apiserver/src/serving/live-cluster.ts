import {
  historyMax,
  keptSlack,
  readAppendsBackwards,
  type FoldedAppend,
  type SettledProgram,
  type VersionedChange,
} from '#libs/cluster-state';
import type { CompactionOptions, KeptPast } from '#libs/app-shell';
import type { ClusterRuntime, Writer } from '#libs/control-loop';
import type { Fact } from '#libs/events';
import { derivedId, derivedUid, type GroupResource } from '#libs/kernel';
import { conversionFailed, definitionResource, kindsOf, type ConversionCall, type Converted, type KindCatalogue } from '#libs/kube-api';
import { checkpointOf, Past, PastRecorder, type Outline, type PastStorage } from '#libs/past';
import type { Subscription } from 'rxjs';
import type { StreamSink } from '../http/answer';
import { Landmarks } from '../past/landmarks';
import { RecordedConversions } from '../past/recorded-conversions';
import type { ClusterView, Look } from './cluster-view';
import { Compaction } from './compaction';
import { EventService, reportContext } from './event-service';
import { KindEndings } from './kind-endings';
import { KindsOfThen } from './kinds-of-then';
import { LeaseWatches } from './lease-watches';
import { ResourceFeed, type HandingOver } from './resource-feed';

/** The cluster as it is, with its latest changes: what reads answer from and watches listen to. */
export class LiveCluster implements ClusterView {
  readonly events: EventService;
  readonly past: Past;
  private readonly kindsOfThen = new KindsOfThen();
  private readonly kindEndings = new KindEndings();
  readonly recorded: RecordedConversions;
  private conversions = 0;
  private readonly leaseWatches: LeaseWatches;
  private recorder: PastRecorder | undefined;
  /** The recorder has everything up to the present, so each live append is noted too. Before that it reads the log. */
  private isRecording = false;
  private storage: PastStorage | undefined;
  private outline: Outline | undefined;
  readonly landmarks: Landmarks;
  private readonly startedAt: number;
  private readonly compaction: Compaction | undefined;
  private readonly feeds = new Map<GroupResource, ResourceFeed>();
  /** Positions of the changes that the feeds keep, oldest first. */
  private kept: number[] = [];
  private readonly subscription: Subscription;

  constructor(
    private readonly runtime: ClusterRuntime,
    writer: Writer,
    /** Changes kept in memory, of all resources together; older ones are read from the log. */
    private readonly changesMax?: number,
    compaction?: CompactionOptions,
    /** How a feed hands its changes over. Absent: at once. */
    private readonly handingOver?: () => HandingOver,
    readonly hostFile?: (path: string) => Promise<string | undefined>,
  ) {
    this.startedAt = runtime.state.position;
    const { log, cluster } = runtime.options;
    this.past = new Past({ log, cluster, reports: reportContext(runtime.state) });
    this.landmarks = new Landmarks(log, cluster, this.past);
    this.recorded = new RecordedConversions(log, cluster);
    this.compaction = compaction && new Compaction(compaction, this);
    this.events = new EventService(runtime, writer, this.feed('events'), this.startedAt, this.past);
    this.leaseWatches = new LeaseWatches(runtime);
    this.subscription = runtime.folded$.subscribe((appends) => this.take(appends));
  }

  get position(): number {
    return this.runtime.state.position;
  }

  get kinds(): KindCatalogue {
    return kindsOf(this.runtime.state);
  }

  /** The kinds that there were at a position. */
  async kindsAt(position: number): Promise<KindCatalogue> {
    return this.kindsOfThen.by((await this.look(definitionResource, position))());
  }

  whenKindEnds(resource: GroupResource, end: () => void): () => void {
    return this.kindEndings.add(resource, end);
  }

  get time(): number {
    return this.runtime.clock.now();
  }

  async look(storage: GroupResource, version?: number): Promise<Look> {
    if (storage === 'events') await this.events.whenReady();
    const now = storage === 'events' ? this.events.reports.table : this.runtime.state.table(storage);
    if (version === undefined) return () => now;
    const tableAt = this.feed(storage).history.tableAt(version);
    if (tableAt === undefined) {
      const table = await this.past.tableAt(storage, version);
      return () => table;
    }
    const then = tableAt(now);
    // Nothing has changed since that version yet; by the time of the call something may have.
    return then === now ? () => tableAt(now) : () => then;
  }

  async keeps(version: number): Promise<void> {
    await this.compaction?.keeps(version);
  }

  async lastUpTo(time: number): Promise<number> {
    return (await this.landmarks.lastUpTo(time, this.position))?.position ?? 0;
  }

  async *eventsBackwards(): AsyncGenerator<readonly number[]> {
    const { log, cluster } = this.runtime.options;
    for await (const appends of readAppendsBackwards(log, cluster))
      yield appends.flatMap((append) => append.map(({ position }) => position).reverse());
  }

  changes(storage: GroupResource, after: number, until: number): AsyncIterable<readonly VersionedChange[]> {
    return this.past.changes(storage, after, until);
  }

  feed(storage: GroupResource): ResourceFeed {
    let feed = this.feeds.get(storage);
    if (!feed) this.feeds.set(storage, (feed = new ResourceFeed(storage, this.startedAt, this.changesMax, this.handingOver?.())));
    return feed;
  }

  settledProgram(uid: string, container: string, restartCount: number): SettledProgram | undefined {
    return this.runtime.state.decisions.settledProgram(uid, container, restartCount);
  }

  /** By a call: who reads changes nothing, so nothing of it is recorded. */
  async convert(call: ConversionCall): Promise<Converted> {
    const { callOut } = this.runtime.options;
    if (!callOut) return conversionFailed(call, 'nothing is called from here');
    const uid = derivedUid(`${this.runtime.seed}/conversion/${this.conversions++}`);
    return (await callOut(call, uid)) as Converted;
  }

  leasesWatched(sink: StreamSink): void {
    this.leaseWatches.begun(sink);
  }

  async settle(program: Fact): Promise<void> {
    const { uid, container, restartCount } = program.data as { uid: string; container: string; restartCount: number };
    const operation = `attach/${uid}/${container}/${restartCount}`;
    const origin = { actor: 'apiserver', operation, correlationId: derivedId(`${this.runtime.options.writer}/${operation}`) };
    await this.runtime.appendDecision('kubelet-decisions', [program], origin, '0');
  }

  /**
   * Keeps checkpoints, and reads the past from them. What the log has and they have not is read first, beside what the process does
   * otherwise: the outline, which takes little time, before the checkpoints. Resolves when that is done.
   * @param failed told when nothing can be kept any more
   * @param eventsMax events between two checkpoints
   */
  async keepPast({ checkpoints: storage, outline }: KeptPast, failed: (error: Error) => void, eventsMax?: number): Promise<void> {
    this.storage = storage;
    this.outline = outline;
    this.past.use(storage, outline);
    await outline?.catchUp(
      () => this.position,
      this.sharing(() => outline.isAwaited),
    );
    const recorder = new PastRecorder(storage, turn, failed, eventsMax);
    this.recorder = recorder;
    const paused = this.sharing(() => this.events.isAwaited);
    await this.events.read({
      passed: ({ append, frames, events }, reports) => {
        for (const frame of frames) recorder.folded(frame, events, reports);
        recorder.passed(checkpointOf(append), append.length);
      },
      paged: async () => {
        await recorder.whenReady();
        await paused();
      },
      caughtUp: () => (this.isRecording = true),
    });
  }

  /** Resolves when what was folded last is kept. */
  async close(): Promise<void> {
    this.subscription.unsubscribe();
    this.leaseWatches.close();
    this.events.close();
    const { state } = this.runtime;
    const place = { position: state.position, time: state.time, eventId: state.lastEventId ?? '' };
    if (this.isRecording) await this.recorder?.flush(place);
    await this.recorder?.close();
    this.outline?.close(place);
    this.storage?.close();
  }

  /**
   * What is waited for after each piece of work that nobody waits for: half of the time is for others, and all of it while somebody reads
   * the past.
   */
  private sharing(isAwaited: () => boolean): () => Promise<void> {
    let since = performance.now();
    return async () => {
      if (!isAwaited()) await pause(performance.now() - since);
      while (this.past.isBeingRead && !isAwaited()) await pause(readingMs);
      since = performance.now();
    };
  }

  /** However many kinds there are, their changes do not take more memory than those of one would: the oldest go, whoever's they are. */
  private forgetOldest(): void {
    const keptMax = this.changesMax ?? historyMax;
    if (this.kept.length <= keptMax * keptSlack) return;
    this.kept = this.kept.slice(-keptMax);
    const oldest = this.kept[0] as number;
    for (const { history } of this.feeds.values()) history.forget(oldest - 1);
  }

  private take(appends: readonly FoldedAppend[]): void {
    const last = appends[appends.length - 1];
    if (last) this.landmarks.note(last.position, last.time);
    const touched = new Set<ResourceFeed>([this.feed('events')]);
    for (const append of appends) {
      this.compaction?.folded(append.events);
      const reports = this.events.apply(append);
      if (reports) this.record(append, reports);
      for (const report of reports ?? []) this.kept.push(report.position);
      const { change, position } = append;
      if (!change || change.resource === 'events') continue;
      if (change.resource === definitionResource) this.kindEndings.changed(change);
      const feed = this.feed(change.resource);
      feed.push({ type: change.type, position, key: change.key, before: change.before, object: change.object });
      this.kept.push(position);
      touched.add(feed);
    }
    this.forgetOldest();
    for (const feed of touched) feed.flush();
  }

  private record(frame: FoldedAppend, reports: readonly VersionedChange[]): void {
    if (!this.recorder || !this.isRecording) return;
    this.recorder.folded(frame, reports, this.events.reports);
    const { metadata } = frame.events[frame.events.length - 1] as FoldedAppend['events'][number];
    if (metadata.i === metadata.n) this.recorder.passed(checkpointOf(frame.events), metadata.n as number);
  }
}

/** A reading of the past takes so long, about, ms. */
const readingMs = 20;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
