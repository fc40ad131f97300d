import { describe, expect, it } from 'vitest';
import { createMemoryLog, type EventLog } from '#libs/event-log';
import { fact, objectStream } from '#libs/events';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { VirtualClock } from './clock';
import type { Origin } from './origin';
import { ClusterRuntime } from './runtime';
import { reviewTimeoutMs, Writer } from './writer';

const stream = objectStream('local', 'pods', 'default', 'web');
const target = { resource: 'pods', namespace: 'default', name: 'web' };
const pod = {
  metadata: { name: 'web', namespace: 'default', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z', generation: 1 },
  spec: { terminationGracePeriodSeconds: 30, containers: [{ name: 'c', image: 'i' }] },
  status: { phase: 'Pending' },
} as unknown as KubeObject;

const held = fact('Updated', { patch: [{ op: 'add', path: '/metadata/finalizers', value: ['example.com/hold'] }] });

let operations = 0;
const origin = (): Origin => ({ actor: 'test', operation: `op-${operations++}`, correlationId: 'c' });

/** A log in which something happens just before the next append to the pod's stream. */
class Intruded {
  readonly log: EventLog;
  intrude: (() => Promise<unknown>) | undefined;
  readonly appended: string[][] = [];

  constructor(inner: EventLog) {
    this.log = {
      ...bound(inner),
      append: async (name, events, expected) => {
        const intrusion = name === stream ? this.intrude : undefined;
        if (intrusion) this.intrude = undefined;
        await intrusion?.();
        const result = await inner.append(name, events, expected);
        if (name === stream) this.appended.push(events.map(({ type }) => type));
        return result;
      },
    };
  }
}

function bound(log: EventLog): EventLog {
  return {
    append: log.append.bind(log),
    readStream: log.readStream.bind(log),
    readAll: log.readAll.bind(log),
    subscribe: log.subscribe.bind(log),
    head: log.head.bind(log),
    check: log.check.bind(log),
    onAvailability: log.onAvailability.bind(log),
    close: log.close.bind(log),
  };
}

/** A pod, and two processes that write to it: `writer`, and `other`, which is first once. */
async function raced(
  intrusion: (other: Writer) => Promise<unknown>,
): Promise<{ runtime: ClusterRuntime; writer: Writer; appended: string[][] }> {
  const inner = createMemoryLog();
  const clock = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'));
  const options = { cluster: 'local', clock, seed: 's' };
  const intruded = new Intruded(inner);
  const [runtime, elsewhere] = await Promise.all([
    ClusterRuntime.start({ ...options, log: intruded.log, writer: 'one' }),
    ClusterRuntime.start({ ...options, log: inner, writer: 'other' }),
  ]);
  const position = await runtime.append(stream, [[fact('Created', { object: pod })]], 'no_stream', {
    origin: origin(),
    label: '0',
    follows: undefined,
  });
  await elsewhere.whenFolded(position);
  intruded.appended.length = 0;
  intruded.intrude = () => intrusion(new Writer(elsewhere));
  return { runtime, writer: new Writer(runtime), appended: intruded.appended };
}

describe('a write that somebody else is ahead of', () => {
  it('deletes with the grace of the pod as it is by then: bound meanwhile, it is not gone at once', async () => {
    const { runtime, writer, appended } = await raced((other) => other.write({ verb: 'bind', target, node: 'n1' }, origin()));
    const result = await writer.write({ verb: 'delete', target }, origin());
    expect(result).toMatchObject({ kind: 'written', gone: false });
    expect(runtime.state.get('pods', 'default', 'web')?.metadata).toMatchObject({ deletionGracePeriodSeconds: 30 });
    expect(appended).toEqual([['DeletionRequested']]);
  });

  it('leaves a pod that got a finalizer meanwhile', async () => {
    const { runtime, writer, appended } = await raced((other) =>
      other.write({ verb: 'record', target, uid: 'u', facts: [held] }, origin()),
    );
    const result = await writer.write({ verb: 'delete', target, options: { gracePeriodSeconds: 0 } }, origin());
    expect(result).toMatchObject({ kind: 'written', gone: false });
    expect(runtime.state.get('pods', 'default', 'web')?.metadata.finalizers).toEqual(['example.com/hold']);
    expect(appended).toEqual([['DeletionRequested']]);
  });
});

describe('a creation that nobody reviews', () => {
  it('is refused, and names the log where that is the reason', async () => {
    const log = createMemoryLog();
    const clock = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'));
    const runtime = await ClusterRuntime.start({ log, cluster: 'local', clock, seed: 's', writer: 'one' });
    const writer = new Writer(runtime);
    const object = { metadata: { name: 'high' }, value: 7 } as unknown as KubeObject;
    const create = async (): Promise<unknown> => {
      const writing = writer.write({ verb: 'create', resource: 'priorityclasses.scheduling.k8s.io', object }, origin());
      await new Promise((resolve) => setImmediate(resolve));
      clock.advanceTo(clock.now() + reviewTimeoutMs);
      return writing;
    };
    expect(await create()).toMatchObject({
      status: { code: 500, message: expect.stringContaining('priority-admission gave no answer within 5s') },
    });
    runtime.trouble = 'the event store cannot be reached';
    expect(await create()).toMatchObject({
      status: {
        code: 504,
        message: expect.stringContaining('priority-admission gave no answer within 5s: the event store cannot be reached'),
      },
    });
  });
});

/** Answers every question about a PriorityClass, and keeps what was asked. `meanwhile`: happens before the first answer. */
function reviewer(runtime: ClusterRuntime, meanwhile: () => Promise<unknown>, answeredQuestion?: string): JsonObject[] {
  const asked: JsonObject[] = [];
  const answer = async (id: string, data: JsonObject): Promise<void> => {
    asked.push(data);
    if (asked.length === 1) await meanwhile();
    const admitted = fact('PriorityClassAdmitted', { review: id, question: answeredQuestion ?? (data.question as string) });
    await runtime.appendDecision('admission-reviews', [admitted], origin(), 'answer');
  };
  runtime.folded$.subscribe((appends) => {
    for (const { id, type, data } of appends.flatMap(({ events }) => events)) {
      if (type === 'PriorityClassAdmissionRequested') void answer(id, data);
    }
  });
  return asked;
}

describe('a write that is reviewed', () => {
  const resource = 'priorityclasses.scheduling.k8s.io';
  const classStream = objectStream('local', resource, undefined, 'high');
  const describing = { verb: 'patch', target: { resource, name: 'high' }, patchType: 'merge', patch: { description: 'd' } } as const;

  async function withClass(): Promise<ClusterRuntime> {
    const clock = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'));
    const runtime = await ClusterRuntime.start({ log: createMemoryLog(), cluster: 'local', clock, seed: 's', writer: 'one' });
    const metadata = { name: 'high', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z', generation: 1 };
    const object = { metadata, value: 7, preemptionPolicy: 'PreemptLowerPriority' } as unknown as KubeObject;
    await runtime.append(classStream, [[fact('Created', { object })]], 'no_stream', { origin: origin(), label: '0', follows: undefined });
    return runtime;
  }

  it('is reviewed again where another question would be asked by now: an answer is one to its question', async () => {
    const runtime = await withClass();
    const asked = reviewer(runtime, () => {
      const head = runtime.state.head(classStream);
      const changed = fact('Updated', { changes: [{ p: ['globalDefault'], v: true }] });
      return runtime.append(classStream, [[changed]], head?.revision as number, { origin: origin(), label: '0', follows: head?.digest });
    });
    const result = await new Writer(runtime).write(describing, origin());
    expect(result).toMatchObject({ kind: 'written', object: { globalDefault: true, description: 'd' } });
    expect(asked.map(({ globalDefault }) => globalDefault)).toEqual([false, true]);
    expect(asked[0]?.question).not.toBe(asked[1]?.question);
  });

  it('is reviewed once where the question is the same', async () => {
    const runtime = await withClass();
    const asked = reviewer(runtime, () => Promise.resolve());
    expect(await new Writer(runtime).write(describing, origin())).toMatchObject({ kind: 'written' });
    expect(asked).toHaveLength(1);
  });

  it('is refused when the answer is one to another question', async () => {
    const runtime = await withClass();
    reviewer(runtime, () => Promise.resolve(), 'another');
    expect(await new Writer(runtime).write(describing, origin())).toMatchObject({
      status: { code: 500, message: expect.stringContaining('priority-admission has answered another question') },
    });
  });
});

describe('a deletion that takes effect at once', () => {
  it('is one append of two frames, each with its own version', async () => {
    const { runtime, writer, appended } = await raced(() => Promise.resolve());
    const frames: [string, string | undefined][] = [];
    runtime.folded$.subscribe((folded) =>
      frames.push(
        ...folded.map(({ change }): [string, string | undefined] => [change?.type ?? '', change?.object.metadata.resourceVersion]),
      ),
    );
    const result = await writer.write({ verb: 'delete', target }, origin());
    expect(appended).toEqual([['DeletionRequested', 'Deleted']]);
    expect(frames.map(([type]) => type)).toEqual(['MODIFIED', 'DELETED']);
    expect(Number(frames[1]?.[1])).toBeGreaterThan(Number(frames[0]?.[1]));
    expect(result).toMatchObject({ kind: 'written', gone: true, position: Number(frames[1]?.[1]) });
  });
});
