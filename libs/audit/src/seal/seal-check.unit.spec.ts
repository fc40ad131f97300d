import { describe, expect, it } from 'vitest';
import { LogTree, type Seal } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import { Findings, findingText } from '../verify/finding';
import { SealCheck, type KeptSeal } from './seal-check';

const sealEvery = 20;
const lifecycle = 'local.cluster-lifecycle';

/** A log of some pods' streams, sealed now and then; and the seal of all of it. */
function sealedLog(count: number): { events: RecordedEvent[]; seal: Seal } {
  const tree = new LogTree();
  const events: RecordedEvent[] = [];
  const revisions = new Map<string, number>();
  const append = (stream: string, type: string, data: object): void => {
    const revision = revisions.get(stream) ?? 0;
    revisions.set(stream, revision + 1);
    const position = 16 * (events.length + 1);
    const id = `e${events.length}`;
    const event = {
      id,
      type,
      stream,
      revision,
      position,
      data,
      metadata: { digest: `d${id}`, writer: 'w', w: events.length + 1, i: 1, n: 1 },
      created: 0,
    };
    events.push(event as never);
    tree.take([event as never]);
  };
  for (let i = 0; i < count; i++) {
    append(`local.pods-default/p${i % 7}`, 'StatusUpdated', { i });
    if (i % sealEvery === sealEvery - 1) append(lifecycle, 'Sealed', tree.sealed());
  }
  return { events, seal: tree.seal() };
}

function checked(events: readonly RecordedEvent[], kept: KeptSeal[] = []): { found: string[]; result: ReturnType<SealCheck['result']> } {
  const findings = new Findings();
  const check = new SealCheck(findings, kept);
  for (const event of events) check.event(event);
  check.end();
  return { found: findings.listed.map(findingText), result: check.result() };
}

const { events, seal } = sealedLog(100);
const keptAt = (count: number): KeptSeal => {
  const tree = new LogTree();
  for (const event of events.slice(0, count)) tree.take([event]);
  return { ...tree.seal(), from: `seals.txt line ${count}` };
};
/** The log as it is with the events that are left, each where it was. */
const without = (gone: (event: RecordedEvent, index: number) => boolean): RecordedEvent[] => events.filter((event, i) => !gone(event, i));
/** The same, and everything after it moved up, as if it had never been written. */
const closed = (list: readonly RecordedEvent[]): RecordedEvent[] => list.map((event, i) => ({ ...event, position: 16 * (i + 1) }));

describe('seals in the log', () => {
  it('agree with a log that is as it was', () => {
    const { found, result } = checked(events);
    expect(found).toEqual([]);
    expect(result).toMatchObject({ inLog: { seals: 5, agreed: 5, events: 104 }, kept: { seals: 0 }, beside: { seals: 0 } });
  });

  it.each([
    [
      'an event that says something else',
      events.map((event, i) => (i === 30 ? { ...event, metadata: { ...event.metadata, digest: 'x' } } : event)),
    ],
    ['an event that is gone', without((_, i) => i === 30)],
    ['an event that is gone, the gap closed', closed(without((_, i) => i === 30))],
    ['a stream that is gone', without(({ stream }) => stream.endsWith('/p3'))],
    ['a stream with another name', events.map((event) => ({ ...event, stream: event.stream.replace('/p3', '/p9') }))],
    [
      'an event too many',
      [...events.slice(0, 30), { ...events[30]!, id: 'forged', position: events[30]!.position - 1 }, ...events.slice(30)],
    ],
    [
      'two streams’ events in another order',
      events.map((event, i) => ({ ...(i === 30 ? events[31]! : i === 31 ? events[30]! : event), position: event.position })),
    ],
    ['another revision', events.map((event, i) => (i === 30 ? { ...event, revision: 99 } : event))],
    ['another id', events.map((event, i) => (i === 30 ? { ...event, id: 'other' } : event))],
  ])('find %s, and name the first of them that differs', (_what, edited) => {
    const { found, result } = checked(edited);
    expect(found).toHaveLength(1);
    // Where the whole stream is gone, the first seal differs; else the second, which covers the edit.
    expect(found[0]).toMatch(
      /^sealed otherwise: Sealed local\.cluster-lifecycle revision [01] \(position \d+, id e(20|41)\): it (says|seals) /,
    );
    expect(result.inLog.agreed).toBeLessThanOrEqual(1);
  });

  it('find a seal that says another root, and go on behind it', () => {
    const forged = events.map((event) => (event.id === 'e41' ? { ...event, data: { ...event.data, root: keptAt(3).root } } : event));
    const { found, result } = checked(forged);
    expect(found).toEqual([
      expect.stringContaining(`id e41): it says ${keptAt(3).root} for the first 41 events, the log gives `) as string,
    ]);
    expect(result.inLog).toMatchObject({ seals: 5, agreed: 4 });
  });

  it('that seal more than there is, or the wrong place, are found', () => {
    const last = events.findLastIndex(({ type }) => type === 'Sealed');
    const says = (data: object): string[] =>
      checked(events.map((event, i) => (i === last ? { ...event, data: { ...event.data, ...data } } : event))).found;
    expect(says({ prev: 'x' })[0]).toContain('it names x as the root of the seal before it, where the log gives ');
    expect(says({ events: 105 })[0]).toContain('it seals 105 events, and 104 are before it');
    expect(says({ position: 17 })[0]).toContain('it seals 104 events up to position 17; event 104 is at 1664');
    expect(says({ writers: [['w', 103]] })[0]).toContain('it says that append 103 is the last of w, which is 104');
    expect(says({ peaks: [] })[0]).toContain('its peaks are not those of its root');
    expect(says({ events: 'many' })[0]).toContain('it seals many events');
    expect(says({ events: 20 })[0]).toContain('long after');
  });

  it('are looked at in a log that goes on for long without one', () => {
    const tree = new LogTree();
    const long = Array.from({ length: 150_000 }, (_, i) => {
      const event = {
        id: `e${i}`,
        type: 'T',
        stream: 's',
        revision: i,
        position: i + 1,
        data: {},
        metadata: { digest: 'd', i: 1, n: 1 },
        created: 0,
      };
      tree.take([event as never]);
      return event as never as RecordedEvent;
    });
    const sealed = { ...long[0]!, type: 'Sealed', position: 200_000, data: tree.sealed() as never };
    expect(checked([...long, sealed])).toMatchObject({ found: [], result: { inLog: { agreed: 1, events: 150_000 } } });
    expect(checked([...long.slice(0, 149_000), ...long.slice(149_001), sealed]).found).toHaveLength(1);
  });
});

