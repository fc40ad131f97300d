import { describe, expect, it } from 'vitest';
import { AppendTooLargeError, createMemoryLog, type EventLog, type RecordedEvent } from '#libs/event-log';
import { fact } from '#libs/events';
import type { JsonObject } from '#libs/kernel';
import { CallShell, type Reply } from './call-shell';
import { VirtualClock } from './clock';
import { ClusterRuntime } from './runtime';

const origin = (operation: string) => ({ actor: 'asker', operation, correlationId: 'c' });

/** A runtime, a shell over it, and what the outside was asked. */
async function asking(send: (request: string) => Promise<Reply>, log: EventLog = createMemoryLog()) {
  const runtime = await ClusterRuntime.start({ log, cluster: 'local', clock: new VirtualClock(0), seed: 's', writer: 'one' });
  const asked: string[] = [];
  const shell = new CallShell<string>(runtime, {
    asker: 'asker',
    stream: 'scheduler-decisions',
    asked: 'ExtenderAsked',
    send: (request) => {
      asked.push(request);
      return send(request);
    },
    answered: ({ data }, _request, reply) => {
      const { ask, question, namespace, pod, uid } = data as Record<string, string>;
      return fact('ExtenderAnswered', { ask, question, namespace, pod, uid, answer: reply } as never);
    },
  });
  shell.start();
  const answers: JsonObject[] = [];
  const answer = new Promise<JsonObject>((resolve) => {
    runtime.folded$.subscribe((appends) => {
      for (const { type, data } of appends.flatMap(({ events }) => events as RecordedEvent[])) {
        if (type !== 'ExtenderAnswered') continue;
        answers.push(data);
        resolve(data);
      }
    });
  });
  const record = (ask: string) => {
    const about = { namespace: 'n', pod: 'p', uid: 'u', extender: 0, verb: 'filter', url: 'http://x', question: `digest of ${ask}` };
    return runtime.appendDecision('scheduler-decisions', [fact('ExtenderAsked', { ask, attempt: ask, ...about })], origin(ask), '0');
  };
  return { runtime, shell, asked, answer, answers, record };
}

describe('calls to the outside', () => {
  it('are sent once their question is recorded, and the answer names question and digest', async () => {
    const { runtime, asked, answer, record } = await asking((request) => Promise.resolve({ body: `${request}!` }));
    runtime.calls$.next({ ask: 'asker/1/0', request: 'who' });
    expect(asked).toEqual([]);
    await record('asker/1/0');
    expect(await answer).toMatchObject({ ask: 'asker/1/0', question: 'digest of asker/1/0', answer: { body: 'who!' } });
    expect(asked).toEqual(['who']);
  });

  it('are those of their asker alone, and of this process alone', async () => {
    const { runtime, asked, record } = await asking(() => Promise.resolve({ body: 1 }));
    runtime.calls$.next({ ask: 'another/1/0', request: 'not mine' });
    await record('another/1/0');
    await record('asker/0/7');
    expect(asked).toEqual([]);
  });

  it('whose answer is too large for the log are answered by that', async () => {
    const inner = createMemoryLog();
    const log = Object.create(inner, {
      append: {
        value: (stream: string, events: { data: JsonObject }[], ...rest: unknown[]) =>
          JSON.stringify(events).includes('long long')
            ? Promise.reject(new AppendTooLargeError(9, 8))
            : (inner.append as (...all: unknown[]) => unknown).call(inner, stream, events, ...rest),
      },
    }) as EventLog;
    const { runtime, answer, record } = await asking(() => Promise.resolve({ body: 'long long' }), log);
    runtime.calls$.next({ ask: 'asker/1/0', request: 'who' });
    await record('asker/1/0');
    expect(await answer).toMatchObject({ answer: { error: expect.stringContaining('too large to be recorded') as string } });
  });

  it('are no longer sent after a stop', async () => {
    const { runtime, shell, asked, record } = await asking(() => Promise.resolve({ body: 1 }));
    runtime.calls$.next({ ask: 'asker/1/0', request: 'who' });
    shell.stop();
    await record('asker/1/0');
    expect(asked).toEqual([]);
  });
});
