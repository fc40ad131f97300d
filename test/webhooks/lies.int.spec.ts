import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiUnderTest } from '../api-under-test.fixture';
import { expectReplayed } from '../proven.fixture';
import { configure, Liar, linesOf, play, playAll, recordedLies, type SeenOfLies } from './play-lies';

/** How many cases are played at once: those that wait do so together. */
const atOnce = 16;

const recorded = recordedLies();

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
  let seen: SeenOfLies;

  beforeAll(async () => {
    api = await ApiUnderTest.start();
    liar = await Liar.start();
    const send = (request: Parameters<typeof api.send>[0]) => api.send(request);
    await configure(send, liar);
    seen = await playAll((each) => play(send, liar, each), atOnce);
    liar.close();
  }, 120_000);
  afterAll(() => api.close());

  it('are recorded all of them, a line each', () => {
    expect([...recorded.keys()]).toEqual([...seen.keys()]);
    expect(readFileSync(join(__dirname, 'lies.jsonl'), 'utf8')).toBe(linesOf(recorded));
  });

  it.each([...recorded.keys()].filter((lie) => !(lie in knownDifferences)))('(%s) are told of as the real server tells of them', (lie) =>
    expect(seen.get(lie)).toEqual(recorded.get(lie)),
  );

  it('leave a log that is proven and gives the same state without them', () => expectReplayed(api, 'configmaps'), 120_000);
});
