import { duplicate, tooMany } from '../../../status/field-error';
import { byteLength } from '../../../validation/formats';
import { entriesOf, listOf, type Errors, type Loose } from '../../../validation/values';

export type ItemRule = (item: Loose, field: string, errors: Errors) => void;

/** Each item, then how many there may be; of too many only the number is shown. */
export function validateItems(list: unknown, countMax: number | undefined, rule: ItemRule, field: string, errors: Errors): void {
  const items = listOf(list);
  for (const [index, item] of items.entries()) rule(item, `${field}[${index}]`, errors);
  if (countMax !== undefined && items.length > countMax) errors.push(tooMany(field, items.length, countMax));
}

/** As `validateItems`, and no two items may have the same key. `keyField`: where in an item it stands; empty where it is the item. */
export function validateSet(
  list: unknown,
  countMax: number | undefined,
  rule: ItemRule,
  [keyField, keyOf]: readonly [string, (item: Loose) => string],
  field: string,
  errors: Errors,
): void {
  validateItems(list, countMax, rule, field, errors);
  const seen = new Set<string>();
  for (const [index, item] of listOf(list).entries()) {
    const key = keyOf(item);
    if (seen.has(key)) errors.push(duplicate(`${field}[${index}]${keyField}`, key));
    seen.add(key);
  }
}

export const byName = ['.name', ({ name = '' }: Loose): string => name] as const;
export const byItself = ['', (item: Loose): string => item ?? ''] as const;

/** Keys and values of a map; paths show long keys without their middle. */
export function validateEntries(
  map: unknown,
  shownMax: number,
  keyRule: ItemRule,
  valueRule: ItemRule,
  field: string,
  errors: Errors,
): void {
  for (const [key, value] of entriesOf(map)) {
    const at = `${field}[${shortened(key, Math.max(shownMax, 16))}]`;
    keyRule(key, at, errors);
    valueRule(value, at, errors);
  }
}

function shortened(key: string, bytesMax: number): string {
  if (byteLength(key) <= bytesMax) return key;
  const left = bytesMax - 3;
  return `${key.slice(0, Math.floor((left + 1) / 2))}...${key.slice(key.length - Math.floor(left / 2))}`;
}
