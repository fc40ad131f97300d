import { jsonDigest } from '#libs/events';
import type { RecordedEvent } from '#libs/event-log';
import { appendAround, changed, changedData, indexOf, objectIn, withAppend, withoutAppend, type Edit, type Which } from '../edits';
import type { Mutant } from '../mutant';

const log = 'webhooks';

const answerOf =
  (webhook: string, fits: (outcome: any) => boolean = ({ allowed }) => allowed === true): Which =>
  ({ type, data }) =>
    type === 'WebhookAnswered' && data.webhook === webhook && fits(data.outcome);
const questionTo =
  (webhook: string): Which =>
  ({ type, data }) =>
    type === 'WebhookAsked' && data.webhook === webhook;
const isHooked: Which = ({ type, data }) => type === 'Created' && objectIn(data).metadata.labels?.hooked === 'yes';

/** The append of an event comes behind that of another one. */
function movedBehind(which: Which, other: Which): Edit {
  return (events) => {
    const { from, to } = appendAround(events, indexOf(events, which));
    const behind = appendAround(events, indexOf(events, other)).to;
    const moved = events.slice(from, to + 1);
    const order = [...events.slice(0, from), ...events.slice(to + 1, behind + 1), ...moved, ...events.slice(behind + 1)];
    return order.map((event, index) => ({ ...event, position: (events[index] as RecordedEvent).position }));
  };
}

/** A question asks something else, and its digest, and that in its answer, are made good. */
function askedOtherwise(which: Which, change: (data: any) => void): Edit {
  return (events) => {
    const index = indexOf(events, which);
    const { id } = events[index] as RecordedEvent;
    let digest = '';
    const asked = changedData(
      (event) => event.id === id,
      (data) => {
        change(data);
        const { question: _question, ...what } = data;
        data.question = digest = jsonDigest(what);
      },
    )(events);
    return changedData(
      ({ type, data }) => type === 'WebhookAnswered' && data.review === id,
      (data) => (data.question = digest),
    )(asked);
  };
}

/** What a webhook was asked or has answered is not what was written. */
export const webhookMutants: readonly Mutant[] = [
  {
    number: 104,
    name: 'a webhook that refused what was written',
    log,
    edit: changedData(answerOf('judge.example.org'), (data) => (data.outcome = { allowed: false })),
    rechain: true,
    expected: ['W'],
  },
  {
    number: 105,
    name: 'another patch of a webhook',
    log,
    edit: changedData(answerOf('labels.example.org'), (data) => (data.outcome.patch = data.outcome.patch.replace('yes', 'no'))),
    rechain: true,
    expected: ['V'],
  },
  {
    number: 106,
    name: 'the answer of a webhook taken away',
    log,
    edit: withoutAppend(answerOf('labels.example.org')),
    rechain: true,
    expected: ['V', 'N'],
  },
  {
    number: 107,
    name: 'a webhook that answered after the write',
    log,
    edit: movedBehind(answerOf('judge.example.org'), isHooked),
    rechain: true,
    expected: ['W'],
  },
  {
    number: 108,
    name: 'the answer of a webhook to another question',
    log,
    edit: (events) => {
      const last = events[indexOf(events, questionTo('judge.example.org'), 'last')] as RecordedEvent;
      return changedData(answerOf('judge.example.org'), (data) => (data.review = last.id))(events);
    },
    rechain: true,
    expected: ['V'],
  },
  {
    number: 109,
    name: 'a webhook asked about another object',
    log,
    edit: askedOtherwise(questionTo('labels.example.org'), (data) => (data.object.data.say = 'something else')),
    rechain: true,
    expected: ['V'],
  },
  {
    number: 110,
    name: 'a webhook told of another user',
    log,
    edit: askedOtherwise(questionTo('judge.example.org'), (data) => (data.userInfo.username = 'somebody')),
    rechain: true,
    expected: ['V'],
  },
  {
    number: 111,
    name: 'the question to a webhook taken away',
    log,
    edit: withoutAppend(questionTo('labels.example.org')),
    rechain: true,
    expected: ['V'],
  },
  {
    number: 112,
    name: 'a webhook that answered twice',
    log,
    edit: withAppend(answerOf('judge.example.org'), ([copy]) => copy && (copy.id = `${copy.id.slice(0, -1)}0`)),
    rechain: true,
    expected: ['V'],
  },
  {
    number: 113,
    name: 'an object without what a webhook has made of it',
    log,
    edit: changed(isHooked, ({ data }) => {
      delete objectIn(data).metadata.labels;
      return { data };
    }),
    rechain: true,
    expected: ['W'],
  },
  {
    number: 114,
    name: 'a webhook that was not reached and is said to have allowed',
    log,
    edit: changedData(
      answerOf('labels.example.org', ({ error }) => error !== undefined),
      (data) => (data.outcome = { allowed: true }),
    ),
    rechain: true,
    expected: ['S'],
    keptSeal: {},
    unseen: 'nothing was written then, and nothing says that it would have been now',
  },
];
