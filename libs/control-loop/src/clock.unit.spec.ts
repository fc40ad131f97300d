import { afterEach, describe, expect, it, vi } from 'vitest';
import { VirtualClock } from './clock';
import { LiveClock } from './live-clock';

describe('the clocks of several processes', () => {
  afterEach(() => vi.useRealTimers());

  it('agree at every moment when they are given the same start, origin and speed, whenever each was made', () => {
    vi.useFakeTimers({ now: 1_000_000 });
    const first = new LiveClock(60, 5_000_000, 1_000_000);
    vi.advanceTimersByTime(7_000);
    const second = new LiveClock(60, 5_000_000, 1_000_000);
    expect([first.now(), second.now()]).toEqual([5_420_000, 5_420_000]);
    vi.advanceTimersByTime(1);
    expect(second.now()).toBe(first.now());
  });

  it('tell how much of their time passes in real time', () => {
    expect(new LiveClock(60).inRealMs(5_000)).toBe(300_000);
    expect(new VirtualClock(0).inRealMs(5_000)).toBe(5_000);
  });
});
