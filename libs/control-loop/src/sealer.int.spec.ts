import { afterEach, describe, expect, it } from 'vitest';
import { LogTree, type Seal } from '#libs/cluster-state';
import { createMemoryLog, LogUnavailableError, type EventLog, type RecordedEvent } from '#libs/event-log';
import { decisionStream, fact, leafOf, MerkleRange } from '#libs/events';
import { VirtualClock } from './clock';
import { ClusterRuntime, type Election } from './runtime';
import { sealAfterMs, Sealer, sealEventsMax } from './sealer';
import { SimulationExecutive } from './simulation';

const start = Date.parse('2026-01-01T00:00:00Z');

/** A process that follows the log, and seals it. */
class Instance {
  private count = 0;

  private constructor(
    readonly runtime: ClusterRuntime,
    readonly tree: LogTree,
    readonly sealer: Sealer,
    private readonly executive: SimulationExecutive,
  ) {}

  static async start(log: EventLog, clock: VirtualClock, writer: string, tree = new LogTree()): Promise<Instance> {
    const election = { holder: { name: writer } } as Election;
    const runtime = await ClusterRuntime.start({ log, cluster: 'local', clock, writer, seed: 's', tree, election });
    const sealer = new Sealer(runtime, tree, { whenQuiet: true });
    const executive = new SimulationExecutive(runtime, clock);
    if (!runtime.state.head(lifecycle)) {
      const origin = { actor: 'test', operation: 'begin', correlationId: 'c' };
      await runtime.append(lifecycle, [[fact('ClusterCreated', { seed: 's', kubernetes: 'v1' })]], 'no_stream', {
        origin,
        label: '0',
        follows: undefined,
      });
    }
    return new Instance(runtime, tree, sealer, executive);
  }

  /** So many appends of one event each; behind the record of the process's start, and the cluster's first event. */
  async writes(count: number): Promise<void> {
    const all = Array.from({ length: count }, () => {
      const origin = { actor: 'test', operation: `o/${this.count++}`, correlationId: 'c' };
      return this.runtime.appendDecision('kubelet-decisions', [fact('NodeHeartbeatStopped', { node: `n${this.count}` })], origin, '0');
    });
    await this.executive.settle();
    await Promise.all(all);
  }

  passes(ms: number): Promise<void> {
    return this.executive.runFor(ms);
  }
}

const lifecycle = decisionStream('local', 'cluster-lifecycle');
const running: Instance[] = [];

afterEach(async () => {
  for (const { sealer, runtime } of running.splice(0)) {
    await sealer.stop(1_000);
    await runtime.close();
  }
});

async function started(log: EventLog, clock: VirtualClock, writer = 'w', tree?: LogTree): Promise<Instance> {
  const instance = await Instance.start(log, clock, writer, tree);
  running.push(instance);
  return instance;
}

async function eventsOf(log: EventLog): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const page of log.readAll()) events.push(...page);
  return events;
}

async function sealsOf(log: EventLog): Promise<(RecordedEvent & { data: Seal & { peaks: string[]; prev?: string } })[]> {
  return (await eventsOf(log)).filter(({ type }) => type === 'Sealed') as never;
}

/** What the first events of the log come to. */
function treeOf(events: readonly RecordedEvent[]): MerkleRange {
  const range = MerkleRange.empty();
  for (const event of events) range.add(leafOf(event));
  return range;
}

