/**
 * What only saves work: with or without it every answer is the same, so a look may leave it behind. By class and field; what these fields
 * lead to is not looked at.
 */
const memos: Readonly<Record<string, ReadonlySet<string>>> = {
  SchedulerCache: new Set(['memos', 'order']),
  // Numbers of the node that is being scored.
  ResourceScorer: new Set(['requested', 'capacity']),
  // What is known of kinds is looked up when it is first asked for; that kinds came or went is counted.
  KindCatalogue: new Set(['byPath', 'byName', 'byKind', 'list', 'otherSchemas']),
  // Who owns which fields is found out when somebody asks.
  FieldOwners: new Set(['kept', 'change', 'waiting']),
};
/** What plugins note for the later parts of one attempt; no state holds it. */
const notes = 'CycleState';

/**
 * Everything that an object leads to, as a list that is equal for equal states: fields, entries of maps and members of sets in their order,
 * and which of them are the same object. What a look must leave as it was.
 */
export function stateDigest(root: unknown): string[] {
  const seen = new Map<object, number>();
  const parts: string[] = [];
  // A stack of its own: states are deeper than the call stack allows.
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'function') parts.push('function');
    else if (typeof value !== 'object' || value === null)
      parts.push(typeof value === 'string' ? value : `${typeof value} ${String(value)}`);
    else if (seen.has(value)) parts.push(`#${seen.get(value)}`);
    else {
      seen.set(value, seen.size);
      const inner = partsOf(value);
      parts.push(`${value.constructor?.name ?? ''}{${inner.length}`);
      for (let i = inner.length - 1; i >= 0; i--) open.push(inner[i]);
    }
  }
  return parts;
}

function partsOf(value: object): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (value instanceof Map) return [...value].flat(1);
  if (value instanceof Set) return [...value];
  if (value instanceof WeakMap || value instanceof WeakSet || value.constructor?.name === notes) return [];
  const skipped = memos[value.constructor?.name ?? ''];
  const parts: unknown[] = [];
  for (const [name, field] of Object.entries(value)) if (!skipped?.has(name)) parts.push(name, field);
  return parts;
}

/** Where two digests part, with what stands before and after; undefined: they are equal. */
export function digestDifference(before: readonly string[], after: readonly string[]): string | undefined {
  const place = before.findIndex((part, index) => part !== after[index]);
  if (place < 0) return before.length === after.length ? undefined : `… and ${after.length - before.length} parts more`;
  const around = (parts: readonly string[]): string => parts.slice(place, place + 4).join(' ');
  return `${before.slice(Math.max(0, place - 8), place).join(' ')} … ${around(before)} → ${around(after)}`;
}
