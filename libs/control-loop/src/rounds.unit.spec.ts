import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClusterState } from '#libs/cluster-state';
import { createMemoryLog, type EventLog, type RecordedEvent } from '#libs/event-log';
import { decodeTape, objectStream, type Round } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { VirtualClock } from './clock';
import type { Controller, StepOutcome } from './controller';
import { ControllerShell } from './controller-shell';
import { ClusterRuntime } from './runtime';
import { SimulationExecutive } from './simulation';
import { Writer } from './writer';

const start = Date.parse('2026-01-01T00:00:00Z');

/** What a controller was asked and told, in order. */
interface Telling {
  name: string;
  asked: { at: number; now: number; objects: string[] }[];
  told: { ordinal: number; outcomes: StepOutcome['kind'][] }[];
}

interface Wanted {
  /** Nodes that it creates, one decision each. */
  creates?: readonly string[];
  /** Time at which it has something to do, ms. */
  wakesAt?: number;
}

const names = (cluster: ClusterState): string[] => [...cluster.list('nodes')].map(({ metadata }) => metadata.name);
const node = (name: string): KubeObject => ({ metadata: { name }, spec: {}, status: {} }) as unknown as KubeObject;

/** Creates what it wants, one after the other, and notes each time it is asked. */
function creator(telling: Telling, { creates = [], wakesAt }: Wanted): Controller<string[]> {
  return {
    name: telling.name,
    behaviour: '1',
    stream: 'controller-decisions',
    config: {},
    initial: () => [...creates],
    apply: () => undefined,
    next: (left, _cluster, now) => (wakesAt === undefined || now >= wakesAt ? left[0] : undefined),
    decide(_left, cluster, subject, { now }) {
      telling.asked.push({ at: cluster.position, now, objects: names(cluster) });
      return {
        subject,
        steps: [{ step: 'create', request: { verb: 'create', resource: 'nodes', object: node(subject) } }],
      };
    },
    decided: (left) => void left.shift(),
    settled: (_left, _decision, ordinal, outcomes) => void telling.told.push({ ordinal, outcomes: outcomes.map(({ kind }) => kind) }),
    nextWake: (left, now) => (left.length > 0 && wakesAt !== undefined && wakesAt > now ? wakesAt : undefined),
  };
}

let log: EventLog;
let clock: VirtualClock;
let runtime: ClusterRuntime;
let time: SimulationExecutive;
beforeEach(async () => {
  log = createMemoryLog();
  clock = new VirtualClock(start);
  runtime = await ClusterRuntime.start({ log, cluster: 'local', clock, writer: 'test', seed: 's' });
  await runtime.begin();
  time = new SimulationExecutive(runtime, clock);
});
afterEach(() => runtime.close());

interface Started {
  shell: ControllerShell<string[]>;
  telling: Telling;
}

function controller(name: string, wanted: Wanted, mayDecide?: () => boolean): Started {
  const telling: Telling = { name, asked: [], told: [] };
  return { telling, shell: new ControllerShell(runtime, new Writer(runtime), creator(telling, wanted), mayDecide) };
}

async function started(...controllers: Started[]): Promise<void> {
  await Promise.all(controllers.map(({ shell }) => shell.start()));
  await time.settle();
}

const eventsOf = async (): Promise<RecordedEvent[]> => {
  const all: RecordedEvent[] = [];
  for await (const page of log.readAll()) all.push(...page);
  return all;
};

/** Each round of the process, by its number, as the log has it. Two appends that carry one round have to say the same of it. */
async function taped(): Promise<Round[]> {
  const rounds: Round[] = [];
  for (const { metadata } of await eventsOf()) {
    if (typeof metadata.tape !== 'string') continue;
    const { first, rounds: carried } = decodeTape(metadata.tape, { position: metadata.at as number, time: metadata.time as number });
    carried.forEach((round, index) => {
      expect(rounds[first + index] ?? round).toEqual(round);
      rounds[first + index] = round;
    });
  }
  return rounds;
}

