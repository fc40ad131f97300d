import { ReplaySubject, Subject } from 'rxjs';
import {
  ClusterState,
  current,
  FOLD_VERSION,
  LogFold,
  type Append,
  type FoldedAppend,
  prefixesOf,
  type LeftOut,
  type LogTree,
} from '#libs/cluster-state';
import type { EventFilter, EventLog, ExpectedRevision, RecordedEvent, Subscription } from '#libs/event-log';
import {
  clusterPrefix,
  decisionStream,
  fact,
  type DecisionStream,
  type EventData,
  type Fact,
  eventClasses,
  validateEvent,
} from '#libs/events';
import { derivedId } from '#libs/kernel';
import { schemaData, WRITE_RULES_VERSION } from '#libs/kube-api';
import { appendNotes } from './append-notes';
import type { AppendNumber } from './append-numbers';
import type { Clock } from './clock';
import type { Call } from './controller';
import { DecisionJournal } from './decision-journal';
import type { LeadChange, LeadTime } from './lead/lead';
import type { Holder } from './lead/lead-view';
import type { Origin } from './origin';
import type { CallOut } from './outside-calls';
import { Rounds } from './rounds';
import { eventId, stamp } from './stamp';
import { WriterLife } from './writer-life';

export interface RuntimeOptions {
  log: EventLog;
  /** Name of the cluster: the first word of its stream names. */
  cluster: string;
  clock: Clock;
  /** Names this process among the log's writers; unique for each start. */
  writer: string;
  /** Seed of all chance in a new cluster; that of an older one is in its log. */
  seed: string;
  /** A state to begin from (a snapshot), instead of from nothing. */
  from?: ClusterState;
  /** What nobody in this process reads; `from` leaves out the same. */
  leavesOut?: LeftOut;
  /** Takes in all that is folded, so that it can be sealed; as far as `from`. Absent: nothing is sealed here. */
  tree?: LogTree;
  /** Told of each frame when the fold has it and nothing behind it, also of those that were in the log before this process began. */
  onFolded?: (frame: FoldedAppend) => void;
  /** What the record of this process's start says of it, beside what is known here. */
  about?: Pick<EventData<'ProcessStarted'>, 'build' | 'node' | 'behaviours' | 'plugins'>;
  /** Calls webhooks. Absent: none can be called from here. */
  callOut?: CallOut;
  /** What clients ask for is kept in the log, decoded. */
  keepsRequests?: boolean;
  /** Others may reach the log too, so of several instances of an app one leads. Absent: this process has the log for itself. */
  election?: Election;
}

export interface Election {
  /** This instance. */
  holder: Holder;
  /** Known to have ended. */
  isDead(holder: Holder): boolean;
  /** To be told to the user. */
  changed(change: LeadChange): void;
  /** By which terms are measured; real time when absent. */
  time?: LeadTime;
}

/** What the events of an append say of themselves, beside their facts. */
export interface Stamping {
  origin: Origin;
  /** Distinguishes appends of one operation. */
  label: string;
  follows: string | undefined;
  /** Cluster time, ms; now when absent. */
  time?: number;
  /** The position that it was prepared at; that of the fold when absent. */
  at?: number;
}

/** The actor of events about a process's own start and stop. */
export const lifecycleActor = 'kubereel';

interface Waiter {
  position: number;
  resolve: () => void;
}

/**
 * What one process does with the log: follows it, folds it, and appends to it. Every app in the process shares this fold; apps in other
 * processes have their own. What apps learn of one another they learn from `folded$`.
 */
export class ClusterRuntime {
  readonly state: ClusterState;
  /** Drives the controllers of this process: they follow each append when the fold has it and nothing after it. */
  readonly rounds: Rounds;
  /** Each frame of an append in log order, when the fold has that append and nothing after it. Ends when the log is lost for good. */
  readonly appended$ = new Subject<FoldedAppend>();
  /** The same in the batches they came in, after the fold has them all: for those who only look on. */
  readonly folded$ = new Subject<readonly FoldedAppend[]>();
  /** Why the log was lost for good, also to those who ask afterwards; ends without it when the runtime is closed. */
  readonly lost$ = new ReplaySubject<Error>(1);
  /** Questions of decisions to somebody outside, told as they are decided on: to be sent once their record has been folded. */
  readonly calls$ = new Subject<Call>();
  /** Appends not answered and waits not over: nothing is quiet while it is above 0. */
  pending = 0;
  /** Why the log cannot be used now, as far as is known; undefined when it can. */
  trouble: string | undefined;
  private readonly deafen: () => void;

