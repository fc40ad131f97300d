import type { Json } from '#libs/kernel';

/**
 * The order of a merged list: what the patch names, in its order; what only the server has, in its former order; between the two
 * an element of the server comes first only where it stood before the patch's next one already. Hence elements new in a patch
 * come before those that were there.
 */
export function mergeOrder(
  merged: readonly Json[],
  patchOrder: readonly Json[],
  serverOrder: readonly Json[],
  keyOf: (item: Json) => Json,
): Json[] {
  const inPatch = placesOf(patchOrder, keyOf);
  const onServer = placesOf(serverOrder, keyOf);
  const named = merged.filter((item) => inPatch.has(keyOf(item)));
  const serverOnly = merged.filter((item) => !inPatch.has(keyOf(item)));
  sortByPlace(named, inPatch, keyOf);
  sortByPlace(serverOnly, onServer, keyOf);
  const out: Json[] = [];
  let i = 0;
  let j = 0;
  while (i < serverOnly.length || j < named.length) {
    const left = i < serverOnly.length ? onServer.get(keyOf(serverOnly[i] as Json)) : undefined;
    const right = j < named.length ? onServer.get(keyOf(named[j] as Json)) : undefined;
    const serverFirst = j >= named.length || (i < serverOnly.length && left !== undefined && right !== undefined && left < right);
    out.push((serverFirst ? serverOnly[i++] : named[j++]) as Json);
  }
  return out;
}

function placesOf(list: readonly Json[], keyOf: (item: Json) => Json): Map<Json, number> {
  const places = new Map<Json, number>();
  list.forEach((item, index) => {
    const key = keyOf(item);
    if (!places.has(key)) places.set(key, index);
  });
  return places;
}

function sortByPlace(list: Json[], places: ReadonlyMap<Json, number>, keyOf: (item: Json) => Json): void {
  list.sort((a, b) => (places.get(keyOf(a)) ?? Infinity) - (places.get(keyOf(b)) ?? Infinity) || 0);
}
