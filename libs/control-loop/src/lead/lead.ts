import { current } from '#libs/cluster-state';
import { WrongExpectedRevisionError, type EventLog, type RecordedEvent } from '#libs/event-log';
import { decisionStream, fact, type Fact } from '#libs/events';
import { derivedId, type JsonObject } from '#libs/kernel';
import { stamp } from '../stamp';
import { holderIn, LeadView, type Holder } from './lead-view';

/** A leader that has not been heard of for so long, though somebody waits, has lost the lead, ms of real time. */
export const leaseMs = 15_000;
/** A leader that could not confirm its lead for so long decides nothing until it can; well below the lease. */
export const renewDeadlineMs = 10_000;
/** How often a leader confirms its lead: by an event while somebody waits for it, by a look at the stream otherwise. */
export const renewEveryMs = 5_000;
/** How often one who waits says so. */
const announceEveryMs = 60_000;
/** Whoever has not said so for that long does not wait any more. */
const waitsMs = 150_000;
/** Of one who waits: its word is too old to take the lead by. */
const announcedMsMax = 100_000;
/** How often it is looked whether something is due, ms. */
const tickMs = 1_000;
/** How often a round begins anew at once because somebody else wrote first. */
const attemptsMax = 20;

/** Real time that never steps, ms; replaced in tests. */
export interface LeadTime {
  now(): number;
  every(ms: number, callback: () => void): { cancel(): void };
}

export type LeadChange =
  /** `after`: whom this instance stood by for; undefined when it did not have to wait. */
  | { kind: 'gained'; app: string; controllers: string[]; after: Holder | undefined; because: 'free' | 'dead' | 'silent'; position: number }
  | { kind: 'lost'; app: string; controllers: string[]; to: Holder | undefined }
  | { kind: 'stands by'; app: string; controllers: string[]; leader: Holder };

export interface LeadOptions {
  log: Pick<EventLog, 'append' | 'readStream'>;
  cluster: string;
  app: string;
  controllers: readonly string[];
  holder: Holder;
  /** Cluster time, ms. */
  clusterTime(): number;
  time?: LeadTime;
  /** Known to have ended: on this machine, and no such process. */
  isDead(holder: Holder): boolean;
  /** Awaited before the next look: a gain has been acted upon then, and a loss. */
  changed(change: LeadChange): void | Promise<void>;
  /** The lead that could not be confirmed for a while is confirmed again. */
  confirmed(): void;
}

/**
 * The lead of an app's controllers among its instances. The stream `<cluster>.leadership/<app>` says who leads; every write to it
 * expects the revision that was read, so of two who take the lead at once the store accepts one. Terms are measured by each one's
 * own clock from what it saw itself, so clocks need not agree: a leader stops deciding `renewDeadlineMs` after it last sent what was
 * accepted, others wait `leaseMs` from what they last saw. While nobody waits, a lead is an event in the stream and no more.
 */
export class Lead {
  private readonly view = new LeadView();
  private readonly stream: string;
  private readonly time: LeadTime;
  /** When each instance was last heard of. */
  private readonly heard = new Map<string, number>();
  /** Who waits for a lead of ours, and when it said so. */
  private readonly waiting = new Map<string, number>();
  private mine = new Set<string>();
  /** The lead is certain as of then. */
  private confirmedAt = -Infinity;
  private renewedAt = -Infinity;
  private lookedAt = -Infinity;
  private announcedAt = -Infinity;
  /** Since when others could know that somebody waits here, without a break. */
  private awaitingSince: number | undefined;
  private standsBehind: Holder | undefined;
  private digest: string | undefined;
  private written = 0;
  private round: Promise<void> | undefined;
  private wanted = false;
  private ticking: { cancel(): void } | undefined;
  private closed = false;

  constructor(private readonly options: LeadOptions) {
    this.stream = decisionStream(options.cluster, 'leadership', options.app);
    this.time = options.time ?? realTime;
  }

  /** Takes the lead where it is free, or begins to wait for it. @throws the log's errors */
  async begin(): Promise<void> {
    await this.oneRound();
    this.ticking = this.time.every(tickMs, () => this.tick());
  }

  /** Whether a decision may be made now. */
  isHeld(): boolean {
    return this.mine.size > 0 && this.time.now() - this.confirmedAt < renewDeadlineMs;
  }

  /** The stream of leads has something new, as the fold saw. */
  noticed(stream: string): void {
    if (stream === this.stream && this.ticking) this.look();
  }

