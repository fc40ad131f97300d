import { expect, it } from 'vitest';
import type { EventLog } from '../port';
import { event, events, type Fixture } from './contract-target';
import { Recorder } from './recorder';

/** A few turns of the event loop and round trips to the store, in which a wrong delivery would arrive. */
async function settle(log: EventLog, prefix: string): Promise<void> {
  const marker = new Recorder().on(log, { after: 'end', filter: { streamPrefixes: [`${prefix}marker`] } });
  await marker.whenCaughtUp();
  await log.append(`${prefix}marker`, [event()], 'any');
  await marker.count(1);
  await marker.close();
}

export function describeSubscriptions(fixture: () => Fixture): void {
  const open: Recorder[] = [];
  const follow = (after: number | 'start' | 'end', ...suffixes: string[]): Recorder => {
    const { log, prefix } = fixture();
    const streamPrefixes = (suffixes.length > 0 ? suffixes : ['']).map((suffix) => prefix + suffix);
    const recorder = new Recorder().on(log, { after, filter: { streamPrefixes } });
    open.push(recorder);
    return recorder;
  };
  const done = async (): Promise<void> => {
    for (const recorder of open.splice(0)) {
      expect(recorder.failure).toBeUndefined();
      expect(recorder.overlaps).toBe(0);
      await recorder.close();
    }
  };

  it('from start: history, caught up, then what comes', async () => {
    const { log, prefix } = fixture();
    const history = events(700);
    await log.append(`${prefix}s`, history, 'any');
    const recorder = follow('start');
    await recorder.whenCaughtUp();
    expect(recorder.caughtUpAt[0]).toBe(700);
    const live = events(3);
    await log.append(`${prefix}s`, live, 'any');
    await recorder.count(703);
    expect(recorder.ids).toEqual([...history, ...live].map(({ id }) => id));
    expect(recorder.received.map(({ revision }) => revision)).toEqual(recorder.received.map((_, i) => i));
    await done();
  });

  it('leaves out what is excepted from its prefixes, in history and live', async () => {
    const { log, prefix } = fixture();
    const wanted = events(4);
    const write = async (one: number): Promise<void> => {
      await log.append(`${prefix}pods-a/b.c`, [event('Unwanted')], 'any');
      await log.append(`${prefix}podsx-a`, [wanted[one]!], 'any');
      await log.append(`${prefix}other/writer`, [event('Unwanted')], 'any');
    };
    await write(0);
    await write(1);
    const exceptPrefixes = [`${prefix}pods-`, `${prefix}other/`, `${prefix}marker`];
    const recorder = new Recorder().on(log, { after: 'start', filter: { streamPrefixes: [prefix], exceptPrefixes } });
    open.push(recorder);
    await recorder.whenCaughtUp();
    await write(2);
    await write(3);
    await recorder.count(4);
    expect(recorder.ids).toEqual(wanted.map(({ id }) => id));
    await settle(log, prefix);
    expect(recorder.ids).toHaveLength(4);
    expect(await log.head({ streamPrefixes: [prefix], exceptPrefixes })).toBe(recorder.received[3]?.position);
    await done();
  });

  it('after a position, which is excluded', async () => {
    const { log, prefix } = fixture();
    const sent = events(5);
    const positions: number[] = [];
    for (const one of sent) positions.push((await log.append(`${prefix}s`, [one], 'any')).position!);
    const recorder = follow(positions[2]!);
    const between = follow(positions[2]! + 1);
    const derived = follow(positions[3]! - 8);
    const beyond = follow(positions[4]!);
    await Promise.all([recorder, between, derived, beyond].map((each) => each.whenCaughtUp()));
    expect(recorder.ids).toEqual(sent.slice(3).map(({ id }) => id));
    expect(between.ids).toEqual(sent.slice(3).map(({ id }) => id));
    expect(derived.ids).toEqual(sent.slice(3).map(({ id }) => id));
    expect(beyond.ids).toEqual([]);
    await done();
  });

  it('from end: only what comes', async () => {
    const { log, prefix } = fixture();
    await log.append(`${prefix}s`, events(5), 'any');
    const recorder = follow('end');
    await recorder.whenCaughtUp();
    expect(recorder.received).toEqual([]);
    const live = event();
    await log.append(`${prefix}s`, [live], 'any');
    await recorder.count(1);
    expect(recorder.ids).toEqual([live.id]);
    await done();
  });

  it('an empty log is caught up with at once', async () => {
    const recorder = follow('start');
    await recorder.whenCaughtUp();
    expect(recorder.caughtUpAt[0]).toBe(0);
    await done();
  });

  it('delivers what the filter accepts, and no system events', async () => {
    const { log, prefix, target } = fixture();
    await log.append(`${prefix}b`, [event('Counted', { i: 0 })], 'any');
    const recorder = follow('start', 'a', 'b');
    const none = new Recorder().on(log, { after: 'start', filter: { streamPrefixes: [] } });
    open.push(none);
    await recorder.whenCaughtUp();
    if (!target.shared) await log.append(`$${prefix}system`, [event()], 'any');
    for (const [i, suffix] of ['a', 'c', 'b', 'c', 'a'].entries())
      await log.append(prefix + suffix, [event('Counted', { i: i + 1 })], 'any');
    if (!target.shared) await log.append(`${prefix}a`, [event('$system')], 'any');
    await log.append(`${prefix}b`, [event('Counted', { i: 6 })], 'any');
    await recorder.count(5);
    expect(recorder.received.map(({ data }) => data['i'])).toEqual([0, 1, 3, 5, 6]);
    await none.whenCaughtUp();
    expect(none.received).toEqual([]);
    await done();
  });

  it('without a filter delivers every event', async () => {
    const { log, prefix } = fixture();
    const recorder = new Recorder().on(log, { after: 'end' });
    open.push(recorder);
    await recorder.whenCaughtUp();
    const sent = events(4);
    for (const [i, one] of sent.entries()) await log.append(`${prefix}${i}`, [one], 'any');
    const mine = (): string[] => recorder.ids.filter((id) => sent.some((one) => one.id === id));
    await recorder.until(() => mine().length === 4);
    expect(mine()).toEqual(sent.map(({ id }) => id));
    await done();
  });

  it('neither misses nor doubles what is written while it catches up', async () => {
    const { log, prefix } = fixture();
    for (let i = 0; i < 4; i++) await log.append(`${prefix}s`, events(500), 'any');
    const recorders = [follow('start'), follow('start')];
    const writing = (async () => {
      for (let i = 0; i < 40; i++) await log.append(`${prefix}s`, events(5), 'any');
    })();
    recorders.push(follow('start'));
    await writing;
    recorders.push(follow('start'));
    for (const recorder of recorders) {
      await recorder.count(2200);
      expect(recorder.received.map(({ revision }) => revision)).toEqual(Array.from({ length: 2200 }, (_, i) => i));
    }
    await done();
  });

  it('waits for a slow handler, in history and live', async () => {
    const { log, prefix } = fixture();
    await log.append(`${prefix}s`, events(800), 'any');
    const slow = new Recorder(async () => {
      for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
    }).on(log, { after: 'start', filter: { streamPrefixes: [prefix] } });
    open.push(slow);
    await slow.count(1);
    for (let i = 0; i < 60; i++) await log.append(`${prefix}s`, events(10), 'any');
    await slow.count(1400);
    expect(slow.received.map(({ revision }) => revision)).toEqual(Array.from({ length: 1400 }, (_, i) => i));
    for (const size of slow.batchSizes) expect(size).toBeLessThanOrEqual(500);
    await done();
  });

  it('a handler may append', async () => {
    const { log, prefix } = fixture();
    const answering = new Recorder(async (batch) => {
      for (const { data } of batch) await log.append(`${prefix}answers`, [event('Answered', data)], 'any');
    }).on(log, { after: 'start', filter: { streamPrefixes: [`${prefix}questions`] } });
    open.push(answering);
    const answers = follow('start', 'answers');
    for (let i = 0; i < 10; i++) await log.append(`${prefix}questions`, [event('Asked', { i })], 'any');
    await answers.count(10);
    expect(answers.received.map(({ data }) => data['i'])).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await done();
  });

  it('delivers nothing after it was closed, also within a handler', async () => {
    const { log, prefix } = fixture();
    const closing: Recorder = new Recorder(() => closing.close()).on(log, { after: 'start', filter: { streamPrefixes: [prefix] } });
    const closed = follow('start');
    await Promise.all([closing.whenCaughtUp(), closed.whenCaughtUp()]);
    await closed.close();
    await log.append(`${prefix}s`, [event()], 'any');
    await closing.count(1);
    await log.append(`${prefix}s`, [event()], 'any');
    await settle(log, prefix);
    expect(closing.received).toHaveLength(1);
    expect(closed.received).toEqual([]);
    await done();
  });

  it('a handler that fails ends its subscription, and only that', async () => {
    const { log, prefix } = fixture();
    const failing = new Recorder(() => {
      throw new Error('no more');
    }).on(log, { after: 'start', filter: { streamPrefixes: [prefix] } });
    const other = follow('start');
    await log.append(`${prefix}s`, [event()], 'any');
    await failing.until((self) => self.failure !== undefined);
    expect(failing.failure!.message).toBe('no more');
    await log.append(`${prefix}s`, [event()], 'any');
    await other.count(2);
    await settle(log, prefix);
    expect(failing.received).toEqual([]);
    await done();
  });

  it('serves many subscribers alike', async () => {
    const { log, prefix } = fixture();
    const recorders = Array.from({ length: 12 }, () => follow('start'));
    for (let i = 0; i < 20; i++) await log.append(`${prefix}${i % 4}`, events(3), 'any');
    for (const recorder of recorders) {
      await recorder.count(60);
      expect(recorder.ids).toEqual(recorders[0]!.ids);
    }
    await done();
  });
}
