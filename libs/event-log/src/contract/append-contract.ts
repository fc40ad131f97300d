import { expect, it } from 'vitest';
import { AppendTooLargeError, WrongExpectedRevisionError } from '../errors';
import { POSITION_STRIDE, type EventToAppend, type ExpectedRevision } from '../port';
import { APPEND_BYTES_MAX } from '../store/event-store';
import { collect, event, events, failure, type Fixture } from './contract-target';

async function expectWrong(fixture: Fixture, stream: string, expected: ExpectedRevision, actual: number | undefined): Promise<void> {
  const error = await failure(fixture.log.append(stream, [event()], expected));
  expect(error).toBeInstanceOf(WrongExpectedRevisionError);
  expect(error).toMatchObject({ stream, expected, actual });
}

export function describeExpectedRevisions(fixture: () => Fixture): void {
  it('numbers the events of a stream from 0 and gives positions that leave room', async () => {
    const { log, prefix } = fixture();
    const first = await log.append(`${prefix}s`, events(3), 'no_stream');
    const second = await log.append(`${prefix}s`, events(2), 2);
    const read = await collect(log.readStream(`${prefix}s`));
    expect(read.map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4]);
    expect([first.revision, second.revision]).toEqual([2, 4]);
    expect([first.position, second.position]).toEqual([read[2]!.position, read[4]!.position]);
    for (const [i, { position }] of read.entries()) expect(position - (read[i - 1]?.position ?? 0)).toBeGreaterThanOrEqual(POSITION_STRIDE);
  });

  it('no_stream: only the first append', async () => {
    const { log, prefix } = fixture();
    await log.append(`${prefix}s`, events(2), 'no_stream');
    await expectWrong(fixture(), `${prefix}s`, 'no_stream', 1);
  });

  it('a revision: only at the head', async () => {
    const { log, prefix } = fixture();
    await expectWrong(fixture(), `${prefix}s`, 0, undefined);
    await log.append(`${prefix}s`, events(3), 'no_stream');
    await expectWrong(fixture(), `${prefix}s`, 1, 2);
    await expectWrong(fixture(), `${prefix}s`, 3, 2);
    expect((await log.append(`${prefix}s`, [event()], 2)).revision).toBe(3);
  });

  it('stream_exists: only when there is one', async () => {
    const { log, prefix } = fixture();
    await expectWrong(fixture(), `${prefix}s`, 'stream_exists', undefined);
    await log.append(`${prefix}s`, [event()], 'no_stream');
    expect((await log.append(`${prefix}s`, [event()], 'stream_exists')).revision).toBe(1);
  });

  it('any: always', async () => {
    const { log, prefix } = fixture();
    expect((await log.append(`${prefix}s`, [event()], 'any')).revision).toBe(0);
    expect((await log.append(`${prefix}s`, [event()], 'any')).revision).toBe(1);
  });

  it('a refusal writes nothing and does not harm what follows', async () => {
    const { log, prefix } = fixture();
    const refused = failure(log.append(`${prefix}s`, events(5), 7));
    const accepted = log.append(`${prefix}s`, [event()], 'no_stream');
    await refused;
    expect((await accepted).revision).toBe(0);
    expect(await collect(log.readStream(`${prefix}s`))).toHaveLength(1);
  });

  it('an empty append changes nothing and answers the head', async () => {
    const { log, prefix } = fixture();
    expect((await log.append(`${prefix}s`, [], 'any')).revision).toBeUndefined();
    expect((await log.append(`${prefix}s`, [], 'no_stream')).revision).toBeUndefined();
    expect(await collect(log.readStream(`${prefix}s`))).toEqual([]);
    await log.append(`${prefix}s`, events(3), 'no_stream');
    expect((await log.append(`${prefix}s`, [], 2)).revision).toBe(2);
    expect((await log.append(`${prefix}s`, [event()], 2)).revision).toBe(3);
  });
}