  private readonly logFold: LogFold;
  /** Where a cluster's first event is. */
  private readonly lifecycle: string;
  private readonly waiters: Waiter[] = [];
  private readonly lives = new Map<string, WriterLife>();
  private readonly journals = new Map<string, DecisionJournal>();
  private subscription: Subscription | undefined;
  /** As the log has it. */
  private recordedSeed: string | undefined;

  private constructor(readonly options: RuntimeOptions) {
    this.lifecycle = decisionStream(options.cluster, 'cluster-lifecycle');
    this.state = options.from ?? new ClusterState(options.cluster, options.leavesOut);
    this.rounds = new Rounds(this);
    this.logFold = new LogFold(this.state, {
      beforeAppend: (append) => this.takeIn(append),
      onFolded: (frame) => {
        this.rounds.follow(frame);
        options.onFolded?.(frame);
        this.appended$.next(frame);
      },
    });
    this.deafen = options.log.onAvailability((now) => (this.trouble = now.available ? undefined : now.reason));
  }

  /** Follows the log and resolves when everything in it has been folded. */
  static async start(options: RuntimeOptions): Promise<ClusterRuntime> {
    const runtime = new ClusterRuntime(options);
    await runtime.follow();
    // What a snapshot stands for is not read again, the first event among it.
    if (runtime.recordedSeed === undefined) await runtime.readSeed();
    runtime.keepTime();
    return runtime;
  }

  get clock(): Clock {
    return this.options.clock;
  }

  /** The cluster's own: whoever joins it later decides by the same chance, whatever seed it was given. */
  get seed(): string {
    return this.recordedSeed ?? this.options.seed;
  }

  /**
   * Appends facts to a stream, whole or not at all; resolves once this process has folded them.
   * @param follows digest of the stream's last event
   * @throws WrongExpectedRevisionError and the log's other errors.
   */
  append(stream: string, frames: readonly (readonly Fact[])[], expected: ExpectedRevision, stamping: Stamping): Promise<number> {
    const { life } = this;
    if (life.isUnborn) return life.begin().then(() => this.append(stream, frames, expected, stamping));
    const { origin, label, follows } = stamping;
    const { writer, log } = this.options;
    const { time = this.clock.now(), at = this.state.position } = stamping;
    const { signal } = origin;
    const written = life.numbered((number) => {
      const notes = appendNotes(origin, at, number, this.rounds.tapeFor({ position: at, time }));
      const events = stamp({ stream, frames, origin, writer, time, follows, label, notes });
      return log.append(stream, events, expected, { signal });
    });
    return this.whenWritten(written.then(({ position }) => position ?? this.state.position));
  }

  /** Appends a record to this writer's own part of a decision stream. `beforeAppend` gets the first event's id. */
  async appendDecision(
    stream: DecisionStream,
    facts: readonly Fact[],
    origin: Origin,
    label: string,
    beforeAppend?: (id: string) => void,
  ): Promise<{ id: string; position: number }> {
    const id = eventId(this.options.writer, origin, label, 0);
    beforeAppend?.(id);
    if (this.life.isUnborn) await this.life.begin();
    const write = this.recordWith(stream, origin, label);
    const written = this.life.numbered((number) => write(number, facts));
    return { id, position: await this.whenWritten(written) };
  }

  /** Writes the first append of this writer, which otherwise comes with the first that anybody asks for. */
  begin(): Promise<void> {
    return this.life.begin();
  }

  /** Writes the last append of this writer, once all others have been answered, and folds it; nothing can be appended behind it. */
  async stop(): Promise<void> {
    const origin = { actor: lifecycleActor, operation: 'stop', correlationId: derivedId(`${this.options.writer}/stop`) };
    const write = this.recordWith('cluster-lifecycle', origin, '0');
    await this.life.end(async (number, absent) => this.whenFolded(await write(number, [fact('ProcessStopped', { absent })])));
  }

  /** The life in the log of whoever this process writes as. */
  private get life(): WriterLife {
    const { writer } = this.options;
    let life = this.lives.get(writer);
    if (!life) this.lives.set(writer, (life = new WriterLife((number) => this.recordStart(number))));
    return life;
  }

