import type { NodePressure } from '#libs/cluster-state';
import { boundOf } from './assess';
import type { NodeMeasures } from './node-usage';
import { conditionOfSignal } from './signals';
import type { EvictionConfig } from './thresholds';
import { firstLook, lookFrom, type Looks } from './usage-line';

/** The first look, from the given one on, that will find the node otherwise than it is known to be; undefined: none, unless something happens. */
export function nextChange(
  { thresholds, transitionMs }: EvictionConfig,
  measures: NodeMeasures,
  { met, conditions }: NodePressure,
  looks: Looks,
  start: number,
): number | undefined {
  let first: number | undefined;
  const consider = (look: number | undefined): void => {
    if (look !== undefined && (first === undefined || look < first)) first = look;
  };
  for (const threshold of thresholds) {
    const measure = measures[threshold.signal];
    if (!measure) continue;
    const known = met.find((each) => each.threshold === threshold.name);
    const bound = measure.capacity - boundOf(threshold, known?.isRipe === true, measure.capacity);
    consider(firstLook(measure.used, looks, start, bound, known === undefined));
    if (known && !known.isRipe) consider(Math.max(start, lookFrom(looks, known.since + threshold.graceMs)));
  }
  for (const { type, lastObserved } of conditions) {
    const isReasoned = met.some(({ threshold }) =>
      thresholds.some(({ name, signal }) => name === threshold && conditionOfSignal(signal) === type),
    );
    if (!isReasoned) consider(Math.max(start, lookFrom(looks, lastObserved + transitionMs)));
  }
  return first;
}