export function describeIdempotency(fixture: () => Fixture): void {
  it('a retry with the same ids and expected revision succeeds with the first answer', async () => {
    const { log, prefix } = fixture();
    const opening = events(3);
    const first = await log.append(`${prefix}s`, opening, 'no_stream');
    const going = events(2);
    const second = await log.append(`${prefix}s`, going, 2);
    await log.append(`${prefix}s`, events(4), 4);
    expect(await log.append(`${prefix}s`, opening, 'no_stream')).toEqual(first);
    expect(await log.append(`${prefix}s`, going, 2)).toEqual(second);
    expect(await collect(log.readStream(`${prefix}s`))).toHaveLength(9);
  });

  it('a long append is recognised as a whole', async () => {
    const { log, prefix } = fixture();
    const long = events(700);
    const first = await log.append(`${prefix}s`, long, 'no_stream');
    expect(await log.append(`${prefix}s`, long, 'no_stream')).toEqual(first);
  });

  it('a retry with any is recognised soon after', async () => {
    const { log, prefix } = fixture();
    const sent = events(2);
    const first = await log.append(`${prefix}s`, sent, 'any');
    await log.append(`${prefix}s`, [event()], 'any');
    expect(await log.append(`${prefix}s`, sent, 'any')).toEqual(first);
    expect(await collect(log.readStream(`${prefix}s`))).toHaveLength(3);
  });

  it('other ids, or only some of the same, are a wrong revision', async () => {
    const { log, prefix } = fixture();
    const sent = events(3);
    await log.append(`${prefix}s`, sent, 'no_stream');
    for (const retry of [events(3), [...sent.slice(0, 2), event()], [...sent, event()], [...sent].reverse()]) {
      expect(await failure(log.append(`${prefix}s`, retry, 'no_stream'))).toBeInstanceOf(WrongExpectedRevisionError);
    }
  });

  it('the same ids at the head are written again', async () => {
    const { log, prefix } = fixture();
    const sent = [event()];
    await log.append(`${prefix}s`, sent, 'no_stream');
    expect((await log.append(`${prefix}s`, sent, 0)).revision).toBe(1);
    const read = await collect(log.readStream(`${prefix}s`));
    expect(read.map(({ id }) => id)).toEqual([sent[0]!.id, sent[0]!.id]);
  });

  it('the same id in another stream is another event', async () => {
    const { log, prefix } = fixture();
    const sent = [event()];
    await log.append(`${prefix}s`, sent, 'any');
    expect((await log.append(`${prefix}t`, sent, 'any')).revision).toBe(0);
    expect(await collect(log.readStream(`${prefix}t`))).toHaveLength(1);
  });
}

export function describeConcurrency(fixture: () => Fixture): void {
  it('of many writers of the same revision exactly one wins', async () => {
    const { log, prefix } = fixture();
    for (let revision = -1; revision < 9; revision++) {
      const tries = Array.from({ length: 16 }, () => log.append(`${prefix}s`, [event()], revision < 0 ? 'no_stream' : revision));
      const outcomes = await Promise.allSettled(tries);
      const won = outcomes.filter(({ status }) => status === 'fulfilled');
      expect(won).toHaveLength(1);
      for (const lost of outcomes) if (lost.status === 'rejected') expect(lost.reason).toBeInstanceOf(WrongExpectedRevisionError);
    }
    expect((await collect(log.readStream(`${prefix}s`))).map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('writers that try again until they win lose nothing', async () => {
    const { log, prefix } = fixture();
    const writer = async (name: string): Promise<void> => {
      let head = -1;
      for (let done = 0; done < 10;) {
        try {
          head = (await log.append(`${prefix}s`, [event('Won', { name, done })], head < 0 ? 'no_stream' : head)).revision!;
          done += 1;
        } catch (error) {
          if (!(error instanceof WrongExpectedRevisionError)) throw error;
          head = error.actual!;
        }
      }
    };
    await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(writer));
    const read = await collect(log.readStream(`${prefix}s`));
    expect(read.map(({ revision }) => revision)).toEqual(read.map((_, i) => i));
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      expect(read.filter(({ data }) => data['name'] === name).map(({ data }) => data['done'])).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }
  });

  it('appends handed over together are written in that order, each whole', async () => {
    const { log, prefix } = fixture();
    const results = await Promise.all(
      Array.from({ length: 120 }, (_, i) =>
        log.append(
          `${prefix}${i % 3}`,
          events(3, (j) => ({ i, j })),
          'any',
        ),
      ),
    );
    const positions = results.map(({ position }) => position!);
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    const all = await collect(log.readAll({ filter: { streamPrefixes: [prefix] } }));
    expect(all.map(({ data }) => [data['i'], data['j']])).toEqual(results.flatMap((_, i) => [0, 1, 2].map((j) => [i, j])));
  });

  it('a chain of appends need not wait for its answers', async () => {
    const { log, prefix } = fixture();
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, i) => log.append(`${prefix}s`, [event()], i === 0 ? 'no_stream' : i - 1)),
    );
    expect(results.map(({ revision }) => revision)).toEqual(results.map((_, i) => i));
  });
}