  private recordStart(number: AppendNumber): Promise<number> {
    const origin = { actor: lifecycleActor, operation: 'start', correlationId: derivedId(`${this.options.writer}/start`) };
    const { about, cluster, leavesOut } = this.options;
    const speed = this.clock.inRealMs(1_000) / 1_000;
    const reads = leavesOut ? { leavesOut: prefixesOf(cluster, leavesOut) } : {};
    const versions = { rules: schemaData.release, writeRules: WRITE_RULES_VERSION, fold: FOLD_VERSION };
    const started = fact('ProcessStarted', { ...about, ...versions, speed, ...reads });
    return this.recordWith('cluster-lifecycle', origin, '0')(number, [started]);
  }

  /** What a record rests on is what is folded now, whenever it is sent. */
  private recordWith(
    stream: DecisionStream,
    origin: Origin,
    label: string,
  ): (number: AppendNumber, facts: readonly Fact[]) => Promise<number> {
    const { writer, cluster } = this.options;
    const time = this.clock.now();
    const at = this.state.position;
    const journal = this.journal(decisionStream(cluster, stream, writer));
    return (number, facts) =>
      journal.append((follows, current) => {
        const notes = appendNotes(origin, at, number, this.rounds.tapeFor({ position: at, time }));
        return stamp({ stream: current, frames: [facts], origin, writer, time, follows, label, notes });
      });
  }

  private async whenWritten(written: Promise<number>): Promise<number> {
    this.pending++;
    try {
      const position = await written;
      await this.whenFolded(position);
      return position;
    } finally {
      this.pending--;
    }
  }

  private journal(stream: string): DecisionJournal {
    let journal = this.journals.get(stream);
    if (!journal) this.journals.set(stream, (journal = new DecisionJournal(this.options.log, stream)));
    return journal;
  }

  /** What this process folds. Whoever waits for the fold waits for a position of an event that this lets through. */
  get filter(): EventFilter {
    const { cluster, leavesOut } = this.options;
    return { streamPrefixes: [clusterPrefix(cluster)], ...(leavesOut ? { exceptPrefixes: prefixesOf(cluster, leavesOut) } : {}) };
  }

  /** Resolves when everything up to the position has been folded. */
  whenFolded(position: number): Promise<void> {
    if (this.state.position >= position) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push({ position, resolve }));
  }

  async close(): Promise<void> {
    this.deafen();
    await this.subscription?.close();
    this.lost$.complete();
    this.endSignals();
  }

  /** Where others may write too, nobody has seen to it that what they wrote can be folded. @throws InvalidEventError */
  private takeIn(append: Append): void {
    if (this.options.election)
      for (const { type, data, stream, revision } of append)
        if (eventClasses.has(type)) validateEvent(type, data, `${stream} revision ${revision}`);
    this.options.tree?.take(append);
  }

  private lose(error: Error): void {
    this.lost$.next(error);
    this.endSignals();
  }

  private endSignals(): void {
    this.rounds.close();
    this.appended$.complete();
    this.folded$.complete();
    this.calls$.complete();
  }

  private follow(): Promise<void> {
    const { log } = this.options;
    return new Promise((resolve, reject) => {
      this.subscription = log.subscribe(
        { after: this.state.position === 0 ? 'start' : this.state.position, filter: this.filter },
        {
          events: (batch) => this.fold(batch),
          caughtUp: () => resolve(),
          failed: (error) => {
            reject(error);
            this.lose(error);
          },
        },
      );
    });
  }

  private fold(batch: readonly RecordedEvent[]): void {
    const folded: FoldedAppend[] = [];
    for (const event of batch) {
      for (const append of this.logFold.add(event) ?? []) {
        if (append.stream === this.lifecycle) append.events.forEach((each) => this.noteSeed(each));
        folded.push(append);
      }
    }
    this.keepTime();
    if (folded.length > 0) this.folded$.next(folded);
    this.wakeWaiters();
  }

  private noteSeed({ type, data }: RecordedEvent): void {
    if (type === 'ClusterCreated') this.recordedSeed = data.seed as string;
  }

  private async readSeed(): Promise<void> {
    for await (const page of this.options.log.readStream(this.lifecycle, { limit: 1 }))
      page.forEach((event) => this.noteSeed(current(event)));
  }

  /** Times of the log grow with its positions, whoever writes: nobody is behind what he has read. */
  private keepTime(): void {
    this.options.clock.notBefore?.(this.state.time);
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
