import { derivedIndex, derivedSuffix, derivedUid } from '#libs/kernel';
import type { Chance } from './controller';

/** Chance for one decision, from the cluster's seed and the decision's name. */
export function chanceOf(seed: string, decision: string): Chance {
  const root = `${seed}/${decision}`;
  return {
    index: (bound, label) => derivedIndex(`${root}/${label}`, bound),
    uid: (label) => derivedUid(`${root}/${label}`),
    suffix: (label) => derivedSuffix(`${root}/${label}`),
  };
}