export function describeContent(fixture: () => Fixture): void {
  it('keeps ids, types, data and metadata as they were', async () => {
    const { log, prefix } = fixture();
    const odd = JSON.parse(
      '{"__proto__":{"x":1},"z":[1,-0.5,1e21,9007199254740991,null,true,""],"a":{"nested":{"deep":[[]]}},"é\\u0000\\ud83d\\ude00":"\\u2028\\"\\\\"}',
    );
    const sent = [
      event('Ünïcode happened', odd, { $correlationId: 'c', n: 1 }),
      event('Empty', {}, {}),
      event('Zeichen', { text: 'ä€😀\u0000\n'.repeat(50) }),
    ];
    await log.append(`${prefix}s`, sent, 'no_stream');
    const read = await collect(log.readStream(`${prefix}s`));
    expect(read.map(({ id, type, data, metadata }) => JSON.stringify({ id, type, data, metadata }))).toEqual(
      sent.map(({ id, type, data, metadata }) => JSON.stringify({ id, type, data, metadata })),
    );
    for (const { stream, created } of read) {
      expect(stream).toBe(`${prefix}s`);
      expect(Number.isFinite(created)).toBe(true);
    }
  });

  it('keeps stream names apart that look alike', async () => {
    const { log, prefix } = fixture();
    const names = ['é', 'e\u0301', 'E', 'e', '日本語/namespace', 'sp ace', '%25', '%', 'quo\'te"', '😀', 'a\\b', 'x'.repeat(400)].map(
      (name) => prefix + name,
    );
    await Promise.all(names.map((name) => log.append(name, [event('Named', { name })], 'no_stream')));
    for (const name of names) {
      const read = await collect(log.readStream(name));
      expect(read.map(({ stream, data }) => [stream, data['name']])).toEqual([[name, name]]);
    }
    const all = await collect(log.readAll({ filter: { streamPrefixes: [`${prefix}é`, `${prefix}😀`] } }));
    expect(all.map(({ stream }) => stream)).toEqual([`${prefix}é`, `${prefix}😀`]);
  });

  it('takes large events', async () => {
    const { log, prefix } = fixture();
    const sent = event('Large', { text: '0123456789'.repeat(90_000) });
    await log.append(`${prefix}s`, [sent], 'no_stream');
    expect((await collect(log.readStream(`${prefix}s`)))[0]!.data).toEqual(sent.data);
  });

  it('refuses an append that is too large, whole, and goes on', async () => {
    const { log, prefix } = fixture();
    const large = { text: 'x'.repeat(600_000) };
    const error = await failure(log.append(`${prefix}s`, [event('Large', large), event('Large', large)], 'any'));
    expect(error).toBeInstanceOf(AppendTooLargeError);
    expect((error as AppendTooLargeError).bytes).toBeGreaterThan((error as AppendTooLargeError).bytesMax);
    expect(await collect(log.readStream(`${prefix}s`))).toEqual([]);
    expect((await log.append(`${prefix}s`, [event()], 'no_stream')).revision).toBe(0);
  });

  it('counts data, metadata and types of an append alike, to the byte, whatever the store itself would take', async () => {
    const { log, prefix } = fixture();
    const sized = (bytes: number, part: 'data' | 'metadata'): EventToAppend => {
      const one = event('Größe', {}, {});
      const rest = bytes - Buffer.byteLength(one.type) - Buffer.byteLength('{}{"t":""}');
      return { ...one, [part]: { t: 'x'.repeat(rest) } };
    };
    for (const part of ['data', 'metadata'] as const) {
      const error = await failure(log.append(`${prefix}${part}`, [sized(APPEND_BYTES_MAX + 1, part)], 'any'));
      expect(error).toMatchObject({ bytes: APPEND_BYTES_MAX + 1, bytesMax: APPEND_BYTES_MAX });
      expect((await log.append(`${prefix}${part}`, [sized(APPEND_BYTES_MAX, part)], 'any')).revision).toBe(0);
    }
  });

  it('holds many streams', async () => {
    const { log, prefix } = fixture();
    const names = Array.from({ length: 1500 }, (_, i) => `${prefix}${i}`);
    await Promise.all(names.map((name) => log.append(name, [event()], 'no_stream')));
    const all = await collect(log.readAll({ filter: { streamPrefixes: [prefix] } }));
    expect(all.map(({ stream }) => stream)).toEqual(names);
  });
}
