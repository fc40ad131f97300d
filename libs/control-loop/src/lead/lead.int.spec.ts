import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryLog, LogUnavailableError, type EventLog, type RecordedEvent } from '#libs/event-log';
import { digestOf } from '#libs/events';
import { Lead, leaseMs, renewDeadlineMs, renewEveryMs, type LeadChange, type LeadTime } from './lead';
import type { Holder } from './lead-view';

const stream = 'local.leadership/scheduler';
const secondMs = 1_000;

/** Real time that the test owns; every instance has its own, as every machine has. */
class ManualTime implements LeadTime {
  private time = 0;
  private readonly callbacks = new Set<() => void>();
  now = (): number => this.time;
  every(_ms: number, callback: () => void): { cancel(): void } {
    this.callbacks.add(callback);
    return { cancel: () => void this.callbacks.delete(callback) };
  }
  /** Time passes without the process noticing: it is frozen, or busy. */
  freeze(ms: number): void {
    this.time += ms;
  }
  pass(ms: number): void {
    this.time += ms;
    for (const callback of this.callbacks) callback();
  }
}

const quiet = async (): Promise<void> => {
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve));
};

class Instance {
  readonly time = new ManualTime();
  readonly changes: LeadChange[] = [];
  readonly lead: Lead;
  confirmations = 0;
  away = false;
  /** Its controllers cannot be started. */
  cannotStart = false;

  constructor(
    log: EventLog,
    readonly holder: Holder,
    controllers: readonly string[],
    dead: ReadonlySet<string>,
  ) {
    const away = (): boolean => this.away;
    const reachable: Pick<EventLog, 'append' | 'readStream'> = {
      append: (...args) => (away() ? Promise.reject(new LogUnavailableError('away')) : log.append(...args)),
      readStream: (...args) => {
        if (away()) throw new LogUnavailableError('away');
        return log.readStream(...args);
      },
    };
    this.lead = new Lead({
      log: reachable,
      cluster: 'local',
      app: 'scheduler',
      controllers,
      holder,
      clusterTime: () => 0,
      time: this.time,
      isDead: ({ name }) => dead.has(name),
      changed: (change) => {
        this.changes.push(change);
        if (this.cannotStart && change.kind === 'gained') throw new LogUnavailableError('the disk is full');
      },
      confirmed: () => this.confirmations++,
    });
  }

  get kinds(): string[] {
    return this.changes.map(({ kind }) => kind);
  }
}