describe('the seals of a log', () => {
  it('wait for the beginning of the cluster, however late it comes', async () => {
    const log = createMemoryLog({ now: () => start });
    const clock = new VirtualClock(start);
    const tree = new LogTree();
    const runtime = await ClusterRuntime.start({ log, cluster: 'local', clock, writer: 'w', seed: 's', tree });
    const sealer = new Sealer(runtime, tree, { whenQuiet: true });
    const origin = { actor: 'test', operation: 'o', correlationId: 'c' };
    await runtime.appendDecision('kubelet-decisions', [fact('NodeHeartbeatStopped', { node: 'n' })], origin, '0');
    clock.advanceTo(start + 10 * sealAfterMs);
    await runtime.appendDecision('kubelet-decisions', [fact('NodeHeartbeatStopped', { node: 'n' })], { ...origin, operation: 'p' }, '0');
    // Whoever tries again and again lets nobody else through: this is never reached then.
    await new Promise((resolve) => setImmediate(resolve));
    expect((await eventsOf(log)).filter(({ type }) => type === 'Sealed')).toEqual([]);
    await sealer.stop(1_000);
    await runtime.close();
  });

  const clockOf = (): VirtualClock => new VirtualClock(start);

  it('come every 4,096 events, each over all that is before its position, naming the one before', async () => {
    const log = createMemoryLog();
    const instance = await started(log, clockOf());
    for (let i = 0; i < 10; i++) await instance.writes(1_000);
    const events = await eventsOf(log);
    const seals = await sealsOf(log);
    expect(seals.map(({ data }) => data.events)).toEqual([sealEventsMax, 2 * sealEventsMax]);
    for (const [index, { data }] of seals.entries()) {
      const covered = treeOf(events.slice(0, data.events));
      expect(data).toMatchObject({ root: covered.root(), peaks: covered.peakHashes(), position: events[data.events - 1]?.position });
      expect(data.prev).toBe(seals[index - 1]?.data.root);
    }
  });

  it('come a minute after the first event that is not sealed; where nothing happens, nothing is written', async () => {
    const log = createMemoryLog();
    const instance = await started(log, clockOf());
    await instance.writes(3);
    await instance.passes(sealAfterMs - 1);
    expect(await sealsOf(log)).toEqual([]);
    await instance.passes(1);
    expect((await sealsOf(log)).map(({ data }) => data.events)).toEqual([5]);
    const before = await eventsOf(log);
    await instance.passes(100 * sealAfterMs);
    expect(await eventsOf(log)).toEqual(before);
    await instance.writes(1);
    await instance.passes(sealAfterMs);
    expect((await sealsOf(log)).map(({ data }) => data.events)).toEqual([5, 7]);
  });

  it('cover what came while the one before was on its way', async () => {
    const log = createMemoryLog();
    const append = log.append.bind(log);
    const clock = clockOf();
    const instance = await started(log, clock);
    let release = (): void => undefined;
    log.append = async (stream, events, ...rest) => {
      if (events[0]?.type === 'Sealed') await new Promise<void>((resolve) => (release = resolve));
      return append(stream, events, ...rest);
    };
    await instance.writes(2);
    clock.advanceTo(start + sealAfterMs);
    void instance.writes(1);
    await new Promise((resolve) => setImmediate(resolve));
    log.append = append;
    release();
    await instance.passes(2 * sealAfterMs);
    expect((await sealsOf(log)).map(({ data }) => data.events)).toEqual([4, 6]);
  });

  it('go on from what a process kept of the tree, without the events before it', async () => {
    const log = createMemoryLog();
    const clock = clockOf();
    const first = await started(log, clock, 'a');
    await first.writes(100);
    await first.sealer.stop(1_000);
    const kept = JSON.parse(JSON.stringify(first.tree.record())) as never;
    await first.runtime.close();
    const second = await started(log, clock, 'b', LogTree.of(kept));
    await second.writes(5);
    await second.passes(2 * sealAfterMs);
    const events = await eventsOf(log);
    const [before, after] = await sealsOf(log);
    expect(before?.data.events).toBe(102);
    expect(after?.data).toMatchObject({ events: 109, root: treeOf(events.slice(0, 109)).root(), prev: before?.data.root });
  });

  it('are written by one of several processes, and by another when that has ended', async () => {
    const log = createMemoryLog();
    const clock = clockOf();
    const a = await started(log, clock, 'a');
    const b = await started(log, clock, 'b');
    for (let i = 0; i < 5; i++) {
      await (i % 2 ? a : b).writes(3);
      await a.passes(2 * sealAfterMs);
    }
    const seals = await sealsOf(log);
    expect(seals).toHaveLength(5);
    const [writer] = new Set(seals.map(({ metadata }) => metadata.writer));
    expect(seals.every(({ metadata }) => metadata.writer === writer)).toBe(true);
    const [gone, left] = writer === 'a' ? [a, b] : [b, a];
    await gone.sealer.stop(1_000);
    await left.writes(1);
    await left.passes(2 * sealAfterMs);
    expect((await sealsOf(log)).at(-1)?.metadata.writer).toBe(writer === 'a' ? 'b' : 'a');
    const events = await eventsOf(log);
    for (const { data } of await sealsOf(log)) expect(data.root).toBe(treeOf(events.slice(0, data.events)).root());
  });

  it('are written when the store is back', async () => {
    const log = createMemoryLog();
    const instance = await started(log, clockOf());
    const append = log.append.bind(log);
    let refused = 0;
    log.append = (stream, events, ...rest) => {
      if (events[0]?.type !== 'Sealed' || refused >= 3) return append(stream, events, ...rest);
      refused++;
      return Promise.reject(new LogUnavailableError('away'));
    };
    await instance.writes(2);
    await instance.passes(2 * sealAfterMs);
    expect(refused).toBe(3);
    expect((await sealsOf(log)).map(({ data }) => data.events)).toEqual([4]);
  });

  it('leave nothing of the process unfolded when it has stopped, however late the log delivers', async () => {
    const log = createMemoryLog();
    const subscribe = log.subscribe.bind(log);
    log.subscribe = (options, handlers) => {
      const events = async (batch: readonly RecordedEvent[]): Promise<void> => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        await handlers.events(batch);
      };
      return subscribe(options, { ...handlers, events });
    };
    const runtime = await ClusterRuntime.start({ log, cluster: 'local', clock: clockOf(), writer: 'w', seed: 's' });
    await runtime.begin();
    await runtime.stop();
    expect(runtime.state.lastEventId).toBe((await eventsOf(log)).at(-1)?.id);
    expect((await eventsOf(log)).at(-1)?.type).toBe('ProcessStopped');
    await runtime.close();
  });

  it('cover the last event when the process stops', async () => {
    const log = createMemoryLog();
    const instance = await started(log, clockOf());
    await instance.writes(7);
    await instance.sealer.stop(1_000);
    expect((await sealsOf(log)).map(({ data }) => data.events)).toEqual([9]);
    await instance.sealer.stop(1_000);
    expect(await sealsOf(log)).toHaveLength(1);
  });
});
