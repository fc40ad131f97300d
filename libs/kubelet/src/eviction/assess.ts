import { noPressure, type MetThreshold, type NodePressure, type PressureCondition } from '#libs/cluster-state';
import { availableAt, type NodeMeasures } from './node-usage';
import { conditionOfSignal } from './signals';
import { bytesAt, inOrder, type EvictionConfig, type Threshold } from './thresholds';

/** A crossed threshold, and what was left. */
export interface Met extends MetThreshold {
  of: Threshold;
  available: number;
}

/** What a look finds. */
export interface Assessment {
  met: Met[];
  conditions: PressureCondition[];
}

/** Bytes below which a threshold is crossed, or, when something had to be reclaimed for its sake, stays so. */
export function boundOf({ value, minReclaim }: Threshold, wasRipe: boolean, capacity: number): number {
  return bytesAt(value, capacity) + (wasRipe && minReclaim ? bytesAt(minReclaim, capacity) : 0);
}

/**
 * What a look finds, after what was known before (upstream `synchronize`): the thresholds crossed; those among them whose grace is over;
 * and the conditions of the node, which stay for a while after the last reason for them.
 * @param look its moment, ms
 * @param before the look before it
 */
export function assess(
  { thresholds, transitionMs }: EvictionConfig,
  measures: NodeMeasures,
  known: NodePressure | undefined,
  look: number,
  before: number,
): Assessment {
  const past = known ?? noPressure;
  const met = inOrder(thresholds).flatMap((of): Met[] => {
    const was = past.met.find(({ threshold }) => threshold === of.name);
    const available = availableAt(measures, of.signal, look);
    const capacity = measures[of.signal]?.capacity ?? 0;
    if (available === undefined || available >= boundOf(of, was?.isRipe === true, capacity)) return [];
    const since = was?.since ?? look;
    return [{ of, threshold: of.name, since, available, ...(look - since >= of.graceMs ? { isRipe: true } : {}) }];
  });
  return { met, conditions: conditionsAt(met, past, thresholds, transitionMs, look, before) };
}

const conditionTypes = ['MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;

function conditionsAt(
  met: readonly Met[],
  past: NodePressure,
  thresholds: readonly Threshold[],
  transitionMs: number,
  look: number,
  before: number,
): PressureCondition[] {
  return conditionTypes.flatMap((type) => {
    if (met.some(({ of }) => conditionOfSignal(of.signal) === type)) return [{ type, lastObserved: look }];
    const known = past.conditions.find((condition) => condition.type === type);
    if (!known) return [];
    const stood = past.met.some(({ threshold }) =>
      thresholds.some(({ name, signal }) => name === threshold && conditionOfSignal(signal) === type),
    );
    // While its reason stands every look finds it, whether it says so or not.
    const lastObserved = stood ? Math.max(known.lastObserved, before) : known.lastObserved;
    return look - lastObserved < transitionMs ? [{ type, lastObserved }] : [];
  });
}

/** Nobody has to be told: the same thresholds and conditions as before. */
export function isKnown({ met, conditions }: Assessment, known: NodePressure | undefined): boolean {
  const past = known ?? noPressure;
  return (
    met.length === past.met.length &&
    met.every(({ threshold, isRipe }, index) => past.met[index]?.threshold === threshold && past.met[index]?.isRipe === isRipe) &&
    conditions.length === past.conditions.length &&
    conditions.every(({ type, lastObserved }, index) => {
      const was = past.conditions[index];
      return was?.type === type && (was.lastObserved === lastObserved || met.some(({ of }) => conditionOfSignal(of.signal) === type));
    })
  );
}
