import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveClock, speedAhead, speedBehind } from './live-clock';
import { MachineTime } from './machine-time.fixture';

const noon = Date.UTC(2026, 10, 20, 12);
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

type Happening = { kind: 'pass' | 'sleep' | 'step'; ms: number };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ kind: fc.constant('pass' as const), ms: fc.double({ min: 0, max: hour, noNaN: true }) }),
  fc.record({ kind: fc.constant('sleep' as const), ms: fc.double({ min: 3_000, max: 3 * day, noNaN: true }) }),
  fc.record({ kind: fc.constant('step' as const), ms: fc.integer({ min: -10 * day, max: 10 * day }) }),
);

const clockOf = (machine: MachineTime, speed = 1): LiveClock => new LiveClock(speed, undefined, undefined, machine);

describe('the live clock', () => {
  it('never goes back and never jumps, whatever is done to the wall clock', () => {
    const property = fc.property(fc.array(happening, { maxLength: 30 }), fc.constantFrom(1, 60), (happenings, speed) => {
      const machine = new MachineTime(noon);
      const clock = clockOf(machine, speed);
      for (const { kind, ms } of happenings) {
        const before = clock.now();
        machine[kind](ms);
        const passed = clock.now() - before;
        // Only the system knows how long it slept, to the second.
        const real = kind === 'step' ? 0 : ms;
        const rounding = kind === 'sleep' ? 2_000 : 0;
        expect(passed).toBeGreaterThanOrEqual(Math.max(0, Math.floor((real - rounding) * speedAhead * speed) - 1));
        expect(passed).toBeLessThanOrEqual((real + rounding) * speedBehind * speed + 1);
      }
    });
    fc.assert(property, { seed: 20_261_120, numRuns: 500 });
  });

  it('is the wall clock as long as nobody sets that', () => {
    const property = fc.property(fc.array(happening, { maxLength: 30 }), (happenings) => {
      const machine = new MachineTime(noon);
      const clock = clockOf(machine);
      let roundingMs = 0;
      for (const { kind, ms } of happenings) {
        machine[kind === 'step' ? 'pass' : kind](Math.abs(ms));
        // How long it slept is known to the second.
        if (kind === 'sleep') roundingMs += 1_000;
        expect(Math.abs(clock.now() - machine.wall())).toBeLessThanOrEqual(1 + roundingMs);
      }
      machine.pass(hour);
      expect(Math.abs(clock.now() - machine.wall())).toBeLessThanOrEqual(1);
    });
    fc.assert(property, { seed: 20_261_120, numRuns: 300 });
  });

  it('is the wall clock again some time after it was set, sooner when that went forward', () => {
    const property = fc.property(fc.integer({ min: -10 * day, max: 10 * day }), fc.array(happening, { maxLength: 5 }), (step, before) => {
      const machine = new MachineTime(noon);
      const clock = clockOf(machine);
      for (const { kind, ms } of before) machine[kind](ms);
      clock.now();
      machine.step(step);
      const gap = machine.wall() - clock.now();
      machine.pass(gap > 0 ? gap / (speedBehind - 1) : -gap / (1 - speedAhead));
      expect(Math.abs(clock.now() - machine.wall())).toBeLessThanOrEqual(2);
    });
    fc.assert(property, { seed: 20_261_120, numRuns: 300 });
  });

  it('goes on when the wall clock goes back an hour, a tenth slower', () => {
    const machine = new MachineTime(noon);
    const clock = clockOf(machine);
    machine.pass(10 * minute);
    machine.step(-hour);
    expect(clock.now()).toBe(noon + 10 * minute);
    machine.pass(10 * minute);
    expect(clock.now()).toBe(noon + 19 * minute);
    expect(clock.ahead()).toBeCloseTo(59 * minute, -2);
  });

  it('hardly notices ten days forward that are taken back again', () => {
    const machine = new MachineTime(noon);
    const clock = clockOf(machine);
    machine.step(10 * day);
    clock.now();
    machine.pass(5 * minute);
    expect(clock.now()).toBe(noon + 10 * minute);
    machine.step(-10 * day);
    clock.now();
    machine.pass(50 * minute);
    expect(clock.now()).toBe(machine.wall());
  });

  it('that begins in the past runs fast until it has come to the wall clock, and goes with it from there', () => {
    const machine = new MachineTime(noon);
    const clock = LiveClock.catchingUp(61, { behindMs: day }, machine);
    let caughtUp = 0;
    clock.onCaughtUp = () => caughtUp++;
    expect(clock.now()).toBe(noon - day);
    expect(clock.catchesUpIn()).toBe(day / 60);
    machine.pass(minute);
    expect(clock.now()).toBe(noon - day + 61 * minute);
    // What the log already has is not written again.
    clock.notBefore(noon - hour);
    expect(clock.now()).toBe(noon - hour);
    expect(clock.catchesUpIn()).toBe((hour + minute) / 60);
    machine.pass(61_000);
    expect([clock.now(), clock.speed, caughtUp]).toEqual([machine.wall(), 1, 1]);
    expect(clock.catchesUpIn()).toBeUndefined();
    machine.pass(hour);
    expect([clock.now(), clock.inRealMs(1_000), caughtUp]).toEqual([machine.wall(), 1_000, 1]);
  });

  it('that began in the past in another process is the wall clock, where it has come to it meanwhile', () => {
    const machine = new MachineTime(noon);
    const clock = LiveClock.catchingUp(3_600, { start: noon - hour, origin: noon - minute }, machine);
    expect([clock.now(), clock.speed, clock.catchesUpIn()]).toEqual([noon, 1, undefined]);
    machine.pass(minute);
    expect(clock.now()).toBe(machine.wall());
  });

  it('counts what the machine slept', () => {
    const machine = new MachineTime(noon);
    const clock = clockOf(machine);
    const steps: number[] = [];
    clock.onStep = (byMs) => void steps.push(byMs);
    machine.sleep(8 * hour);
    expect(clock.now()).toBe(noon + 8 * hour);
    expect(steps).toEqual([]);
    machine.step(-hour);
    clock.now();
    expect(steps).toEqual([-hour]);
  });

  it('goes on at once where a log is ahead of the wall clock, and comes back to it', () => {
    const machine = new MachineTime(noon);
    const clock = clockOf(machine);
    clock.notBefore(noon + 10 * day);
    expect(clock.now()).toBe(noon + 10 * day);
    machine.pass(hour);
    expect(clock.now()).toBe(noon + 10 * day + 54 * minute);
    machine.pass(100 * day);
    expect(clock.now()).toBe(machine.wall());
    clock.notBefore(noon);
    expect(clock.now()).toBe(machine.wall());
  });

  it('agrees with the clocks of other processes that are ahead for the same reason', () => {
    const machine = new MachineTime(noon);
    const first = new LiveClock(1, noon + hour, noon, machine);
    machine.pass(20 * minute);
    const second = new LiveClock(1, noon + hour, noon, machine);
    expect(second.now()).toBe(first.now());
    expect(first.now()).toBe(noon + hour + 18 * minute);
    machine.pass(10 * hour);
    expect([first.now(), second.now()]).toEqual([machine.wall(), machine.wall()]);
  });

  it('keeps a speed of its own, and where that has led', () => {
    const machine = new MachineTime(noon);
    const clock = clockOf(machine, 60);
    clock.notBefore(noon + day);
    machine.pass(minute);
    expect(clock.now()).toBe(noon + day + hour);
  });
});

