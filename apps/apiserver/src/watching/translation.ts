import type { VersionedChange } from '#libs/cluster-state';
import { objectKey, type KubeObject, type ObjectKey } from '#libs/kernel';
import type { Selection } from '../reading/list-options';
import { selects } from '../reading/page';

export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: KubeObject;
}

/** Which objects a watch is about. */
export interface WatchScope extends Selection {
  /** The empty text for cluster-scoped kinds; undefined: all namespaces. */
  namespace: string | undefined;
  name: string | undefined;
}

function isInScope({ namespace, name }: WatchScope, key: ObjectKey): boolean {
  if (namespace === undefined) return true;
  return name === undefined ? key.startsWith(`${namespace}/`) : key === objectKey(namespace, name);
}

/**
 * A change as somebody sees it who looks only at some objects: what begins to match comes into being, what ceases to match is
 * deleted (as it was when it still matched, at the version of the change). Undefined: not seen at all.
 */
export function translate(change: VersionedChange, scope: WatchScope): WatchEvent | undefined {
  if (!isInScope(scope, change.key)) return undefined;
  const { type, before, object } = change;
  if (scope.all) return { type, object };
  const matched = before !== undefined && selects(scope, before);
  const matches = type !== 'DELETED' && selects(scope, object);
  if (matches) return { type: matched ? 'MODIFIED' : 'ADDED', object };
  return matched ? { type: 'DELETED', object: lastMatching(change, before) } : undefined;
}

const lastOnes = new WeakMap<VersionedChange, KubeObject>();

function lastMatching(change: VersionedChange, before: KubeObject): KubeObject {
  if (change.type === 'DELETED') return change.object;
  let last = lastOnes.get(change);
  if (last === undefined) {
    last = { ...before, metadata: { ...before.metadata, resourceVersion: change.object.metadata.resourceVersion } };
    lastOnes.set(change, last);
  }
  return last;
}
