import { firstNotBelow, type ResourceTable } from '#libs/cluster-state';
import { objectKey, type KubeObject } from '#libs/kernel';
import { requiredValue } from '#libs/kube-api';
import type { Selection } from './list-options';
import { narrowed } from './narrowed';

export interface Page {
  objects: KubeObject[];
  /** Key after which the next page begins, relative to the list's prefix; undefined on the last page. */
  next: string | undefined;
  /** How many more keys there are; only known where nothing is selected. */
  remaining: number | undefined;
}

export interface PageRequest extends Selection {
  namespace: string | undefined;
  /** 0: all. */
  limit: number;
  /** Relative to the list's prefix. */
  start: string;
}

export function selects({ labels, fields, all }: Selection, object: KubeObject): boolean {
  return all || (fields.matches(object) && labels.matches(object.metadata.labels ?? {}));
}

/** Objects in key order from a place on, up to a limit. */
export function pageOf(table: ResourceTable, request: PageRequest): Page {
  const single = singleKey(request);
  if (single !== undefined && request.start === '') {
    const object = table.get(single);
    return { objects: object && selects(request, object) ? [object] : [], next: undefined, remaining: undefined };
  }
  const prefix = prefixOf(request.namespace);
  const keys = narrowed(table, request) ?? table.keys();
  const objects: KubeObject[] = [];
  let at = firstNotBelow(keys, prefix + request.start);
  for (; at < keys.length && (keys[at] as string).startsWith(prefix); at++) {
    const object = table.get(keys[at] as string) as KubeObject;
    if (!selects(request, object)) continue;
    if (request.limit > 0 && objects.length === request.limit) return { objects, ...rest(keys, at, prefix, request, objects) };
    objects.push(object);
  }
  return { objects, next: undefined, remaining: undefined };
}

function rest(
  keys: readonly string[],
  at: number,
  prefix: string,
  request: PageRequest,
  objects: readonly KubeObject[],
): { next: string; remaining: number | undefined } {
  const last = objects[objects.length - 1] as KubeObject;
  const key = objectKey(last.metadata.namespace, last.metadata.name);
  const end = prefix === '' ? keys.length : firstNotBelow(keys, endOf(prefix));
  return { next: `${key.slice(prefix.length)}\0`, remaining: request.all ? end - at : undefined };
}

/** Keys are `namespace/name`; `/name` for cluster-scoped objects, whose namespace is the empty text. Undefined: all namespaces. */
function prefixOf(namespace: string | undefined): string {
  return namespace === undefined ? '' : `${namespace}/`;
}

/** The first text after all that begin with the prefix, which ends in a slash. */
function endOf(prefix: string): string {
  return `${prefix.slice(0, -1)}0`;
}

/** The one key that can match, where the selector asks for one. */
function singleKey({ namespace, fields }: PageRequest): string | undefined {
  const name = requiredValue(fields, 'metadata.name');
  if (name === undefined) return undefined;
  const wanted = namespace ?? requiredValue(fields, 'metadata.namespace');
  return wanted === undefined ? undefined : objectKey(wanted, name);
}
