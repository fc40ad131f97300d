import { expect, it } from 'vitest';
import { eventTtlMs, type FoldedAppend } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import { EventLifetimes } from './event-lifetimes';
import { Findings } from './finding';

const writtenAt = Date.UTC(2026, 0, 1);

/** What is found when the server removes an Event so long after it was written last. */
function removedAfter(ms: number): string[] {
  const findings = new Findings();
  const check = new EventLifetimes('local', findings);
  const change = { type: 'ADDED', resource: 'events', namespace: 'default', name: 'e', key: 'default/e' };
  check.folded({ position: 16, time: writtenAt, events: [], change } as unknown as FoldedAppend);
  const metadata = { actor: 'apiserver', op: 'event-ttl/16/0/uid', time: writtenAt + ms };
  const removed = { type: 'Deleted', stream: 'local.events-default/e', revision: 1, position: 32, id: 'r', data: {}, metadata };
  check.append([removed as unknown as RecordedEvent]);
  return findings.listed.map(({ check: letter, text }) => `${letter}: ${text}`);
}

it('an Event that the server removes has lived for its hour', () => {
  expect(removedAfter(eventTtlMs)).toEqual([]);
  expect(removedAfter(eventTtlMs - 1)).toEqual(['W: removed as too old, and written last at 2026-01-01T00:00:00.000Z']);
});
