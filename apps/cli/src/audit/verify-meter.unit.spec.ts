import { expect, it } from 'vitest';
import { VerifyMeter } from './verify-meter';

it('tells how far two parts have come, how fast, and how long it will take yet', () => {
  let now = 1_000;
  const shown: string[] = [];
  const meter = new VerifyMeter(
    1_600_000,
    2,
    () => now,
    (text) => shown.push(text),
  );
  now += 10_000;
  meter.progress('record', { reading: 1, events: 50_000, position: 800_000 });
  // Half of one of two readings of one of two parts.
  expect(shown).toEqual(['\r\x1b[K12 %, 5,000 events/s, 1:10 left']);
  now += 100;
  meter.progress('replay', { reading: 1, events: 100_000, position: 1_600_000 });
  expect(shown).toHaveLength(1);
  now += 9_900;
  meter.progress('replay', { reading: 2, events: 50_000, position: 800_000 });
  expect(shown[1]).toBe('\r\x1b[K50 %, 10,000 events/s, 0:20 left');
  meter.end();
  expect(shown[2]).toBe('\r\x1b[K');
});

it('writes nothing where nobody looks', () => {
  const meter = new VerifyMeter(0, 1, () => 0);
  meter.progress('all', { reading: 1, events: 0, position: 0 });
  expect(() => meter.end()).not.toThrow();
});
