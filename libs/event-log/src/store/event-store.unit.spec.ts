import { beforeEach, describe, expect, it } from 'vitest';
import { payloadCodec } from '../embedded/row-codec';
import type { Availability } from '../availability';
import { StreamDeletedError, WrongExpectedRevisionError } from '../errors';
import { MemoryEngine } from '../memory/memory-engine';
import { EventStore } from './event-store';
import { METADATA_TYPE, type NewEvent, type Payload } from './stored-event';

describe('the event store below the port', () => {
  let now = 0;
  let store: EventStore<Payload>;
  let ids = 0;
  const event = (type = 'T', data: Payload = '{}'): NewEvent<Payload> => ({ id: `id-${ids++}`, type, data, metadata: '' });
  const setMetadata = (stream: string, metadata: object): Promise<unknown> =>
    store.append(`$$${stream}`, [event(METADATA_TYPE, JSON.stringify(metadata))], 'any');
  const revisions = (stream: string, from: number | 'start' | 'end' = 'start', limit = 100, backwards = false): unknown => {
    const page = store.readStream(stream, from, limit, backwards ? 'backwards' : 'forwards');
    return page.status === 'ok' ? page.events.map(({ revision }) => revision) : page.status;
  };
  beforeEach(() => {
    now = 0;
    ids = 0;
    store = new EventStore(new MemoryEngine<Payload>(() => 0), { codec: payloadCodec, now: () => now, commit: 'immediate' });
  });

  it('hides what is older than $maxAge, as time goes by', async () => {
    for (now = 0; now < 5000; now += 1000) await store.append('s', [event()], 'any');
    await setMetadata('s', { $maxAge: 2 });
    now = 4500;
    expect(revisions('s')).toEqual([3, 4]);
    expect(revisions('s', 'end', 1, true)).toEqual([4]);
    now = 5500;
    expect(revisions('s')).toEqual([4]);
    now = 60_000;
    expect(revisions('s')).toEqual([]);
    expect((await store.append('s', [event()], 4)).revision).toBe(5);
    expect(revisions('s')).toEqual([5]);
  });

  it('tells when nothing can be written, and when it can again', async () => {
    const engine = new MemoryEngine<Payload>(() => 0);
    let isFull = true;
    const full = (): void => {
      if (isFull) throw new Error('database or disk is full');
    };
    const write = engine.transaction.bind(engine);
    Object.assign(engine, { transaction: (work: () => void) => (full(), write(work)), probe: full });
    const small = new EventStore(engine, { codec: payloadCodec, now: () => now, commit: 'immediate' });
    const told: Availability[] = [];
    small.monitor.onChange((availability) => told.push(availability));
    const away = { available: false, reason: 'the event log could not write: database or disk is full' };
    for (let i = 0; i < 3; i++) await expect(small.append('s', [event()], 'any')).rejects.toThrow('database or disk is full');
    expect(small.check()).toEqual(away);
    isFull = false;
    expect(small.check()).toEqual({ available: true });
    isFull = true;
    await expect(small.append('s', [event()], 'any')).rejects.toThrow('disk is full');
    isFull = false;
    await small.append('s', [event()], 'any');
    expect(told).toEqual([away, { available: true }, away, { available: true }]);
  });

  it('says where the next page begins', async () => {
    await store.append(
      's',
      Array.from({ length: 10 }, () => event()),
      'any',
    );
    expect(store.readStream('s', 'start', 4, 'forwards').next).toBe(4);
    expect(store.readStream('s', 8, 4, 'forwards').next).toBeUndefined();
    expect(store.readStream('s', 'end', 4, 'backwards').next).toBe(5);
    await setMetadata('s', { $tb: 7 });
    expect(store.readStream('s', 'end', 2, 'backwards').next).toBe(7);
    expect(store.readStream('s', 'end', 3, 'backwards').next).toBeUndefined();
    expect(revisions('s', 3, 2)).toEqual([7, 8]);
  });

  it('follows the metadata within one group of appends', async () => {
    const appended = [store.append('s', [event(), event()], 'any'), setMetadata('s', { $tb: 1 })];
    await Promise.all(appended);
    expect(revisions('s')).toEqual([1]);
    await setMetadata('s', { $tb: 'nonsense' });
    expect(revisions('s')).toEqual([0, 1]);
    await store.append('$$s', [event(METADATA_TYPE, Buffer.from([255, 0]))], 'any');
    expect(revisions('s')).toEqual([0, 1]);
  });

  it('a stream of which only metadata exist exists, but cannot be found', async () => {
    await setMetadata('s', { $maxCount: 3 });
    expect(revisions('s')).toBe('not-found');
    expect((await store.append('s', [event()], 'stream_exists')).revision).toBe(0);
  });

  it('a deleted stream refuses stream_exists and takes the rest; a retry of its events is still known', async () => {
    const first = [event(), event()];
    const answer = await store.append('s', first, 'no_stream');
    await store.delete('s', 1);
    expect(revisions('s')).toBe('not-found');
    await expect(store.append('s', [event()], 'stream_exists')).rejects.toBeInstanceOf(StreamDeletedError);
    // Known, but hidden: no longer with a position.
    expect(await store.append('s', first, 'no_stream')).toEqual({ revision: answer.revision, position: undefined });
    expect(await store.append('s', first, 'any')).toEqual({ revision: answer.revision, position: undefined });
    expect(revisions('s')).toBe('not-found');
    expect((await store.append('s', [event()], 1)).revision).toBe(2);
    expect(revisions('s')).toEqual([2]);
    expect((await store.append('s', [event()], 'stream_exists')).revision).toBe(3);
  });

  it('a deleted stream may be begun again as if there were none', async () => {
    await store.append('s', [event(), event()], 'no_stream');
    await store.delete('s', 'any');
    expect((await store.append('s', [event()], 'no_stream')).revision).toBe(2);
    await expect(store.append('s', [event()], 'no_stream')).rejects.toBeInstanceOf(WrongExpectedRevisionError);
    expect(revisions('s')).toEqual([2]);
  });

  it('a closed stream is closed, and its metadata with it', async () => {
    await store.append('s', [event()], 'any');
    await setMetadata('s', { $maxCount: 3 });
    await store.tombstone('s', 0);
    expect(revisions('s')).toBe('deleted');
    for (const again of [store.append('s', [event()], 'any'), store.delete('s', 'any'), store.tombstone('s', 'any')]) {
      await expect(again).rejects.toBeInstanceOf(StreamDeletedError);
    }
    expect(revisions('$$s')).toBe('deleted');
    await expect(setMetadata('s', {})).rejects.toBeInstanceOf(StreamDeletedError);
    expect(store.readAll(0, 100, 'forwards').events.map(({ type }) => type)).toEqual(['T', METADATA_TYPE, '$streamDeleted']);
  });

  it('deletion checks its expected revision', async () => {
    await store.append('s', [event(), event()], 'any');
    for (const expected of [0, 5, 'no_stream'] as const) {
      await expect(store.delete('s', expected)).rejects.toBeInstanceOf(WrongExpectedRevisionError);
      await expect(store.tombstone('s', expected)).rejects.toBeInstanceOf(WrongExpectedRevisionError);
    }
    expect(revisions('s')).toEqual([0, 1]);
  });

  it('deleting what is not there is refused; closing it is not', async () => {
    for (const expected of ['any', 'no_stream', 'stream_exists', 3] as const) {
      await expect(store.delete('s', expected)).rejects.toBeInstanceOf(WrongExpectedRevisionError);
    }
    expect(store.readAll(0, 100, 'forwards').events).toEqual([]);
    await setMetadata('t', { $maxCount: 3 });
    await store.delete('t', 'any');
    await store.tombstone('s', 'no_stream');
    expect(revisions('s')).toBe('deleted');
  });

  it('deletion takes the rest of the metadata with it; metadata written to a deleted stream leave its events hidden', async () => {
    await store.append('s', [event(), event(), event()], 'any');
    await setMetadata('s', { $maxCount: 7, owner: 'me' });
    await store.delete('s', 'any');
    const metadata = (): unknown => store.readStream('$$s', 'start', 9, 'forwards').events.map(({ data, revision }) => [revision, data]);
    expect(metadata()).toEqual([[1, '{"$tb":9223372036854775807}']]);
    await setMetadata('s', { $maxCount: 5 });
    expect(metadata()).toEqual([[3, '{"$maxCount":5,"$tb":3}']]);
    expect(revisions('s')).toEqual([]);
    await store.append('s', [event()], 2);
    expect(revisions('s')).toEqual([3]);
  });

  it('an id stands for where it was written first', async () => {
    const twice = event();
    await store.append('s', [twice, twice], 'any');
    expect((await store.append('s', [twice], 'any')).revision).toBe(0);
    await store.append('t', [twice], 'no_stream');
    expect((await store.append('t', [twice], 'any')).revision).toBe(1);
  });

  it('wakes those who follow a stream by its own commits and those who follow all by any', async () => {
    const woken: string[] = [];
    const stop = store.onCommit('s', () => woken.push('s'));
    store.onCommit(undefined, () => woken.push('all'));
    await store.append('t', [event()], 'any');
    await store.append('s', [event()], 'any');
    stop();
    await store.append('s', [event()], 'any');
    await expect(store.append('s', [event()], 'no_stream')).rejects.toBeInstanceOf(WrongExpectedRevisionError);
    expect(woken).toEqual(['all', 'all', 's', 'all']);
  });
});