describe('an appointment', () => {
  let machine: MachineTime;
  beforeEach(() => {
    vi.useFakeTimers();
    machine = new MachineTime(noon);
  });
  afterEach(() => vi.useRealTimers());

  const pass = (ms: number): void => {
    for (let left = ms; left > 0; left -= 100) {
      machine.pass(100);
      vi.advanceTimersByTime(100);
    }
  };

  it('is kept on time when the wall clock is set in between', () => {
    const clock = clockOf(machine);
    const kept: number[] = [];
    clock.at(noon + 30_000, () => kept.push(clock.now()));
    pass(10_000);
    machine.step(10 * day);
    expect(kept).toEqual([]);
    pass(9_900);
    expect(kept).toEqual([]);
    // Noticed within a second, then twice as fast.
    pass(1_200);
    expect(kept).toHaveLength(1);
    expect(kept[0]).toBeLessThan(noon + 30_500);
  });

  it('that fell due while the machine slept is kept soon after', () => {
    const clock = clockOf(machine);
    let kept = 0;
    clock.at(noon + hour, () => kept++);
    pass(1_000);
    machine.sleep(2 * hour);
    pass(1_000);
    expect(kept).toBe(1);
  });

  it('can be cancelled', () => {
    const clock = clockOf(machine);
    let kept = 0;
    clock.at(noon + 1_000, () => kept++).cancel();
    pass(10_000);
    expect(kept).toBe(0);
  });
});
