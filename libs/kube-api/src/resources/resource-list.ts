import { addQuantities, formatQuantity, parseQuantity, type Quantity } from '#libs/kernel';

/** Amounts by the name of the resource, exact (upstream `ResourceList`). */
export type ResourceList = Map<string, Quantity>;

export const none: Quantity = { nano: 0n, format: 'DecimalSI' };

/** A count of whole units. */
export function count(units: number): Quantity {
  return { nano: BigInt(units) * 1_000_000_000n, format: 'DecimalSI' };
}

/** The list as it stands in an object; what is no quantity counts as none. */
export function readList(list: unknown): ResourceList {
  const read: ResourceList = new Map();
  for (const [name, text] of Object.entries((list ?? {}) as Record<string, unknown>)) read.set(name, parseQuantity(text) ?? none);
  return read;
}

/** As it is written into an object, canonical and sorted by name. */
export function writeList(list: ResourceList): Record<string, string> {
  return Object.fromEntries(sortedNames(list).map((name) => [name, formatQuantity(list.get(name) as Quantity)]));
}

export function sortedNames(list: ReadonlyMap<string, unknown>): string[] {
  return [...list.keys()].sort();
}

/** Adds the second list to the first. */
export function addTo(list: ResourceList, other: ResourceList): void {
  for (const [name, amount] of other) {
    const present = list.get(name);
    list.set(name, present ? addQuantities(present, amount) : amount);
  }
}

/** Raises each amount of the first list to that of the second. */
export function raiseTo(list: ResourceList, other: ResourceList): void {
  for (const [name, amount] of other) {
    const present = list.get(name);
    if (!present || amount.nano > present.nano) list.set(name, amount);
  }
}

/** What the first list has more than the second; nothing is less than zero. */
export function excess(list: ResourceList, other: ResourceList): ResourceList {
  const left: ResourceList = new Map();
  for (const [name, amount] of list) {
    const nano = amount.nano - (other.get(name)?.nano ?? 0n);
    left.set(name, nano > 0n ? { nano, format: amount.format } : none);
  }
  return left;
}

/** The entries with these names. */
export function masked(list: ResourceList, names: { has(name: string): boolean }): ResourceList {
  return new Map([...list].filter(([name]) => names.has(name)));
}

export function sameAmounts(a: ResourceList, b: ResourceList): boolean {
  return a.size === b.size && [...a].every(([name, { nano }]) => b.get(name)?.nano === nano);
}
