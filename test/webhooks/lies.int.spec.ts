import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiUnderTest } from '../api-under-test.fixture';
import { expectReplayed } from '../proven.fixture';
import recorded from './lies.json';
import { cases, configure, Liar, play, type Case, type Seen } from './play-lies';

/** How many cases are played at once: those that wait do so together. */
const atOnce = 16;

/** Lies of which the real server tells something else, and why ours does not. */
const knownDifferences: Readonly<Record<string, string>> = {
  'refused by another status': 'a Status of ours is of failure or of success',
  'a patch as list': "Go's decoder looks at the elements before it finds that they are no bytes",
  'a deletion': 'what is created is not being deleted',
  'broken owners of fields': 'who owns fields is not for webhooks to say, so nothing warns of it',
  'a kind of its own': 'what Go says first of the fields of another kind',
  'too much data': 'an answer has to fit into the log',
};

describe('webhooks that lie', () => {
  let api: ApiUnderTest;
  let liar: Liar;
  const seen = new Map<Case, Seen>();

  beforeAll(async () => {
    api = await ApiUnderTest.start();
    liar = await Liar.start();
    const send = (request: Parameters<typeof api.send>[0]) => api.send(request);
    await configure(send, liar);
    for (let at = 0; at < cases.length; at += atOnce)
      await Promise.all(cases.slice(at, at + atOnce).map(async (each) => seen.set(each, await play(send, liar, each))));
    liar.close();
  }, 120_000);
  afterAll(() => api.close());

  it.each([...new Set(cases.map(({ lie }) => lie))].filter((lie) => !(lie in knownDifferences)))(
    '(%s) are told of as the real server tells of them',
    (lie) => {
      const own = cases.filter((each) => each.lie === lie);
      const ours = Object.fromEntries(own.map((each) => [`${each.type} ${each.policy}`, seen.get(each)]));
      expect(ours).toEqual((recorded as Record<string, unknown>)[lie]);
    },
  );

  it('leave a log that is proven and gives the same state without them', () => expectReplayed(api, 'configmaps'), 120_000);
});
