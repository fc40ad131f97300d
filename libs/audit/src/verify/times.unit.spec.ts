import { expect, it } from 'vitest';
import type { FoldedAppend } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import { Findings } from './finding';
import { LeftOutStreams } from './left-out-streams';
import { Times } from './times';

/** Appends of one event each: who wrote it, when, and what it was prepared on. */
interface Written {
  writer: string;
  time: number;
  at: number;
  stream?: string;
  data?: object;
}

function foundIn(appends: readonly Written[]): string[] {
  const events = appends.map(({ writer, time, at, stream = 'local.namespaces-a', data = {} }, index) => {
    return {
      type: 'ProcessStarted',
      stream,
      data,
      position: 16 * (index + 1),
      metadata: { i: 1, writer, time, at },
    } as unknown as RecordedEvent;
  });
  const findings = new Findings();
  const leftOut = new LeftOutStreams();
  for (const event of events) leftOut.add(event);
  const times = new Times('local', findings, leftOut, Infinity);
  for (const event of events) {
    times.append([event]);
    times.folded({ position: event.position, time: event.metadata.time, stream: event.stream, events: [event] } as unknown as FoldedAppend);
  }
  return findings.listed.map(({ position }) => String(position));
}

it('an append is not earlier than what its writer reads of the log', () => {
  const log = [
    { writer: 'a', time: 1_000, at: 0 },
    { writer: 'b', time: 9_000, at: 16, stream: 'local.nodes-node-1' },
  ];
  expect(foundIn([...log, { writer: 'c', time: 9_000, at: 32 }])).toEqual([]);
  expect(foundIn([...log, { writer: 'c', time: 2_000, at: 32 }])).toEqual(['48']);
  // Its clock is behind that of a process whose events it does not read.
  expect(foundIn([...log, { writer: 'c', time: 2_000, at: 32, data: { leavesOut: ['local.nodes-'] } }])).toEqual([]);
  expect(foundIn([...log, { writer: 'c', time: 500, at: 32, data: { leavesOut: ['local.nodes-'] } }])).toEqual(['48']);
});
