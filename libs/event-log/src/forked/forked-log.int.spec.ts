import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { chanceOf, type Chance } from '#libs/kernel';
import { collect, event, failure } from '../contract/contract-target';
import { describeEventLog } from '../contract/event-log-contract';
import { Recorder } from '../contract/recorder';
import { openEmbeddedLog } from '../embedded/embedded-log';
import { WrongExpectedRevisionError } from '../errors';
import { createMemoryLog } from '../memory/memory-log';
import type { EventLog, EventToAppend, ExpectedRevision, ReadAllOptions, ReadStreamOptions } from '../port';
import { ForkedLog } from './forked-log';

const root = mkdtempSync(join(tmpdir(), 'kubereel-fork-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;

const adapters: [name: string, open: () => Promise<EventLog>][] = [
  ['memory', () => Promise.resolve(createMemoryLog())],
  ['embedded', () => openEmbeddedLog({ folder: join(root, String(folders++)) })],
];

/** A parent that lived before the fork, and lives on. */
async function parentOf(open: () => Promise<EventLog>): Promise<{ parent: EventLog; position: number }> {
  const parent = await open();
  let position = 0;
  for (let i = 0; i < 20; i++) {
    position = (await parent.append(`before-${i % 3}`, [event('Before', { i }), event('Before', { i })], 'any')).position!;
    await parent.append(`$system-${i % 2}`, [event()], 'any');
  }
  for (let i = 0; i < 20; i++) await parent.append(`before-${i % 3}`, [event('After', { i })], 'any');
  return { parent, position };
}

for (const [name, open] of adapters) {
  describeEventLog({ name: `a fork, ${name}`, open: async () => new ForkedLog({ ...(await parentOf(open)), own: await open() }) });
}

interface Append {
  stream: string;
  events: EventToAppend[];
  expected: ExpectedRevision;
}

/** Appends to a few streams, each expecting what is there: by its revision, or in words. */
function workload(chance: Chance, count: number): Append[] {
  const heads = new Map<string, number>();
  return Array.from({ length: count }, (_, i) => {
    const stream = `${chance.index(2, `prefix/${i}`) === 0 ? 'a' : 'b'}-${chance.index(4, `stream/${i}`)}`;
    const head = heads.get(stream) ?? -1;
    const events = Array.from({ length: 1 + chance.index(3, `events/${i}`) }, (_, n) => event('Counted', { i, n }));
    heads.set(stream, head + events.length);
    const words: ExpectedRevision[] = [head < 0 ? 'no_stream' : head, 'any', head < 0 ? 'no_stream' : 'stream_exists'];
    return { stream, events, expected: words[chance.index(3, `expected/${i}`)]! };
  });
}

const stripped = (events: readonly { created: number }[]): unknown[] => events.map(({ created: _, ...rest }) => rest);

describe.each(adapters)('a fork of a log, %s', (_, open) => {
  it('is to everybody the log it would have been without forking: reads, subscriptions, heads, refusals', async () => {
    for (let seed = 0; seed < 8; seed++) {
      const chance = chanceOf(`fork/${seed}`, 'appends');
      const appends = workload(chance, 40);
      const cut = 5 + chance.index(30, 'cut');
      const whole = createMemoryLog();
      for (const append of appends) await whole.append(append.stream, append.events, append.expected);
      const parent = await open();
      let position = 0;
      for (const append of appends.slice(0, cut)) position = (await parent.append(append.stream, append.events, append.expected)).position!;
      for (let i = 0; i < 30; i++) await parent.append(`a-${i % 6}`, [event('Elsewhere')], 'any');
      const fork = new ForkedLog({ parent, position, own: await open() });
      const answers = [];
      for (const append of appends.slice(cut)) answers.push(await fork.append(append.stream, append.events, append.expected));
      expect(answers.every(({ revision, position: at }) => revision !== undefined && at! > position)).toBe(true);
      await sameReads(fork, whole);
      await sameSubscriptions(fork, whole);
      await sameRefusals(fork, whole);
      await fork.close();
      await parent.close();
    }
  });
});

async function sameReads(fork: EventLog, whole: EventLog): Promise<void> {
  const head = (await whole.head())!;
  expect(await fork.head()).toBe(head);
  const filters = [
    undefined,
    { streamPrefixes: ['a-'] },
    { streamPrefixes: ['a-', 'b-'], exceptPrefixes: ['a-1'] },
    { streamPrefixes: ['none'] },
  ];
  for (const filter of filters) {
    expect(await fork.head(filter)).toBe(await whole.head(filter));
    for (const direction of ['forwards', 'backwards'] as const) {
      for (const from of ['start', 'end', 0, 16, 17, head >> 1, (head >> 1) + 8, head, head + 1, undefined] as const) {
        for (const limit of [undefined, 1, 7]) {
          const options: ReadAllOptions = { direction, from, limit, filter };
          if ((from === 'start') === (direction === 'backwards') && from !== undefined && typeof from !== 'number') continue;
          expect(stripped(await collect(fork.readAll(options))), JSON.stringify(options)).toEqual(
            stripped(await collect(whole.readAll(options))),
          );
        }
      }
    }
  }
  for (const stream of ['a-0', 'a-1', 'b-2', 'b-3', 'missing']) {
    for (const direction of ['forwards', 'backwards'] as const) {
      for (const from of ['start', 'end', 0, 1, 3, 8, 100] as const) {
        for (const limit of [undefined, 0, 1, 4]) {
          const options: ReadStreamOptions = { direction, from, limit };
          if (from === 'start' && direction === 'backwards') continue;
          expect(stripped(await collect(fork.readStream(stream, options))), `${stream} ${JSON.stringify(options)}`).toEqual(
            stripped(await collect(whole.readStream(stream, options))),
          );
        }
      }
    }
  }
}

async function sameSubscriptions(fork: EventLog, whole: EventLog): Promise<void> {
  const head = (await whole.head())!;
  for (const filter of [undefined, { streamPrefixes: ['b-'] }]) {
    for (const after of ['start', 0, 16, head >> 1, head - 16, head, 'end'] as const) {
      const recorders = [fork, whole].map((log) => new Recorder().on(log, { after, filter }));
      await Promise.all(recorders.map((recorder) => recorder.whenCaughtUp()));
      expect(stripped(recorders[0]!.received)).toEqual(stripped(recorders[1]!.received));
      expect(recorders[0]!.overlaps).toBe(0);
      await Promise.all(recorders.map((recorder) => recorder.close()));
    }
  }
}

async function sameRefusals(fork: EventLog, whole: EventLog): Promise<void> {
  for (const stream of ['a-0', 'a-1', 'b-2', 'missing']) {
    for (const expected of ['no_stream', 'stream_exists', 0, 2, 50] as const) {
      const events = [event()];
      const outcome = (log: EventLog): Promise<unknown> =>
        log.append(stream, events, expected).then(
          (result) => result,
          (error: unknown) => (error instanceof WrongExpectedRevisionError ? { ...error, message: error.message } : error),
        );
      expect(await outcome(fork), `${stream} ${expected}`).toEqual(await outcome(whole));
    }
  }
}

describe('a fork', () => {
  it('answers a write again that its parent has taken, and refuses it where something else is there', async () => {
    const parent = createMemoryLog();
    const [first, second] = [[event()], [event(), event()]];
    await parent.append('s', first, 'no_stream');
    const { position } = await parent.append('s', second, 0);
    await parent.append('s', [event()], 2);
    const fork = new ForkedLog({ parent, position: position!, own: createMemoryLog() });
    expect(await fork.append('s', second, 0)).toEqual({ revision: 2, position });
    expect(await failure(fork.append('s', [event()], 0))).toMatchObject({ expected: 0, actual: 2 });
    expect(await fork.append('s', [event()], 2)).toEqual({ revision: 3, position: position! + 16 });
    expect(await failure(fork.append('s', [event()], 'no_stream'))).toMatchObject({ actual: 3 });
  });

  it('knows nothing of the streams of its parent that nobody has asked for', async () => {
    const parent = createMemoryLog();
    let position = 0;
    for (let i = 0; i < 500; i++) position = (await parent.append(`s-${i}`, [event()], 'any')).position!;
    const asked = new Set<string>();
    const watched = new Proxy(parent, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (name !== 'readStream') return typeof value === 'function' ? (value as () => void).bind(target) : value;
        return (stream: string, options: ReadStreamOptions) => {
          asked.add(stream);
          return target.readStream(stream, options);
        };
      },
    });
    const fork = new ForkedLog({ parent: watched, position, own: createMemoryLog() });
    await fork.append('s-7', [event()], 0);
    await collect(fork.readAll());
    expect([...asked]).toEqual(['s-7']);
  });

  it('of a fork is a fork', async () => {
    const parent = createMemoryLog();
    const { position } = await parent.append('s', [event('First')], 'any');
    const fork = new ForkedLog({ parent, position: position!, own: createMemoryLog() });
    const { position: later } = await fork.append('s', [event('Second')], 0);
    await fork.append('s', [event('Left out')], 1);
    const again = new ForkedLog({ parent: fork, position: later!, own: createMemoryLog() });
    await again.append('s', [event('Third')], 1);
    expect((await collect(again.readAll())).map(({ type, revision, position: at }) => [type, revision, at])).toEqual([
      ['First', 0, 16],
      ['Second', 1, 32],
      ['Third', 2, 48],
    ]);
  });

  it('may share a store with others, its streams under a prefix of their own', async () => {
    const store = createMemoryLog();
    await store.append('local.pods-a', [event('Created')], 'any');
    const { position } = await store.append('local.pods-b', [event('Created')], 'any');
    const fork = new ForkedLog({ parent: store, position: position!, own: store, names: { shown: 'local.', stored: 'fork_1.' } });
    await fork.append('local.pods-a', [event('Forked')], 0);
    await store.append('local.pods-a', [event('Elsewhere')], 0);
    await fork.append('local.pods-c', [event('Forked')], 'no_stream');
    const shown = (events: readonly { stream: string; type: string; revision: number }[]): unknown[] =>
      events.map(({ stream, type, revision }) => [stream, type, revision]);
    const expected = [
      ['local.pods-a', 'Created', 0],
      ['local.pods-b', 'Created', 0],
      ['local.pods-a', 'Forked', 1],
      ['local.pods-c', 'Forked', 0],
    ];
    expect(shown(await collect(fork.readAll({ filter: { streamPrefixes: ['local.'] } })))).toEqual(expected);
    expect(shown(await collect(fork.readAll()))).toEqual(expected);
    const followed = new Recorder().on(fork, { after: 'start', filter: { streamPrefixes: ['local.pods-a', 'local.pods-c'] } });
    await followed.count(3);
    expect(shown(followed.received)).toEqual(expected.filter(([stream]) => stream !== 'local.pods-b'));
    await followed.close();
    expect(shown(await collect(store.readStream('fork_1.pods-a')))).toEqual([['fork_1.pods-a', 'Forked', 0]]);
    expect(await failure(fork.append('other.pods-a', [event()], 'any'))).toBeInstanceOf(RangeError);
  });
});
