/** What is used from a moment on, ms since the run began: so much, and so much more with each second, up to a bound. */
export interface UsageStep {
  fromMs: number;
  amount: number;
  growthPerSecond?: number;
  max?: number;
}

/** What is used this many ms after the start; undefined: nothing is said for then. */
export function usageAt(steps: readonly UsageStep[], sinceStartMs: number): number | undefined {
  let found: UsageStep | undefined;
  for (const step of steps) {
    if (step.fromMs > sinceStartMs) break;
    found = step;
  }
  if (!found) return undefined;
  const { fromMs, amount, growthPerSecond = 0, max = Number.POSITIVE_INFINITY } = found;
  return Math.min(max, amount + (growthPerSecond * (sinceStartMs - fromMs)) / 1_000);
}

/** When the use changes in any way after this moment, ms since the start: now, while it grows. Undefined: never again. */
export function usageChangesAt(steps: readonly UsageStep[], sinceStartMs: number): number | undefined {
  let next: number | undefined;
  let present: UsageStep | undefined;
  for (const step of steps) {
    if (step.fromMs <= sinceStartMs) present = step;
    else {
      next = step.fromMs;
      break;
    }
  }
  if (!present?.growthPerSecond) return next;
  const { fromMs, amount, growthPerSecond, max = Number.POSITIVE_INFINITY } = present;
  const grown = amount + (growthPerSecond * (sinceStartMs - fromMs)) / 1_000;
  return grown < max ? sinceStartMs : next;
}

/** The first whole ms since the start, from `fromMs` on, at which more than `bound` is used; undefined: it never comes to that. */
export function exceedsAt(steps: readonly UsageStep[], bound: number, fromMs = 0): number | undefined {
  for (let index = 0; index < steps.length; index++) {
    const { fromMs: begin, amount, growthPerSecond = 0, max = Number.POSITIVE_INFINITY } = steps[index] as UsageStep;
    const end = steps[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
    const first = Math.max(begin, fromMs);
    if (first >= end) continue;
    if ((usageAt(steps, first) as number) > bound) return first;
    if (growthPerSecond <= 0 || max <= bound) continue;
    // The crossing itself finds just the bound.
    const crossing = begin + Math.floor(((bound - amount) * 1_000) / growthPerSecond) + 1;
    if (crossing < end) return Math.max(first, crossing);
  }
  return undefined;
}
