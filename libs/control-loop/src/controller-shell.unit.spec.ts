import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import { createMemoryLog, type EventLog, type RecordedEvent, type SubscriptionHandlers } from '#libs/event-log';
import { fact, objectStream } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { VirtualClock } from './clock';
import type { Controller } from './controller';
import { ControllerShell } from './controller-shell';
import { ClusterRuntime } from './runtime';
import { Writer } from './writer';

const start = Date.parse('2026-01-01T00:00:00Z');

/** What a controller sees of the cluster at each append. */
interface Sight {
  seen: [own: number, cluster: number, pods: number][];
}

function witness(sight: Sight): Controller<Sight> {
  const look = (position: number, cluster: ClusterState): void =>
    void sight.seen.push([position, cluster.position, [...cluster.list('pods')].length]);
  return {
    name: 'witness',
    behaviour: '1',
    stream: 'controller-decisions',
    config: {},
    initial: (cluster) => (look(0, cluster), sight),
    apply: (_state, append: FoldedAppend, cluster) => look(append.position, cluster),
    next: () => undefined,
    decide: () => undefined,
    decided: () => undefined,
    settled: () => undefined,
    nextWake: () => undefined,
  };
}

/** Delivers what the log has in batches of the given sizes, as a slow subscriber gets it. */
class Batched {
  private handlers: SubscriptionHandlers | undefined;
  private delivered = 0;
  readonly log: EventLog;

  constructor(private readonly inner: EventLog) {
    this.log = {
      append: (...args) => inner.append(...args),
      readStream: (...args) => inner.readStream(...args),
      readAll: (...args) => inner.readAll(...args),
      head: (...args) => inner.head(...args),
      check: (...args) => inner.check(...args),
      onAvailability: (...args) => inner.onAvailability(...args),
      close: () => inner.close(),
      subscribe: (_options, handlers) => {
        this.handlers = handlers;
        handlers.caughtUp();
        return { close: () => Promise.resolve() };
      },
    };
  }

  async deliver(size: number): Promise<void> {
    const all: RecordedEvent[] = [];
    for await (const page of this.inner.readAll()) all.push(...page);
    const batch = all.slice(this.delivered, this.delivered + size);
    this.delivered += batch.length;
    if (batch.length > 0) await this.handlers?.events(batch);
  }
}

async function seenIn(sizes: readonly number[]): Promise<Sight['seen']> {
  const inner = createMemoryLog();
  const batched = new Batched(inner);
  const clock = new VirtualClock(start);
  const elsewhere = await ClusterRuntime.start({ log: inner, cluster: 'local', clock, writer: 'elsewhere', seed: 's' });
  const here = await ClusterRuntime.start({ log: batched.log, cluster: 'local', clock, writer: 'here', seed: 's' });
  const sight: Sight = { seen: [] };
  const origin = (operation: string) => ({ actor: 'test', operation, correlationId: 'c' });
  const create = (name: string) => {
    const object = { metadata: { name, namespace: 'default', uid: name }, spec: {}, status: {} } as unknown as KubeObject;
    const stream = objectStream('local', 'pods', 'default', name);
    return elsewhere.append(stream, [[fact('Created', { object })]], 'no_stream', { origin: origin(name), label: '0', follows: undefined });
  };
  await create('before');
  await here.begin();
  const starting = new ControllerShell(here, new Writer(here), witness(sight) as unknown as Controller).start();
  for (let i = 0; i < 8; i++) await create(`p${i}`);
  await new Writer(elsewhere).write({ verb: 'delete', target: { resource: 'pods', namespace: 'default', name: 'p0' } }, origin('delete'));
  for (const size of [...sizes, 100]) await batched.deliver(size);
  await starting;
  await Promise.all([here.close(), elsewhere.close()]);
  return sight.seen;
}

describe('a controller on the log', () => {
  it('sees the same at each append, and at its start, however the log comes in', async () => {
    const whole = await seenIn([]);
    expect(whole[0]).toEqual([0, expect.any(Number), 1]);
    expect(whole.slice(1, 9).map(([own, cluster, pods]) => [own === cluster, pods])).toEqual(
      [2, 3, 4, 5, 6, 7, 8, 9].map((pods) => [true, pods]),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 12 }), async (sizes) => {
        expect(await seenIn(sizes)).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });
});
