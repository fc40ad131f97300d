import { usageAt, type UsageStep } from '../behaviour';

/** What a container uses of the processor over time, from the start of its run on. */
export interface CpuUse {
  steps: readonly UsageStep[];
  /** The steps begin anew after this time, ms. */
  cycleMs?: number;
  /** It is never given more, millicores. */
  limit?: number;
}

/** Processor time that a run has had up to this many ms after its start: millicores times ms. */
export function cpuTimeAt({ steps, cycleMs, limit = Number.POSITIVE_INFINITY }: CpuUse, sinceStartMs: number): number {
  if (sinceStartMs <= 0 || steps.length === 0) return 0;
  if (cycleMs === undefined) return withinCycle(steps, sinceStartMs, limit);
  const turns = Math.floor(sinceStartMs / cycleMs);
  const rest = withinCycle(steps, sinceStartMs - turns * cycleMs, limit);
  return turns === 0 ? rest : turns * withinCycle(steps, cycleMs, limit) + rest;
}

/** Millicores that a run uses this many ms after its start. */
export function cpuAt({ steps, cycleMs, limit = Number.POSITIVE_INFINITY }: CpuUse, sinceStartMs: number): number {
  return Math.min(limit, usageAt(steps, cycleMs === undefined ? sinceStartMs : sinceStartMs % cycleMs) ?? 0);
}

function withinCycle(steps: readonly UsageStep[], untilMs: number, limit: number): number {
  let sum = 0;
  steps.forEach((step, index) => {
    const end = Math.min(untilMs, steps[index + 1]?.fromMs ?? untilMs);
    if (end > step.fromMs) sum += areaOf(step, end - step.fromMs, limit);
  });
  return sum;
}

/** A step rises in a straight line until it comes to its bound. */
function areaOf({ amount, growthPerSecond = 0, max = Number.POSITIVE_INFINITY }: UsageStep, lengthMs: number, limit: number): number {
  const bound = Math.min(max, limit);
  const perMs = growthPerSecond / 1_000;
  if (amount >= bound) return bound * lengthMs;
  if (perMs <= 0) return amount * lengthMs;
  const risingMs = Math.min(lengthMs, (bound - amount) / perMs);
  const rising = amount * risingMs + (perMs * risingMs * risingMs) / 2;
  return lengthMs > risingMs ? rising + bound * (lengthMs - risingMs) : rising;
}
