import { describe, expect, it } from 'vitest';
import { EventReader } from '#libs/cluster-state';
import { createMemoryLog, type RecordedEvent } from '#libs/event-log';
import { fact, type Basis } from '#libs/events';
import { stamp } from './stamp';

const stream = 'local.pods-default/web';
const pod = { metadata: { name: 'web', namespace: 'default', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' }, spec: {}, status: {} };
const basis: Basis = { decision: 'kubelet/32/7', subject: 'default/web', position: 16, now: 1_000 };

/** A creation by a user, and a deletion of two frames by the kubelet, as a log has them. */
async function stored(notes: { at?: number; w?: number } = {}): Promise<RecordedEvent[]> {
  const log = createMemoryLog();
  const user = { actor: 'user:admin', operation: 'o', correlationId: 'story' };
  await log.append(
    stream,
    stamp({ stream, frames: [[fact('Created', { object: pod })]], origin: user, writer: 'w', time: 900, follows: undefined, label: '0' }),
    'no_stream',
  );
  const origin = {
    actor: 'kubelet',
    operation: 'kubelet/32/7/delete',
    correlationId: 'story',
    causationId: 'cause',
    basis,
    step: 'delete',
  };
  const frames = [[fact('DeletionRequested', { deletionTimestamp: '2026-01-01T00:00:00Z' })], [fact('Deleted', {})]];
  await log.append(stream, stamp({ stream, frames, origin, writer: 'w', time: 1_000, follows: 'd', label: '0', notes }), 0);
  const events: RecordedEvent[] = [];
  for await (const page of log.readAll()) events.push(...page);
  return events;
}

describe('events as their readers get them', () => {
  it('have all metadata, of which the log has once what an append shares', async () => {
    const events = await stored({ at: 16, w: 2 });
    expect(Object.keys(JSON.parse(JSON.stringify(events[2]?.metadata)) as object)).toEqual(['i', 'frame', 'digest']);
    const reader = new EventReader();
    const [created, requested, deleted] = events.map((event) => reader.read(event).metadata);
    expect(created).toMatchObject({ $correlationId: 'story', actor: 'user:admin', v: 1, time: 900, i: 1, n: 1, writer: 'w' });
    const shared = {
      $correlationId: 'story',
      $causationId: 'cause',
      actor: 'kubelet',
      v: 1,
      time: 1_000,
      n: 2,
      writer: 'w',
      step: 'delete',
    };
    expect(requested).toMatchObject({ ...shared, i: 1, frame: 1, basis, at: 16, w: 2 });
    expect(deleted).toMatchObject({ ...shared, i: 2, frame: 2 });
    expect(deleted?.basis ?? deleted?.at ?? deleted?.w).toBeUndefined();
  });

  it.each([
    ['at the position of its append, at its time, about its object', { at: 16 }, basis],
    ['elsewhere, earlier, about something else', { at: 48 }, { ...basis, position: 32, now: 990, subject: 'other' }],
  ])('have the basis of a decision that was made %s', async (_what, notes, whole) => {
    const origin = { actor: 'kubelet', operation: 'o', correlationId: 'story', basis: whole };
    const facts = [fact('PodBecameReady', {})];
    const [event] = stamp({ stream, frames: [facts], origin, writer: 'w', time: 1_000, follows: undefined, label: '0', notes });
    const read = new EventReader().read({ ...event, stream, revision: 0, position: 64, created: 0 } as RecordedEvent);
    expect(read.metadata.basis).toEqual(whole);
  });

  it('are what an older version wrote, and another program', () => {
    const whole = { $correlationId: 'story', actor: 'kubelet', v: 1, time: 1, i: 2, n: 3, writer: 'w', follows: 'd', digest: 'e' };
    for (const metadata of [whole, {}, { by: 'another' }]) {
      const event = { id: 'e', type: 'noted', data: {}, metadata, stream, revision: 3, position: 9, created: 0 } as RecordedEvent;
      expect(new EventReader().read(event)).toBe(event);
    }
  });
});
