import { semanticEqual } from '../strategy/equality';

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

/** Tolerations in both lists together: each is held against each. Upstream sets no bound. */
export const mergedTolerationsMax = 1_000;

/** Both lists in one, without those that another one covers; of equal ones the first stays (upstream `MergeTolerations`). */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  for (const [index, toleration] of all.entries()) {
    if (merged.some((other) => covers(other, toleration))) continue;
    const later = all.slice(index + 1);
    if (!later.some((other) => !semanticEqual(toleration, other) && covers(other, toleration))) merged.push(toleration);
  }
  return merged;
}

/** Whether all that `narrow` tolerates, and for as long, is tolerated by `wide`. */
function covers(wide: Toleration, narrow: Toleration): boolean {
  if (semanticEqual(wide, narrow)) return true;
  const { key = '', operator = '', value = '', effect = '' } = wide;
  if ((narrow.key ?? '') !== key && (key !== '' || operator !== 'Exists')) return false;
  if ((narrow.effect ?? '') !== effect && effect !== '') return false;
  if (effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
  }
  if (operator === 'Exists') return true;
  return (operator === '' || operator === 'Equal') && narrow.operator === 'Equal' && (narrow.value ?? '') === value;
}
