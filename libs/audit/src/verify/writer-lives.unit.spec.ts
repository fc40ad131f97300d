import { expect, it } from 'vitest';
import type { RecordedEvent } from '#libs/event-log';
import { Findings } from './finding';
import { WriterLives } from './writer-lives';

/** What one writer after the other says; numbers only where one is given. */
function livesOf(appends: readonly { writer: string; type: string; w?: number; actor?: string; data?: object }[]): Findings {
  const findings = new Findings();
  const lives = new WriterLives('local', findings);
  appends.forEach(({ writer, type, w, actor = 'kubereel', data = {} }, index) => {
    const metadata = { writer, actor, w };
    const event = {
      type,
      stream: 'local.cluster-lifecycle',
      revision: index,
      position: 16 * (index + 1),
      id: String(index),
      data,
      metadata,
    };
    lives.append([event as unknown as RecordedEvent]);
  });
  lives.end();
  return findings;
}

it('the part that is not provable goes to the last append without a number, also behind the first with one', () => {
  const findings = livesOf([
    { writer: 'old', type: 'ClusterCreated' },
    { writer: 'new', type: 'ProcessStarted', w: 1 },
    { writer: 'old', type: 'Updated' },
  ]);
  expect(findings.listed).toEqual([]);
  expect(findings.notProven()).toMatchObject([{ accept: 'older-part=48', from: 16, to: 48, count: 2 }]);
});

it('whoever wrote to the parent of a fork writes nothing to the fork', () => {
  const parent = [
    { writer: 'a', type: 'ClusterCreated', w: 1 },
    { writer: 'a', type: 'Updated', w: 2 },
  ];
  const forked = { writer: 'fork', type: 'LogForked', data: { parent: '0', position: 32 } };
  const found = (appends: Parameters<typeof livesOf>[0]): string[] =>
    livesOf(appends)
      .listed.map(({ text }) => text)
      .filter((text) => !text.startsWith('no start'));
  expect(found([...parent, forked, { writer: 'b', type: 'ProcessStarted', w: 1 }])).toEqual([]);
  expect(found([...parent, forked, { writer: 'a', type: 'Updated', w: 3 }])).toEqual(['a wrote before the log was forked']);
  expect(found([...parent, { ...forked, data: { parent: 'x', position: 16 } }])).toEqual([
    'it says that the log was forked at 16, and 32 is before it',
    'it says that another log was forked',
  ]);
});

it('a log in which processes have started and the cluster has not begun is one that is being written; one with more has lost its beginning', () => {
  const started = [
    { writer: 'a', type: 'ProcessStarted', w: 1 },
    { writer: 'b', type: 'ProcessStarted', w: 1 },
  ];
  expect(livesOf(started).listed).toEqual([]);
  const served = { writer: 'a', type: 'Created', w: 2, actor: 'user:admin' };
  expect(livesOf([...started, served]).listed).toMatchObject([{ check: 'P', position: 16 }]);
  expect(livesOf([{ writer: 'a', type: 'ClusterCreated', w: 1, actor: 'apiserver' }, served]).listed).toMatchObject([
    { text: 'no start of a is before it' },
  ]);
});
