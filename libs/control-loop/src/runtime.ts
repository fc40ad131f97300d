import { Subject } from 'rxjs';
import { AppendGrouper, ClusterState, type FoldedAppend } from '#libs/cluster-state';
import type { AppendResult, EventLog, EventToAppend, ExpectedRevision, RecordedEvent, Subscription } from '#libs/event-log';
import { clusterPrefix, decisionStream, upcast, versionOf, type DecisionStream, type Fact } from '#libs/events';
import type { Clock } from './clock';
import type { Origin } from './origin';
import { stamp } from './stamp';

export interface RuntimeOptions {
  log: EventLog;
  /** Name of the cluster: the first word of its stream names. */
  cluster: string;
  clock: Clock;
  /** Names this process among the log's writers; unique for each start. */
  writer: string;
  /** Seed of all chance. */
  seed: string;
  /** A state to begin from (a snapshot), instead of from nothing. */
  from?: ClusterState;
}

interface Waiter {
  position: number;
  resolve: () => void;
}

/**
 * One process's window on the log: follows it, folds it, and appends to it. Every app in the process shares this fold; apps in
 * other processes have their own. What apps learn of one another they learn from `folded$`.
 */
export class ClusterRuntime {
  readonly state: ClusterState;
  /** Appends in log order, after the fold has them. Errors when the log is lost for good. */
  readonly folded$ = new Subject<readonly FoldedAppend[]>();
  /** Appends not answered and waits not over: nothing is quiet while it is above 0. */
  pending = 0;

  private readonly grouper = new AppendGrouper();
  private readonly waiters: Waiter[] = [];
  private readonly decisionDigests = new Map<string, string>();
  private subscription: Subscription | undefined;

  private constructor(readonly options: RuntimeOptions) {
    this.state = options.from ?? new ClusterState(options.cluster);
  }

  /** Follows the log and resolves when everything in it has been folded. */
  static async start(options: RuntimeOptions): Promise<ClusterRuntime> {
    const runtime = new ClusterRuntime(options);
    await runtime.follow();
    return runtime;
  }

  get clock(): Clock {
    return this.options.clock;
  }

  get seed(): string {
    return this.options.seed;
  }

  /**
   * Appends facts to a stream; resolves once this process has folded them.
   * @throws WrongExpectedRevisionError and the log's other errors.
   */
  async append(stream: string, facts: readonly Fact[], expected: ExpectedRevision, origin: Origin, label: string, follows?: string): Promise<number> {
    const events = this.stamped(stream, facts, origin, label, follows, this.clock.now());
    return this.appendStamped(stream, events, expected);
  }

  /** Events ready to append; to chain several appends, hand the last digest of one to the next as `follows`. */
  stamped(stream: string, facts: readonly Fact[], origin: Origin, label: string, follows: string | undefined, time: number): EventToAppend[] {
    return stamp({ stream, facts, origin, writer: this.options.writer, time, follows, label });
  }

  async appendStamped(stream: string, events: readonly EventToAppend[], expected: ExpectedRevision): Promise<number> {
    this.pending++;
    try {
      const result: AppendResult = await this.options.log.append(stream, events, expected);
      const position = result.position ?? this.state.position;
      await this.whenFolded(position);
      return position;
    } finally {
      this.pending--;
    }
  }

  /** Appends records to a decision stream, chained to what this process wrote there before. `beforeAppend` gets the first event's id. */
  async appendDecision(
    stream: DecisionStream,
    facts: readonly Fact[],
    origin: Origin,
    label: string,
    beforeAppend?: (id: string) => void,
  ): Promise<{ id: string; position: number }> {
    const name = decisionStream(this.options.cluster, stream);
    const events = this.stamped(name, facts, origin, label, this.decisionDigests.get(name), this.clock.now());
    const last = events[events.length - 1] as EventToAppend;
    this.decisionDigests.set(name, last.metadata.digest as string);
    const id = (events[0] as EventToAppend).id;
    beforeAppend?.(id);
    return { id, position: await this.appendStamped(name, events, 'any') };
  }

  /** Resolves when everything up to the position has been folded. */
  whenFolded(position: number): Promise<void> {
    if (this.state.position >= position) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push({ position, resolve }));
  }

  async close(): Promise<void> {
    await this.subscription?.close();
    this.folded$.complete();
  }

  private follow(): Promise<void> {
    const { log, cluster } = this.options;
    return new Promise((resolve, reject) => {
      this.subscription = log.subscribe(
        { after: this.state.position === 0 ? 'start' : this.state.position, filter: { streamPrefixes: [clusterPrefix(cluster)] } },
        {
          events: (batch) => this.fold(batch),
          caughtUp: () => resolve(),
          failed: (error) => {
            reject(error);
            this.folded$.error(error);
          },
        },
      );
    });
  }

  private fold(batch: readonly RecordedEvent[]): void {
    const folded: FoldedAppend[] = [];
    for (const event of batch) {
      const append = this.grouper.add(current(event));
      const result = append && this.state.apply(append);
      if (result) folded.push(result);
    }
    if (folded.length > 0) this.folded$.next(folded);
    this.wakeWaiters();
  }

  private wakeWaiters(): void {
    if (this.waiters.length === 0) return;
    let kept = 0;
    for (const waiter of this.waiters) {
      if (waiter.position <= this.state.position) waiter.resolve();
      else this.waiters[kept++] = waiter;
    }
    this.waiters.length = kept;
  }
}

/** The event as the newest version of its type has it. */
function current(event: RecordedEvent): RecordedEvent {
  const version = event.metadata.v as number;
  return version === versionOf(event.type) ? event : { ...event, data: upcast(event.type, version, event.data) };
}