describe('kept seals', () => {
  const kept = { ...seal, from: 'seals.txt line 1' };

  it('agree with the log, which may go on after them', () => {
    for (const count of [1, 19, 20, 21, 64, 105]) {
      expect(checked(events, [keptAt(count)])).toMatchObject({ found: [], result: { kept: { seals: 1, agreed: 1, events: count } } });
    }
    expect(checked(events, [keptAt(64), keptAt(21), { ...kept, isBeside: true }]).result).toMatchObject({
      kept: { seals: 2, agreed: 2, events: 64 },
      beside: { seals: 1, agreed: 1, events: 105 },
    });
  });

  it.each([1, 2, 50])('find that the last %i events are gone', (count) => {
    const { found } = checked(events.slice(0, -count), [kept]);
    const [last] = events.slice(-count - 1);
    expect(found).toEqual([
      expect.stringMatching(
        `^truncated: ${last!.type} .* id ${last!.id}\\): the log ends here, with its event ${105 - count}; seals.txt line 1 is the seal of 105, up to position 1680: the last ${count} are gone$`,
      ) as string,
    ]);
  });

  it('find a log that was written anew with its own seals, and say from where on', () => {
    const anew = sealedLog(120).events.map((event) => ({ ...event, id: `${event.id}x` }));
    const tree = new LogTree();
    const other = [...events.slice(0, 50), ...anew.slice(50)].map((event) => {
      const written = event.type === 'Sealed' ? { ...event, data: tree.sealed() as never } : event;
      tree.take([written]);
      return written;
    });
    expect(checked(other).found).toEqual([]);
    const { found, result } = checked(other, [keptAt(30), keptAt(80), kept]);
    expect(found).toEqual([
      expect.stringMatching(
        /^rewritten: .* id e79x\): seals\.txt line 80 says .* for the first 80 events, the log gives .*: it was written anew, with its own seals, after event 30, up to which a kept seal agrees$/,
      ) as string,
      expect.stringMatching(/^rewritten: .* id e104x\)/) as string,
    ]);
    expect(result.kept).toEqual({ seals: 3, agreed: 1, events: 30 });
  });

  it('name the first of the log’s own seals that differs', () => {
    const edited = events.map((event, i) => (i === 30 ? { ...event, id: 'other' } : event));
    expect(checked(edited, [kept]).found[1]).toMatch(/^rewritten: .*the first of its own seals that it does not give is of position 656$/);
  });

  it('whose position was edited are of no use', () => {
    expect(checked(events, [{ ...kept, position: 16 }]).found[0]).toContain(
      'seals.txt line 1 is the seal of 105 events up to position 16; event 105 is this one',
    );
  });

  it('find an empty log', () => {
    expect(checked([], [kept]).found).toEqual([expect.stringMatching(/^truncated: nothing .* the last 105 are gone$/) as string]);
  });
});
