import { describe, expect, it } from 'vitest';
import { derivedIndex } from '#libs/kernel';
import type { ProbeKind } from '../../../behaviour';
import { ProbeCourse, type CourseRules } from './probe-course';
import { fails, finderOf, succeeds, type ProbeFinder, type ProbeOutcome } from './probe-outcome';

const from = (fromMs: number, outcome: ProbeOutcome): { fromMs: number } & ProbeOutcome => ({ fromMs, ...outcome });
const bad = fails('no');

/** A finder that goes by steps, again and again where a cycle is given. */
const finding = (steps: ({ fromMs: number } & ProbeOutcome)[], cycleMs?: number): ProbeFinder =>
  finderOf<ProbeOutcome>({ steps, cycleMs }, ({ result, text, takesMs }) => ({ result, text, takesMs }));

function course(kind: ProbeKind, find: ProbeFinder, rules: Partial<CourseRules> = {}): ProbeCourse {
  const usual = { kind, periodMs: 10_000, successThreshold: 1, failureThreshold: 3, startedAt: 0, notBefore: 0, firstAt: 0 };
  return new ProbeCourse({ ...usual, ...rules }, find);
}

/** Every change of the verdict up to a moment, and how often something was told by then. */
function storyOf(followed: ProbeCourse, until: number): string[] {
  const story: string[] = [];
  for (let at = followed.nextVerdictAt(); at !== undefined && at <= until; at = followed.nextVerdictAt()) {
    followed.advance(at);
    story.push(`${followed.verdict} ${at / 1_000}`);
  }
  followed.advance(until);
  return [...story, ...[...followed.told.values()].map(({ message, times }) => `${message} x${times}`)];
}

describe('readiness, as recorded from v1.34.4', () => {
  it('is asked at once, a second time with the sync that follows, then each period', () => {
    const followed = course('readiness', finding([from(0, bad)]), { periodMs: 3_000, againAt: 1_000 });
    expect(storyOf(followed, 13_100)).toEqual(['Readiness probe failed: no x6']);
    expect(followed.nextTellingAt(13_100)).toBe(16_000);
  });

  it.each([
    [1, ['success 0']],
    [3, ['success 3']],
  ])('needs %i successes in a row', (successThreshold, story) => {
    expect(
      storyOf(course('readiness', finding([from(0, succeeds)]), { periodMs: 2_000, successThreshold, againAt: 1_000 }), 20_000),
    ).toEqual(story);
  });

  it('is lost with the last of the failures in a row, and asked for again at once', () => {
    const find = finding([from(0, succeeds), from(6_000, fails('broken'))]);
    expect(storyOf(course('readiness', find, { periodMs: 2_000, firstAt: 800, againAt: 1_800 }), 20_800)).toEqual([
      'success 0.8',
      'failure 10.8',
      'Readiness probe failed: broken x9',
    ]);
  });

  it('goes up and down', () => {
    const find = finding([from(0, succeeds), from(6_000, bad)], 12_000);
    expect(storyOf(course('readiness', find, { periodMs: 1_000, failureThreshold: 1, firstAt: 400, againAt: 1_400 }), 36_400)).toEqual([
      'success 0.4',
      'failure 6.4',
      'success 12.4',
      'failure 18.4',
      'success 24.4',
      'failure 30.4',
      'success 36.4',
      'Readiness probe failed: no x21',
    ]);
  });

  it('waits out its initial delay in the row that begins with the second sync', () => {
    const rules = { periodMs: 3_000, notBefore: 6_000, firstAt: 700, againAt: 1_600 };
    expect(storyOf(course('readiness', finding([from(0, succeeds)]), rules), 20_000)).toEqual(['success 7.6']);
  });

  it('is told of when the time for an answer is over', () => {
    const find = finding([from(0, fails('timed out', 1_000)), from(12_000, succeeds)]);
    expect(storyOf(course('readiness', find, { periodMs: 4_000, firstAt: 900, againAt: 1_900 }), 24_000)).toEqual([
      'success 13.9',
      'Readiness probe failed: timed out x4',
    ]);
  });
});

