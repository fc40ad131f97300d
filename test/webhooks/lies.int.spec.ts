import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findingText, verify } from '#libs/audit';
import { foldLog } from '#libs/cluster-state';
import { createMemoryLog, type EventLog } from '#libs/event-log';
import { controllerFactory } from '../../apps/cli/src/up/controllers';
import { ApiUnderTest } from '../api-under-test.fixture';
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
  let log: EventLog;
  let api: ApiUnderTest;
  let liar: Liar;
  const seen = new Map<Case, Seen>();

  beforeAll(async () => {
    log = createMemoryLog();
    api = await ApiUnderTest.start(log);
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

  it('leave a log that is proven and gives the same state without them', async () => {
    const { findings, unproven } = await verify({ log, cluster: 'local', controllers: await controllerFactory() });
    expect(findings.map(findingText)).toEqual([]);
    expect(unproven).toEqual([]);
    const { state } = api.control.runtime;
    const replayed = await foldLog(log, 'local', { until: state.position });
    expect(JSON.stringify([...replayed.list('configmaps')])).toBe(JSON.stringify([...state.list('configmaps')]));
  }, 120_000);
});