describe('the lead among instances of an app', () => {
  let log: EventLog;
  let dead: Set<string>;
  let instances: Instance[];
  beforeEach(() => {
    log = createMemoryLog();
    dead = new Set();
    instances = [];
  });
  const join = async (name: string, controllers = ['scheduler']): Promise<Instance> => {
    const instance = new Instance(log, { name, host: `host-${name}`, pid: 1, machine: name }, controllers, dead);
    instances.push(instance);
    await instance.lead.begin();
    return instance;
  };
  /** A second passes for all that are named, and what follows from it happens. */
  const passes = async (seconds: number, ...whom: Instance[]): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      for (const { time } of whom.length > 0 ? whom : instances) time.pass(secondMs);
      await quiet();
    }
  };
  const events = async (): Promise<readonly RecordedEvent[]> => {
    const found: RecordedEvent[] = [];
    for await (const page of log.readStream(stream)) found.push(...page);
    return found;
  };
  const types = async (): Promise<string[]> => (await events()).map(({ type }) => type);
  const leaders = (): string[] => instances.filter(({ lead }) => lead.isHeld()).map(({ holder }) => holder.name);

  it('is one event while nobody waits for it', async () => {
    const a = await join('a');
    await passes(600);
    expect(leaders()).toEqual(['a']);
    expect(await types()).toEqual(['LeadershipTaken']);
    expect(a.kinds).toEqual(['gained']);
  });

  it('is renewed while somebody waits, and stays', async () => {
    const a = await join('a');
    const b = await join('b');
    await passes(120);
    expect(leaders()).toEqual(['a']);
    expect(b.changes).toMatchObject([{ kind: 'stands by', leader: { name: 'a', host: 'host-a' } }]);
    const written = await types();
    expect(written.filter((type) => type === 'LeadershipRenewed').length).toBeLessThanOrEqual(120 / (renewEveryMs / secondMs) + 1);
    expect(written.filter((type) => type === 'LeadershipAwaited').length).toBeLessThanOrEqual(3);
    expect(a.kinds).toEqual(['gained']);
    // Who waited has gone: after a while nothing is written any more.
    await b.lead.release();
    await passes(200, a);
    const before = (await types()).length;
    await passes(60, a);
    expect((await types()).length).toBe(before);
  });

  it('is taken at once when it was given back, and from one that is known to have ended', async () => {
    const a = await join('a');
    const b = await join('b');
    await a.lead.release();
    await passes(renewEveryMs / secondMs, b);
    expect(leaders()).toEqual(['b']);
    expect(b.changes[1]).toMatchObject({ kind: 'gained', after: { name: 'a' }, because: 'free' });
    const c = await join('c');
    dead.add('b');
    await passes(1, c);
    expect(c.changes[1]).toMatchObject({ kind: 'gained', after: { name: 'b' }, because: 'dead' });
  });

  it('runs out when nothing is heard of the leader, who has stopped deciding before that', async () => {
    const a = await join('a');
    const b = await join('b');
    await passes(20);
    a.away = true;
    let bothLed = false;
    let stoppedAt: number | undefined;
    let takenAt: number | undefined;
    for (let second = 1; second <= 30; second++) {
      await passes(1);
      bothLed ||= leaders().length > 1;
      if (!a.lead.isHeld()) stoppedAt ??= second;
      if (b.lead.isHeld()) takenAt ??= second;
    }
    expect(bothLed).toBe(false);
    expect(stoppedAt).toBeLessThanOrEqual(renewDeadlineMs / secondMs);
    expect(takenAt).toBeGreaterThan((leaseMs - renewEveryMs) / secondMs - 1);
    expect(takenAt).toBeLessThanOrEqual((leaseMs + renewEveryMs) / secondMs);
    expect(b.changes[1]).toMatchObject({ because: 'silent' });
    // It comes back, and learns that another leads.
    a.away = false;
    await passes(6);
    expect(a.kinds).toEqual(['gained', 'lost', 'stands by']);
    expect(leaders()).toEqual(['b']);
  });

  it('is not held by one whose controllers could not be started, and is taken again until they can', async () => {
    const a = await join('a');
    const b = await join('b');
    b.cannotStart = true;
    await a.lead.release();
    await passes(20, b);
    expect(b.lead.isHeld()).toBe(false);
    b.cannotStart = false;
    await passes(2, b);
    expect(b.lead.isHeld()).toBe(true);
    expect(b.kinds.filter((kind) => kind === 'gained').length).toBeGreaterThan(1);
  });

  it('does not outlast a freeze: nothing is decided after it before the stream was looked at', async () => {
    const a = await join('a');
    const b = await join('b');
    await passes(10);
    a.time.freeze(35_000);
    await passes(20, b);
    expect(b.lead.isHeld()).toBe(true);
    expect(a.lead.isHeld()).toBe(false);
    await passes(1, a);
    expect(a.kinds).toEqual(['gained', 'lost', 'stands by']);
  });

  it('is not taken by one who was frozen itself, from a leader who is well', async () => {
    await join('a');
    const b = await join('b');
    await passes(10);
    b.time.freeze(300_000);
    await passes(10);
    expect(leaders()).toEqual(['a']);
    expect(b.kinds).toEqual(['stands by']);
  });

  it('goes on when the store was away and nobody took it', async () => {
    const a = await join('a');
    a.away = true;
    await passes(60);
    expect(a.lead.isHeld()).toBe(false);
    a.away = false;
    await passes(renewEveryMs / secondMs);
    expect(a.lead.isHeld()).toBe(true);
    expect(a.kinds).toEqual(['gained']);
    expect(a.confirmations).toBeGreaterThan(0);
  });

  it('goes to one of many who take it at the same moment', async () => {
    const all = Array.from(
      { length: 8 },
      (_, i) => new Instance(log, { name: `i${i}`, host: 'h', pid: i, machine: `${i}` }, ['scheduler'], dead),
    );
    instances.push(...all);
    await Promise.all(all.map(({ lead }) => lead.begin()));
    expect(leaders()).toHaveLength(1);
    expect((await types()).filter((type) => type === 'LeadershipTaken')).toHaveLength(1);
  });

  it('is of each controller: one with a name of its own has a lead of its own', async () => {
    await join('a', ['scheduler']);
    const green = await join('b', ['scheduler-green']);
    const part = await join('c', ['scheduler', 'scheduler-blue']);
    expect(leaders()).toEqual(['a', 'b', 'c']);
    expect(green.kinds).toEqual(['gained']);
    expect(part.changes).toMatchObject([
      { kind: 'gained', controllers: ['scheduler-blue'] },
      { kind: 'stands by', controllers: ['scheduler'] },
    ]);
  });

  it('is read from the end of a long stream', async () => {
    await join('a');
    await join('b');
    await passes(2_500);
    const pages: number[] = [];
    const counting = {
      ...log,
      append: log.append.bind(log),
      readStream: (name: string, options?: object) => counted(log.readStream(name, options), pages),
    } as EventLog;
    const late = new Instance(counting, { name: 'late', host: 'h', pid: 1, machine: 'm' }, ['scheduler'], dead);
    await late.lead.begin();
    expect(late.changes).toMatchObject([{ kind: 'stands by', leader: { name: 'a' } }]);
    expect(pages.length).toBe(1);
    expect((await events()).length).toBeGreaterThan(500);
  });

  it('has a chain that holds over an append without an answer', async () => {
    const a = await join('a');
    await join('b');
    const append = log.append.bind(log);
    let lost = 0;
    log.append = async (...args) => {
      const result = await append(...args);
      if (args[1][0]?.type === 'LeadershipRenewed' && lost++ < 2) throw new LogUnavailableError('no answer');
      return result;
    };
    await passes(30);
    expect(leaders()).toEqual(['a']);
    const own = (await events()).filter(({ metadata }) => metadata.writer === 'a');
    expect(own.length).toBeGreaterThan(4);
    own.forEach((event, index) =>
      expect(event.metadata.digest).toBe(digestOf(event, event.stream, own[index - 1]?.metadata.digest as string | undefined)),
    );
    expect(a.kinds).toEqual(['gained']);
  });
});

async function* counted(pages: AsyncIterable<readonly RecordedEvent[]>, seen: number[]): AsyncGenerator<readonly RecordedEvent[]> {
  for await (const page of pages) {
    seen.push(page.length);
    yield page;
  }
}
