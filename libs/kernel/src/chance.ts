import { derivedIndex, derivedSuffix, derivedUid } from './ids';

/** Chance that can be had again: every draw is a function of the decision's name and the draw's label. */
export interface Chance {
  /** An integer in [0, bound). */
  index(bound: number, label: string): number;
  uid(label: string): string;
  /** Five characters for a generated name. */
  suffix(label: string): string;
}

/** Chance for one decision, from the cluster's seed and the decision's name. */
export function chanceOf(seed: string, decision: string): Chance {
  const root = `${seed}/${decision}`;
  return {
    index: (bound, label) => derivedIndex(`${root}/${label}`, bound),
    uid: (label) => derivedUid(`${root}/${label}`),
    suffix: (label) => derivedSuffix(`${root}/${label}`),
  };
}