describe('liveness', () => {
  it('fails with the last of the failures in a row; nobody asks after that', () => {
    const followed = course('liveness', finding([from(0, succeeds), from(6_000, bad)]), { periodMs: 2_000, notBefore: 1 });
    expect(storyOf(followed, 60_000)).toEqual(['failure 10', 'Liveness probe failed: no x3']);
    expect(followed.isOver).toBe(true);
    expect(followed.nextTellingAt(0)).toBeUndefined();
  });

  it('begins with the first round of its row that is not too early', () => {
    const rules = { periodMs: 2_000, failureThreshold: 1, firstAt: 500, notBefore: 8_000 };
    expect(storyOf(course('liveness', finding([from(0, bad)]), rules), 60_000)).toEqual(['failure 8.5', 'Liveness probe failed: no x1']);
  });

  it('does not count rounds that cannot be made', () => {
    const find = finding([from(0, { result: 'error', text: 'no such port', takesMs: 0 })]);
    expect(storyOf(course('liveness', find), 25_000)).toEqual(['Liveness probe errored and resulted in unknown state: no such port x3']);
  });

  it('asks again at once after a round that took longer than a period', () => {
    const followed = course('liveness', finding([from(0, fails('slow', 3_000))]), { periodMs: 1_000 });
    expect(storyOf(followed, 60_000)).toEqual(['failure 9', 'Liveness probe failed: slow x3']);
  });
});

describe('a startup probe', () => {
  it('is over with its first success', () => {
    const followed = course('startup', finding([from(0, bad), from(5_000, succeeds), from(7_000, bad)]), {
      periodMs: 1_000,
      failureThreshold: 30,
    });
    expect(followed.verdict).toBe('unknown');
    expect(storyOf(followed, 60_000)).toEqual(['success 5', 'Startup probe failed: no x5']);
  });

  it('fails where no success comes in time', () => {
    expect(storyOf(course('startup', finding([from(0, bad)]), { periodMs: 1_000, failureThreshold: 4 }), 60_000)).toEqual([
      'failure 3',
      'Startup probe failed: no x4',
    ]);
  });
});

describe('a long time', () => {
  /** A finder that counts how often it is asked. */
  function counted(find: ProbeFinder): { find: ProbeFinder; asked: () => number } {
    let asked = 0;
    return { find: (since) => (asked++, find(since)), asked: () => asked };
  }

  it('takes no more than the changes in it', () => {
    const { find, asked } = counted(finding([from(0, succeeds), from(40_000_000, bad), from(40_010_000, succeeds)]));
    const followed = course('readiness', find, { periodMs: 1_000, againAt: 1_000 });
    followed.advance(86_400_000);
    expect([...followed.told.values()].map(({ times }) => times)).toEqual([11]);
    expect(followed.nextVerdictAt()).toBeUndefined();
    expect(asked()).toBeLessThan(20);
  });

  it('is the same in one go as step by step', () => {
    let draws = 0;
    const amount = (bound: number): number => derivedIndex(`probe courses/${draws++}`, bound);
    for (let world = 0; world < 200; world++) {
      const steps = Array.from({ length: 1 + amount(5) }, (_, index) => {
        const takesMs = amount(3) === 0 ? amount(4_000) : 0;
        return from(index * 7_000 + (index === 0 ? 0 : amount(6_000)), amount(2) === 0 ? { ...succeeds, takesMs } : fails('no', takesMs));
      });
      const cycleMs = amount(2) === 0 ? 40_000 + amount(5_000) : undefined;
      const kind = (['startup', 'readiness', 'liveness'] as const)[amount(3)] as ProbeKind;
      const firstAt = amount(5_000);
      const rules = {
        periodMs: 1_000 * (1 + amount(4)),
        successThreshold: 1 + (kind === 'readiness' ? amount(3) : 0),
        failureThreshold: 1 + amount(4),
        firstAt,
        notBefore: amount(8_000),
        ...(kind === 'readiness' && amount(2) === 0 ? { againAt: firstAt + 1_000 } : {}),
      };
      const find = finding(steps, cycleMs);
      const [whole, stepwise] = [course(kind, find, rules), course(kind, find, rules)];
      whole.advance(300_000);
      for (let at = 0; at <= 300_000; at += 1 + amount(900)) stepwise.advance(at);
      stepwise.advance(300_000);
      expect(stepwise).toEqual(whole);
    }
  });
});