  /** Gives the lead back, so that another can take it at once. Best effort: without it the lease runs out. */
  async release(): Promise<void> {
    this.closed = true;
    this.ticking?.cancel();
    this.ticking = undefined;
    await this.round?.catch(() => undefined);
    const controllers = [...this.mine];
    this.mine = new Set();
    if (controllers.length === 0) return;
    const { app, holder } = this.options;
    const released = (): Promise<unknown> => this.write(fact('LeadershipReleased', { app, controllers, holder: holder.name }));
    await released().catch(async (error: unknown) => {
      if (!(error instanceof WrongExpectedRevisionError)) return;
      await this.read();
      await released();
    });
  }

  private tick(): void {
    const since = this.time.now() - this.lookedAt;
    if (since >= renewEveryMs || this.others().some((controller) => this.claimTo(controller) !== undefined)) this.look();
  }

  /** At most one round at a time; what is asked meanwhile is one more after it. */
  private look(): void {
    this.wanted = true;
    if (this.round || this.closed) return;
    this.wanted = false;
    this.round = this.oneRound()
      // The store is away: the next tick asks again, and nothing is decided meanwhile.
      .catch(() => undefined)
      .finally(() => {
        this.round = undefined;
        if (this.wanted) this.look();
      });
  }

  private async oneRound(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.attempt();
      } catch (error) {
        if (!(error instanceof WrongExpectedRevisionError) || attempt >= attemptsMax || this.closed) throw error;
      }
    }
  }

  private async attempt(): Promise<void> {
    this.lookedAt = this.time.now();
    const wasHeld = this.isHeld();
    await this.read();
    await this.noteLoss();
    if (this.closed) return;
    await this.take();
    if (this.mine.size > 0) await this.confirm();
    await this.standBy();
    if (!wasHeld && this.isHeld()) this.options.confirmed();
  }

  /** What is new in the stream. The first time it is read from its end, as far back as is needed to know who leads. */
  private async read(): Promise<void> {
    const { log } = this.options;
    const news: RecordedEvent[] = [];
    if (this.view.revision >= 0) {
      for await (const page of log.readStream(this.stream, { from: this.view.revision + 1 })) news.push(...page.map(current));
    } else {
      const unknown = new Set(this.options.controllers);
      for await (const page of log.readStream(this.stream, { direction: 'backwards' })) {
        for (const recorded of page) {
          const event = current(recorded);
          news.push(event);
          for (const controller of LeadView.tellsOf(event)) unknown.delete(controller);
        }
        if (unknown.size === 0) break;
      }
      news.reverse();
    }
    for (const event of news) this.note(event);
  }

  private note(event: RecordedEvent): void {
    const now = this.time.now();
    this.view.fold(event);
    const holder = holderIn(event.data);
    if (holder.name === this.options.holder.name) {
      // Written though no answer came: the next event follows it.
      this.digest = event.metadata.digest as string;
      return;
    }
    this.heard.set(holder.name, now);
    if (event.type === 'LeadershipAwaited') this.waiting.set(holder.name, now);
    else this.waiting.delete(holder.name);
  }

  private isMine(controller: string): boolean {
    return this.view.holderOf(controller)?.name === this.options.holder.name;
  }

  /** Controllers that somebody else leads, or nobody. */
  private others(): string[] {
    return this.options.controllers.filter((controller) => !this.mine.has(controller));
  }

  private async noteLoss(): Promise<void> {
    const lost = [...this.mine].filter((controller) => !this.isMine(controller));
    if (lost.length === 0) return;
    for (const controller of lost) this.mine.delete(controller);
    const to = this.view.holderOf(lost[0] as string);
    await this.options.changed({ kind: 'lost', app: this.options.app, controllers: lost, to });
  }

  /** Why the lead may be taken; undefined: it may not. */
  private claimTo(controller: string): 'free' | 'dead' | 'silent' | undefined {
    const holder = this.view.holderOf(controller);
    if (!holder || holder.name === this.options.holder.name) return 'free';
    if (this.options.isDead(holder)) return 'dead';
    const now = this.time.now();
    const couldKnow = this.awaitingSince !== undefined && now - this.awaitingSince >= leaseMs && now - this.announcedAt < announcedMsMax;
    return couldKnow && now - (this.heard.get(holder.name) ?? now) >= leaseMs ? 'silent' : undefined;
  }

  private async take(): Promise<void> {
    const { app, holder } = this.options;
    const claims = new Map<string, 'free' | 'dead' | 'silent'>();
    for (const controller of this.others()) {
      const claim = this.claimTo(controller);
      if (claim) claims.set(controller, claim);
    }
    const [first] = claims;
    if (!first) return;
    const controllers = [...claims.keys()];
    const after = this.standsBehind;
    const sent = this.time.now();
    const position = await this.write(fact('LeadershipTaken', { app, controllers, ...signature(holder) }));
    for (const controller of controllers) this.mine.add(controller);
    this.confirmedAt = sent;
    this.renewedAt = sent;
    try {
      await this.options.changed({ kind: 'gained', app, controllers, after, because: first[1], position });
    } catch (error) {
      // What could not be begun is not led: the next look takes it again.
      for (const controller of controllers) this.mine.delete(controller);
      throw error;
    }
  }

  /** By an event while somebody waits, for only that tells others; the look just taken is enough otherwise. */
  private async confirm(): Promise<void> {
    const now = this.time.now();
    for (const [name, at] of this.waiting) if (now - at > waitsMs) this.waiting.delete(name);
    const holders = new Set(this.options.controllers.map((controller) => this.view.holderOf(controller)?.name));
    for (const [name, at] of this.heard) if (now - at > waitsMs && !holders.has(name)) this.heard.delete(name);
    if (this.waiting.size === 0) {
      this.confirmedAt = this.lookedAt;
      return;
    }
    if (now - this.renewedAt < renewEveryMs) return;
    const { app, holder } = this.options;
    await this.write(fact('LeadershipRenewed', { app, controllers: [...this.mine], ...signature(holder) }));
    this.confirmedAt = now;
    this.renewedAt = now;
  }

  private async standBy(): Promise<void> {
    const [first] = this.others();
    const leader = first === undefined ? undefined : this.view.holderOf(first);
    if (first === undefined || !leader) {
      this.standsBehind = undefined;
      this.awaitingSince = undefined;
      return;
    }
    const { app, holder } = this.options;
    const isNew = leader.name !== this.standsBehind?.name;
    const now = this.time.now();
    if (isNew || now - this.announcedAt >= announceEveryMs) {
      await this.write(fact('LeadershipAwaited', { app, controllers: this.others(), ...signature(holder) }));
      const known = this.time.now();
      if (isNew || known - this.announcedAt >= announcedMsMax) this.awaitingSince = known;
      this.announcedAt = known;
    }
    this.standsBehind = leader;
    if (isNew) await this.options.changed({ kind: 'stands by', app, controllers: this.others(), leader });
  }

  /** @throws WrongExpectedRevisionError when somebody wrote since the last look */
  private async write(what: Fact): Promise<number> {
    const { log, holder, clusterTime } = this.options;
    const operation = `lead/${this.options.app}/${this.written++}`;
    const origin = { actor: this.options.app, operation, correlationId: derivedId(`${holder.name}/${operation}`) };
    const { stream, digest: follows } = this;
    const events = stamp({ stream, frames: [[what]], origin, writer: holder.name, time: clusterTime(), follows, label: '0' });
    const expected = this.view.revision < 0 ? 'no_stream' : this.view.revision;
    const { position } = await log.append(stream, events, expected);
    this.digest = events[0]?.metadata.digest as string;
    this.view.fold({ type: what.type, data: what.data as JsonObject, revision: this.view.revision + 1 });
    return position ?? 0;
  }
}

/** Who led an app last, and has not given it back; whether it is still there is another question. */
export async function lastLeader(log: Pick<EventLog, 'readStream'>, cluster: string, app: string): Promise<Holder | undefined> {
  for await (const page of log.readStream(decisionStream(cluster, 'leadership', app), { direction: 'backwards' })) {
    for (const { type, data } of page) {
      if (type === 'LeadershipReleased') return undefined;
      if (type !== 'LeadershipAwaited') return holderIn(data);
    }
  }
  return undefined;
}

function signature({ name, host, pid, machine }: Holder): { holder: string; host: string; pid: number; machine: string } {
  return { holder: name, host, pid, machine };
}

const realTime: LeadTime = {
  now: () => performance.now(),
  every(ms, callback) {
    const timer = setInterval(callback, ms).unref();
    return { cancel: () => clearInterval(timer) };
  },
};
