// Two courses side by side: states in their order, what was too short to be seen left out.
import { jsonEqual } from '#libs/kernel';
import type { NormalForm } from './normal-form';

export interface State extends NormalForm {
  /** When it began, seconds. */
  t: number;
  /** How long it lasted, seconds. */
  lasted: number;
}

/** A recorded state and ours; one alone: the other course lacks it. */
export interface Pair {
  recorded?: State;
  ours?: State;
}

/** Of a state that is missing by right; a state in another one's place counts as two that miss each other, nearly. */
const unseenCost = 0.01;
const missingCost = 1;
const otherCost = 1.5;

/** A state that lived for less may be skipped or merged, seconds: the recordings' tolerance, and what is cut from their times. */
export const shortestSeen = 1.2;

const costOf = ({ lasted }: State): number => (lasted <= shortestSeen ? unseenCost : missingCost);

/** The cheapest way to lay the two courses side by side. */
export function align(recorded: readonly State[], ours: readonly State[]): Pair[] {
  const cost = Array.from({ length: recorded.length + 1 }, () => new Array<number>(ours.length + 1).fill(0));
  const at = (i: number, j: number): number => cost[i]?.[j] as number;
  const pairCost = (i: number, j: number): number => (jsonEqual(recorded[i]?.value, ours[j]?.value) ? 0 : otherCost);
  for (let i = recorded.length; i >= 0; i--) {
    for (let j = ours.length; j >= 0; j--) {
      const ways: number[] = [];
      if (i < recorded.length && j < ours.length) ways.push(pairCost(i, j) + at(i + 1, j + 1));
      if (i < recorded.length) ways.push(costOf(recorded[i] as State) + at(i + 1, j));
      if (j < ours.length) ways.push(costOf(ours[j] as State) + at(i, j + 1));
      (cost[i] as number[])[j] = ways.length === 0 ? 0 : Math.min(...ways);
    }
  }
  const pairs: Pair[] = [];
  let i = 0;
  let j = 0;
  while (i < recorded.length || j < ours.length) {
    const here = at(i, j);
    if (i < recorded.length && j < ours.length && here === pairCost(i, j) + at(i + 1, j + 1))
      pairs.push({ recorded: recorded[i++], ours: ours[j++] });
    else if (i < recorded.length && here === costOf(recorded[i] as State) + at(i + 1, j)) pairs.push({ recorded: recorded[i++] });
    else pairs.push({ ours: ours[j++] });
  }
  return pairs;
}

/** States in their order, equal ones in a row as one. @param end seconds */
export function courseOf(entries: readonly { t: number; form: NormalForm }[], end: number): State[] {
  const states: State[] = [];
  entries.forEach(({ t, form }, index) => {
    const lasted = (entries[index + 1]?.t ?? end) - t;
    const last = states[states.length - 1];
    if (last && jsonEqual(last.value, form.value)) last.lasted += lasted;
    else states.push({ ...form, t, lasted });
  });
  return states;
}
