import { isObject, jsonEqual, type Json, type KubeObject } from '#libs/kernel';

/** One value of an object that changed; `before` is absent where it was added, `after` where it was removed. */
export interface Difference {
  path: readonly string[];
  before?: Json;
  after?: Json;
}

/** What the API server keeps for itself, and no reader asks about. */
const bookkeeping = new Set(['resourceVersion', 'generation', 'managedFields', 'uid', 'creationTimestamp']);

/** Told by their keys, also where the first one comes or the last one goes. */
const maps = new Set(['metadata.labels', 'metadata.annotations', 'data', 'stringData', 'binaryData']);

/** What differs between two states of an object, a line for each value that a reader would name, the status left out. */
export function differences(before: KubeObject, after: KubeObject): Difference[] {
  const found: Difference[] = [];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const key of keys) {
    if (key === 'status') continue;
    compare(before[key as keyof KubeObject] as Json | undefined, after[key as keyof KubeObject] as Json | undefined, [key], found);
  }
  return found;
}

function compare(before: Json | undefined, after: Json | undefined, path: readonly string[], found: Difference[]): void {
  if (before === after || (path.length === 2 && path[0] === 'metadata' && bookkeeping.has(path[1] as string))) return;
  const isMap = maps.has(path.join('.'));
  const [were, are] = [before ?? (isMap ? {} : undefined), after ?? (isMap ? {} : undefined)];
  if (isObject(were) && isObject(are)) {
    for (const key of new Set([...Object.keys(were), ...Object.keys(are)])) compare(were[key], are[key], [...path, key], found);
    return;
  }
  if (Array.isArray(before) && Array.isArray(after) && isNamedList(before) && isNamedList(after)) {
    const names = new Set([...before, ...after].map(nameOf));
    for (const name of names)
      compare(
        before.find((item) => nameOf(item) === name),
        after.find((item) => nameOf(item) === name),
        [...path, name],
        found,
      );
    return;
  }
  if (before !== undefined && after !== undefined && jsonEqual(before, after)) return;
  found.push({ path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) });
}

function isNamedList(list: readonly Json[]): boolean {
  return list.every((item) => isObject(item) && typeof item.name === 'string');
}

function nameOf(item: Json): string {
  return (item as { name: string }).name;
}