describe('the rounds of a process', () => {
  it('ask each controller at one position and one time, before anything that a round decided is done', async () => {
    const [one, two] = [controller('one', { creates: ['a'] }), controller('two', { creates: ['b'] })];
    await started(one, two);
    const due = start + 60_000;
    const [third, fourth] = [controller('third', { creates: ['c'], wakesAt: due }), controller('fourth', { creates: ['d'], wakesAt: due })];
    await started(third, fourth);
    await time.runUntil(due);
    expect(third.telling.asked).toEqual([{ at: expect.any(Number), now: due, objects: ['a', 'b'] }]);
    expect(fourth.telling.asked).toEqual(third.telling.asked);
    expect(names(runtime.state).toSorted()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('tell each controller once what became of each of its decisions; in a round, in the order of controller and decision', async () => {
    const [one, two] = [controller('one', { creates: ['a', 'b', 'a', 'c'] }), controller('two', { creates: ['d', 'e'] })];
    await started(two, one);
    expect(one.telling.told.toSorted((a, b) => a.ordinal - b.ordinal)).toEqual([
      { ordinal: 0, outcomes: ['written'] },
      { ordinal: 1, outcomes: ['written'] },
      { ordinal: 2, outcomes: ['refused'] },
      { ordinal: 3, outcomes: ['written'] },
    ]);
    expect(two.telling.told).toHaveLength(2);
    await time.runFor(5_000);
    const settled = (await taped()).map(({ settlements }) => settlements.map((answer) => [answer.controller, answer.ordinal]));
    expect(settled.flat()).toHaveLength(6);
    expect(settled.some((inOneRound) => inOneRound.length > 1)).toBe(true);
    for (const inOneRound of settled) expect(inOneRound).toEqual(inOneRound.toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d));
  });

  it('come when the first of the times comes that its controllers wait for', async () => {
    const [late, early] = [
      controller('late', { creates: ['l'], wakesAt: start + 20_000 }),
      controller('early', { creates: ['e'], wakesAt: start + 10_000 }),
    ];
    await started(late, early);
    await time.runUntil(start + 30_000);
    expect([early, late].map(({ telling }) => telling.asked.map(({ now }) => now - start))).toEqual([[10_000], [20_000]]);
  });

  it('do not trouble a controller with what it does not follow, and ask it when its time has come', async () => {
    const seen: string[] = [];
    const telling: Telling = { name: 'follower', asked: [], told: [] };
    const follower: Controller<string[]> = {
      ...creator(telling, { creates: ['late'], wakesAt: start + 10_000 }),
      follows: ['namespaces'],
      apply: (_left, { change }) => void seen.push(change?.resource ?? 'decision'),
    };
    await new ControllerShell(runtime, new Writer(runtime), follower).start();
    await started(controller('one', { creates: ['a', 'b'] }));
    await new Writer(runtime).write(
      { verb: 'create', resource: 'namespaces', object: { metadata: { name: 'n' } } as KubeObject },
      { actor: 'user:a', operation: 'o', correlationId: 'c' },
    );
    await time.runUntil(start + 20_000);
    expect(seen).toEqual(['namespaces']);
    expect(telling.asked.map(({ now }) => now - start)).toEqual([10_000]);
  });

  it('do not ask or tell a controller that was stopped, and the log says since when', async () => {
    const [one, two] = [controller('one', { creates: ['a'], wakesAt: start + 10_000 }), controller('two', {})];
    await started(one, two);
    one.shell.stop();
    await time.runUntil(start + 20_000);
    expect(one.telling).toMatchObject({ asked: [], told: [] });
    expect((await taped()).flatMap(({ marks }) => marks)).toEqual([{ kind: 'stopped', controller: 0 }]);
  });

  it('pass over a controller while it may not decide, and the log says from when to when', async () => {
    let mayDecide = false;
    const one = controller('one', { creates: ['a'] }, () => mayDecide);
    await started(one);
    expect(one.telling.asked).toEqual([]);
    await time.runFor(5_000);
    mayDecide = true;
    one.shell.resume();
    await time.runFor(5_000);
    expect(one.telling.asked).toMatchObject([{ now: start + 5_000 }]);
    expect((await taped()).flatMap(({ now, marks }) => marks.map((mark) => [now - start, mark]))).toEqual([
      [0, { kind: 'barred', controller: 0 }],
      [5_000, { kind: 'freed', controller: 0 }],
    ]);
  });
});

describe('the tape of a process', () => {
  it('is in the log without a gap: what was asked when, and what came of it', async () => {
    const one = controller('one', { creates: ['a', 'b', 'a'] });
    await started(one);
    await time.runFor(5_000);
    const rounds = await taped();
    expect(rounds.every((round) => round !== undefined)).toBe(true);
    const settled = rounds.flatMap(({ settlements }) => settlements.map(({ ordinal, outcome }) => [ordinal, outcome.kind]));
    expect(settled).toEqual([
      [0, 'done'],
      [1, 'done'],
      [2, 'steps'],
    ]);
    const positions = rounds.map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  });

  it('has the round of a decision with the first append of that decision, so that neither is in the log without the other', async () => {
    const one = controller('one', { creates: ['a'] });
    await started(one);
    const made = (await eventsOf()).find(({ stream }) => stream === objectStream('local', 'nodes', undefined, 'a')) as RecordedEvent;
    const { tape, at, time: now } = made.metadata as { tape: string; at: number; time: number };
    const { rounds } = decodeTape(tape, { position: at, time: now });
    const [asked] = one.telling.asked;
    expect(rounds.map(({ position }) => position)).toContain(asked?.at);
  });

  it('is carried by the appends of the process while there are any, and by one of its own a second after the last', async () => {
    await started(controller('one', { creates: ['a'] }));
    const own = async (): Promise<number> => (await eventsOf()).filter(({ type }) => type === 'RoundsTaken').length;
    expect(await own()).toBe(0);
    await time.runFor(999);
    expect(await own()).toBe(0);
    await time.runFor(1);
    expect(await own()).toBe(1);
    await time.runFor(60_000);
    expect(await own()).toBe(1);
  });

  it('says nothing of a round in which nobody was told or asked anything', async () => {
    await started(controller('one', {}));
    await new Writer(runtime).write(
      { verb: 'create', resource: 'nodes', object: node('of-a-user') },
      { actor: 'user:somebody', operation: 'o', correlationId: 'c' },
    );
    await time.runFor(60_000);
    expect(await taped()).toEqual([]);
    expect((await eventsOf()).map(({ type }) => type)).not.toContain('RoundsTaken');
  });
});
