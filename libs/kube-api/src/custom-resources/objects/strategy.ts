import { jsonEqual, type KubeObject } from '#libs/kernel';
import type { KindStrategy } from '../../kinds/behaviour';
import type { ScalePaths } from '../../strategy/scale';
import { withStatus } from '../../strategy/status-update';

/** How objects of a custom kind are made ready for the store. */
export function customStrategy({ hasStatus, scale }: { hasStatus: boolean; scale?: ScalePaths }): KindStrategy {
  return {
    create: (object) => (hasStatus ? withStatus(object, undefined) : object),
    update: (updated, old) => withGeneration(hasStatus ? withOldStatus(updated, old) : updated, old),
    subresources: { status: (updated, old) => statusOnly(updated, old) },
    isSame: (a, b) => jsonEqual(a, b),
    ...(scale ? { scale } : {}),
  };
}

function withOldStatus(updated: KubeObject, old: KubeObject): KubeObject {
  return withStatus(updated, old.status);
}

/** Whatever changes outside of the metadata is a new wish. */
function withGeneration(updated: KubeObject, old: KubeObject): KubeObject {
  const wish = ({ metadata: _m, kind: _k, apiVersion: _v, ...rest }: KubeObject): object => rest;
  if (jsonEqual(wish(updated), wish(old))) return updated;
  return { ...updated, metadata: { ...updated.metadata, generation: (old.metadata.generation ?? 0) + 1 } };
}

/** Not even the metadata is written through it. */
function statusOnly(updated: KubeObject, old: KubeObject): KubeObject {
  return withStatus({ ...old }, updated.status);
}
