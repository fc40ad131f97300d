import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '#libs/event-log';
import { decisionStream, digestOf, storedMetadata } from '#libs/events';
import { DigestChain } from './digest-chain';
import { Findings } from './finding';

const stream = decisionStream('local', 'scheduler-decisions');

/** Events of one writer, each following the one before it; their revisions are given when they are put in order. */
function written(count: number, writer = 'w1'): RecordedEvent[] {
  let follows: string | undefined;
  return Array.from({ length: count }, (_, i) => {
    const metadata: Record<string, unknown> = { writer, i: 1, n: 1, follows };
    const event = { id: `${writer}-${i}`, type: 'SchedulingAttempted', data: { number: i }, metadata };
    follows = metadata.digest = digestOf(event as never, stream, follows);
    return event as unknown as RecordedEvent;
  });
}

function problemsOf(events: readonly RecordedEvent[]): [string, string][] {
  const findings = new Findings();
  const chain = new DigestChain('local', findings);
  events.forEach((event, revision) => chain.event({ ...event, stream, revision, position: revision + 1 }));
  return findings.listed.map(({ check, kind, id }) => [kind ?? check, id]);
}

/** The events with one of them moved. */
function moved(events: readonly RecordedEvent[], from: number, to: number): RecordedEvent[] {
  const rest = events.filter((_, i) => i !== from);
  return [...rest.slice(0, to), events[from] as RecordedEvent, ...rest.slice(to)];
}

describe('the digest chain of a decision stream', () => {
  const events = written(200);

  it('is whole, for several writers too', () => {
    const others = written(200, 'w2');
    expect(problemsOf(events)).toEqual([]);
    expect(problemsOf(events.flatMap((event, i) => [event, others[i] as RecordedEvent]))).toEqual([]);
  });

  it('names what stands in another order, by one place or by many', () => {
    for (const [from, to] of [
      [20, 21],
      [20, 31],
      [0, 11],
      [20, 150],
    ] as const)
      expect(problemsOf(moved(events, from, to))).not.toEqual([]);
  });

  it('names the event after one that was taken out, at the end of the log too', () => {
    expect(problemsOf(events.filter((_, i) => i !== 20))).toEqual([['inserted', 'w1-21']]);
    expect(problemsOf(events.filter((_, i) => i !== 198))).toEqual([['inserted', 'w1-199']]);
  });

  it('names one of two that follow the same event', () => {
    const forged = { ...(events[20] as RecordedEvent), id: 'forged' };
    const digest = digestOf(forged, stream, forged.metadata.follows as string);
    const rest = events.slice(20);
    expect(problemsOf([...events.slice(0, 20), { ...forged, metadata: { ...forged.metadata, digest } }, ...rest])).toEqual([
      ['inserted', 'w1-20'],
    ]);
  });

  it('names an event that says something else than when it was written', () => {
    const changed = events.map((event, i) => (i === 20 ? { ...event, data: { number: 7 } } : event));
    expect(problemsOf(changed)).toEqual([['D', 'w1-20']]);
  });
});

describe('the digest chain of an object', () => {
  const name = 'local.pods-default/web';

  /** Appends of two events each, as they are stored. */
  function life(appends: number): RecordedEvent[] {
    let follows: string | undefined;
    return Array.from({ length: appends * 2 }, (_, revision) => {
      const whole = { $correlationId: 'story', actor: 'kubelet', v: 1, time: revision, i: (revision % 2) + 1, n: 2, writer: 'w' };
      const metadata = storedMetadata(whole, name);
      const event = { id: `e-${revision}`, type: 'Updated', data: { number: revision }, metadata };
      follows = metadata.digest = digestOf(event as never, name, follows);
      return { ...event, stream: name, revision, position: revision + 1, created: 0 } as unknown as RecordedEvent;
    });
  }

  function foundIn(events: readonly RecordedEvent[]): [string, number][] {
    const findings = new Findings();
    const chain = new DigestChain('local', findings);
    events.forEach((event) => chain.event(event));
    return findings.listed.map(({ check, revision }) => [check, revision]);
  }

  it('is whole though no event says what it follows', () => {
    const events = life(5);
    expect(events.some(({ metadata }) => 'follows' in metadata)).toBe(false);
    expect(foundIn(events)).toEqual([]);
  });

  it.each([
    ['what the append says of all its events', 4, { actor: 'somebody' }],
    ['the place of a later one', 5, { i: 3 }],
    ['its digest', 4, { digest: 'AAAAAAAAAAAAAAAAAAAAAA' }],
    ['what was not said', 4, { follows: 'AAAAAAAAAAAAAAAAAAAAAA' }],
  ])('names the event that was changed in %s, and no other', (_what, at, metadata) => {
    const changed = life(5).map((event, i) => (i === at ? { ...event, metadata: { ...event.metadata, ...metadata } } : event));
    expect(foundIn(changed)).toEqual([['D', at]]);
  });

  it('names the place where events were taken out, and where the gap was hidden', () => {
    const taken = life(5).filter((_, i) => i !== 4 && i !== 5);
    expect(foundIn(taken)).toEqual([['R', 6]]);
    expect(foundIn(taken.map((event, revision) => ({ ...event, revision })))).toEqual([['D', 4]]);
  });
});

describe('the digest chain of an object that was deleted and made again', () => {
  const pod = 'local.pods-default/web';

  /** Three lives of one name, in one stream. */
  function lives(): RecordedEvent[] {
    let follows: string | undefined;
    return ['Created', 'Updated', 'Deleted', 'Created', 'Deleted', 'Created', 'Updated'].map((type, i) => {
      const metadata: Record<string, unknown> = { writer: 'w', i: 1, n: 1 };
      const event = { id: `e${i}`, type, data: {}, metadata, stream: pod, revision: i, position: i + 1, created: 0 };
      follows = metadata.digest = digestOf(event as never, pod, follows);
      return event as unknown as RecordedEvent;
    });
  }

  function found(events: readonly RecordedEvent[]): string[] {
    const findings = new Findings();
    const chain = new DigestChain('local', findings);
    for (const event of events) chain.event(event);
    return findings.listed.map(({ check, id }) => `${check} ${id}`);
  }

  it('goes through all of its lives', () => {
    expect(found(lives())).toEqual([]);
  });

  it('names the life that does not follow the one before it', () => {
    expect(found(lives().filter((_, i) => i !== 2))).toContain('R e3');
    const changed = lives().map((event, i) => (i === 2 ? { ...event, metadata: { ...event.metadata, digest: 'x'.repeat(22) } } : event));
    expect(found(changed)).toContain('D e2');
  });
});
