import { expect, it } from 'vitest';
import type { RecordedEvent } from '#libs/event-log';
import { derivedId } from '#libs/kernel';
import { Findings } from './finding';
import { Reviews } from './reviews';

const hourMs = 3_600_000;

function foundIn(...events: { type: string; id: string; time: number; data?: object }[]): string[] {
  const findings = new Findings();
  const reviews = new Reviews(findings);
  for (const { time, data = {}, ...event } of events) reviews.append([{ ...event, data, metadata: { time } } as unknown as RecordedEvent]);
  return findings.listed.map(({ id, text }) => `${id}: ${text}`);
}

const asked = (id: string, time = 0) => ({ type: 'PodAdmissionRequested', id, time });
const answered = (id: string, review: string, time = 0) => ({ type: 'PodAdmitted', id, time, data: { review } });

it('an answer has a question, and is the only one to it', () => {
  expect(foundIn(asked('q'), answered('a', 'q'))).toEqual([]);
  expect(foundIn(asked('q'), answered('a', 'other'))).toEqual(['a: nobody has asked for it']);
  expect(foundIn(asked('q'), answered('a', 'q'), answered('b', 'q'))).toEqual(['b: PodAdmitted has answered q before']);
});

it('a reviewer that was away for long answers what was asked meanwhile, each question once', () => {
  const late = [asked('q'), asked('r', hourMs), answered('a', 'q', hourMs)];
  expect(foundIn(...late)).toEqual([]);
  expect(foundIn(...late, answered('b', 'q', hourMs))).toEqual(['b: nobody has asked for it']);
});

it('a write has the reviews that its own writer asked for it, also by a later preparation', () => {
  const reviews = new Reviews(new Findings());
  const ask = (writer: string, label: string): string => {
    const id = derivedId(`${writer}/create web/${label}/0`);
    reviews.append([{ ...asked(id), data: {}, metadata: { time: 0, writer } } as unknown as RecordedEvent]);
    return id;
  };
  const own = ['review.0', 'review.0.1', 'review.3'].map((label) => ask('w', label));
  ask('other', 'review.0');
  expect(reviews.of('w', 'create web').map(({ question }) => question.id)).toEqual(own);
  expect(reviews.of('w', 'create db')).toEqual([]);
  expect(reviews.of('nobody', 'create web')).toEqual([]);
});
