import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AvailabilityListener, EventLog } from '#libs/event-log';
import { reportAvailability } from './report-availability';

describe('what the terminal says of the event log', () => {
  let lines: string[];
  let tell: AvailabilityListener;
  let stop: () => void;
  beforeEach(() => {
    vi.useFakeTimers();
    lines = [];
    const onAvailability = (listener: AvailabilityListener): (() => void) => {
      tell = listener;
      return () => undefined;
    };
    stop = reportAvailability({ onAvailability } as Partial<EventLog> as EventLog, (line) => lines.push(line));
  });
  afterEach(() => {
    stop();
    vi.useRealTimers();
  });
  const away = (): void => tell({ available: false, reason: 'the event store cannot be reached: no route' });

  it('one line when it goes, one when it comes back, however long that takes', () => {
    away();
    vi.advanceTimersByTime(600_000);
    expect(lines).toEqual(['the event store cannot be reached: no route; reads go on from memory, writes fail until it is back']);
    tell({ available: true });
    vi.advanceTimersByTime(60_000);
    expect(lines.slice(1)).toEqual(['the event log can be used again, after 600 s']);
  });

  it('nothing of what is over within a second, such as an election', () => {
    for (let i = 0; i < 5; i++) {
      away();
      vi.advanceTimersByTime(800);
      tell({ available: true });
      vi.advanceTimersByTime(60_000);
    }
    expect(lines).toEqual([]);
  });
});
