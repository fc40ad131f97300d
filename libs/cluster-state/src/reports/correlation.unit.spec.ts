import { describe, expect, it } from 'vitest';
import { correlate, type Correlation } from './correlation';
import type { Report } from './report';

const start = Date.UTC(2026, 0, 1);

/** What one component tells of one object, one after the other. */
class Told {
  private correlation: Correlation | undefined;
  now = start;

  /** What is written; undefined: it is held back. */
  tell(message: string, type: Report['type'] = 'Normal'): string | undefined {
    const regarding = { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace: 'default', name: 'web', uid: 'u' };
    const report = { regarding, component: 'replicaset-controller', type, reason: 'SuccessfulCreate', message };
    const { correlation, told } = correlate(report, message, this.now, this.correlation);
    this.correlation = correlation;
    return told && `${told.message}${told.heldBack > 0 ? ` (${told.heldBack} held back)` : ''}`;
  }

  tellMany(count: number, from = 1): (string | undefined)[] {
    return Array.from({ length: count }, (_, index) => this.tell(`pod ${from + index}`));
  }
}

const combined = (number: number): string => `(combined from similar events): pod ${number}`;

describe('what becomes of many Events about one object', () => {
  it('nine that differ in their messages stand alone, further ones are combined', () => {
    const told = new Told().tellMany(12);
    expect(told.slice(0, 9)).toEqual(Array.from({ length: 9 }, (_, index) => `pod ${index + 1}`));
    expect(told.slice(9)).toEqual([combined(10), combined(11), combined(12)]);
  });

  it('those that stood alone are counted alone', () => {
    const events = new Told();
    events.tellMany(12);
    expect(events.tell('pod 3')).toBe('pod 3');
  });

  it('ten minutes after the last of them it begins anew', () => {
    const events = new Told();
    events.tellMany(12);
    events.now += 600_000;
    expect(events.tell('pod 13')).toBe(combined(13));
    events.now += 600_001;
    expect(events.tell('pod 14')).toBe('pod 14');
  });

  it('after twenty-five of a type at once one is written in five minutes, and counts those held back', () => {
    const events = new Told();
    expect(events.tellMany(30).map((text) => text !== undefined)).toEqual([
      ...Array<boolean>(25).fill(true),
      ...Array<boolean>(5).fill(false),
    ]);
    expect(events.tell('out of order', 'Warning')).toBe('out of order');
    events.now += 299_999;
    expect(events.tell('pod 31')).toBeUndefined();
    events.now += 1;
    expect(events.tell('pod 32')).toBe(`${combined(32)} (6 held back)`);
  });
});
