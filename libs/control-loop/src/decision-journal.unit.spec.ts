import { describe, expect, it } from 'vitest';
import {
  createMemoryLog,
  EventLogError,
  LogUnavailableError,
  OutcomeUnknownError,
  WrongExpectedRevisionError,
  type EventLog,
  type EventToAppend,
  type ExpectedRevision,
} from '#libs/event-log';
import { DecisionJournal } from './decision-journal';

const stream = 'local.scheduler-decisions/w';

const record =
  (name: string) =>
  (follows: string | undefined): EventToAppend[] => [
    {
      id: name,
      type: 'SchedulingAttempted',
      data: { name },
      metadata: { follows: follows ?? null, digest: `${name}<${follows ?? ''}` } as never,
    },
  ];

/** What an append meets on its way: it may fail before or after it was written, or overtake those before it. */
type Fate = 'fails' | 'is lost' | 'answer is lost' | 'is late' | undefined;

class FickleLog {
  readonly inner = createMemoryLog();
  readonly fates = new Map<string, Fate>();
  isAway = false;
  private readonly late: (() => void)[] = [];

  async append(name: string, events: readonly EventToAppend[], expected: ExpectedRevision): ReturnType<EventLog['append']> {
    const id = events[0]?.id ?? '';
    const fate = this.fates.get(id);
    this.fates.delete(id);
    if (fate === 'fails') throw new EventLogError('the disk is full');
    if (fate === 'is lost' || this.isAway) throw new LogUnavailableError('the event store is away');
    if (fate === 'is late') await new Promise<void>((resolve) => this.late.push(resolve));
    const result = await this.inner.append(name, events, expected);
    if (fate === 'answer is lost') throw new LogUnavailableError('no answer');
    return result;
  }

  readStream(name: string, options: Parameters<EventLog['readStream']>[1]): ReturnType<EventLog['readStream']> {
    if (this.isAway) throw new LogUnavailableError('the event store is away');
    return this.inner.readStream(name, options);
  }

  /** Those that are late arrive. */
  arrive(): void {
    for (const go of this.late.splice(0)) go();
  }

  async chain(): Promise<[id: string, follows: unknown][]> {
    const events = [];
    for await (const page of this.inner.readStream(stream)) events.push(...page);
    return events.map(({ id, metadata }) => [id, metadata.follows]);
  }
}

/** Each event follows the one before it, and says so. */
function expectWhole(chain: [string, unknown][]): void {
  let before: unknown = null;
  for (const [id, follows] of chain) {
    expect(follows, id).toBe(before);
    before = `${id}<${(follows as string | null) ?? ''}`;
  }
}

async function outcome(promise: Promise<number>): Promise<string> {
  return promise.then(
    (position) => `at ${position}`,
    (error: Error) => error.message,
  );
}

describe('the records of a writer', () => {
  it('are in the order in which they were handed over, and one that failed leaves no gap', async () => {
    const log = new FickleLog();
    const journal = new DecisionJournal(log, stream);
    log.fates.set('b', 'fails');
    const outcomes = await Promise.all(['a', 'b', 'c', 'd'].map((name) => outcome(journal.append(record(name)))));
    expect(outcomes[1]).toBe('the disk is full');
    const chain = await log.chain();
    expect(chain.map(([id]) => id)).toEqual(['a', 'c', 'd']);
    expectWhole(chain);
  });

  it('wait for one that comes late', async () => {
    const log = new FickleLog();
    const journal = new DecisionJournal(log, stream);
    log.fates.set('a', 'is late');
    const all = Promise.all(['a', 'b', 'c'].map((name) => outcome(journal.append(record(name)))));
    await new Promise((resolve) => setImmediate(resolve));
    log.arrive();
    expect((await all).every((text) => text.startsWith('at '))).toBe(true);
    const chain = await log.chain();
    expect(chain.map(([id]) => id)).toEqual(['a', 'b', 'c']);
    expectWhole(chain);
  });

  it('are not written twice when only the answer was lost, and the answer is found', async () => {
    const log = new FickleLog();
    const journal = new DecisionJournal(log, stream);
    log.fates.set('b', 'answer is lost');
    const outcomes = await Promise.all(['a', 'b', 'c'].map((name) => outcome(journal.append(record(name)))));
    expect(outcomes.every((text) => text.startsWith('at '))).toBe(true);
    const chain = await log.chain();
    expect(chain.map(([id]) => id)).toEqual(['a', 'b', 'c']);
    expectWhole(chain);
  });

  it('go on after an outage, behind what the stream really ends with', async () => {
    const log = new FickleLog();
    const journal = new DecisionJournal(log, stream);
    await journal.append(record('a'));
    log.isAway = true;
    expect(await outcome(journal.append(record('b')))).toBe('the event store is away');
    expect(await outcome(journal.append(record('c')))).toBe('the event store is away');
    log.isAway = false;
    expect(await outcome(journal.append(record('d')))).toMatch(/^at /);
    const chain = await log.chain();
    expect(chain.map(([id]) => id)).toEqual(['a', 'd']);
    expectWhole(chain);
  });

  it('go on where a stream stands already', async () => {
    const log = new FickleLog();
    await new DecisionJournal(log, stream).append(record('a'));
    await new DecisionJournal(log, stream).append(record('b'));
    expectWhole(await log.chain());
  });

  it('are given up when the stream never takes them', async () => {
    const refusing = {
      append: (name: string, _: unknown, expected: ExpectedRevision) => Promise.reject(new WrongExpectedRevisionError(name, expected, 7)),
      readStream: async function* () {},
    };
    const journal = new DecisionJournal(refusing as never, stream);
    await expect(journal.append(record('a'))).rejects.toThrow('expected revision');
  });

  it('go to another stream when some that were sent have no answer: whenever these come, the chain of each stream is whole', async () => {
    // Frozen with three on their way; the answers never come, and the store gets two of them only after the writer has gone on.
    const inner = createMemoryLog();
    const delayed: (() => Promise<unknown>)[] = [];
    let frozen = true;
    const log: Pick<EventLog, 'append' | 'readStream'> = {
      append: (name, events, expected) => {
        if (!frozen) return inner.append(name, events, expected);
        delayed.push(() => inner.append(name, events, expected));
        return Promise.reject(new OutcomeUnknownError('no answer'));
      },
      readStream: (name, options) => inner.readStream(name, options),
    };
    const journal = new DecisionJournal(log, stream);
    expect(await Promise.all(['a', 'b', 'c'].map((name) => outcome(journal.append(record(name)))))).toEqual(Array(3).fill('no answer'));
    frozen = false;
    const [a, b] = delayed;
    await a?.();
    const after = Promise.all(['d', 'e', 'f'].map((name) => outcome(journal.append(record(name)))));
    await b?.();
    expect((await after).every((text) => text.startsWith('at '))).toBe(true);
    const chains = new Map<string, [string, unknown][]>();
    for await (const page of inner.readAll()) {
      for (const { id, stream: name, metadata } of page) chains.set(name, [...(chains.get(name) ?? []), [id, metadata.follows]]);
    }
    expect([...chains].map(([name, chain]) => [name, chain.map(([id]) => id)])).toEqual([
      [stream, ['a', 'b']],
      [`${stream}.2`, ['d', 'e', 'f']],
    ]);
    for (const chain of chains.values()) expectWhole(chain);
  });
});
