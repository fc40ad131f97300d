import { configHash, mirrorKey, type NodeStatics } from '#libs/cluster-state';
import { objectKey, type KubeObject } from '#libs/kernel';
import { hashOf } from './mirror-of';

/** How the pod that a mirror shows stands. */
export interface StaticStanding {
  /** Its manifest is in the folder. */
  isCurrent: boolean;
  /** Since when it is not, ms. */
  endedAt: number | undefined;
  /** Another manifest of the same pod is there instead. */
  isReplaced: boolean;
}

/** Undefined: the kubelet knows nothing of a manifest; the pod is one like others. */
export function standingOf(mirror: KubeObject, statics: NodeStatics | undefined): StaticStanding | undefined {
  if (!statics) return undefined;
  const node = mirror.spec?.nodeName as string;
  const key = objectKey(mirror.metadata.namespace, mirror.metadata.name);
  const hash = mirror.metadata.annotations?.[configHash];
  const endedAt = statics.ended.get(key);
  let isCurrent = false;
  let isReplaced = false;
  for (const [file, held] of statics.files) {
    if (mirrorKey(held.manifest, node) !== key) continue;
    if (endedAt === undefined && hashOf(held, file, node) === hash) isCurrent = true;
    else isReplaced = true;
  }
  return isCurrent || isReplaced || endedAt !== undefined ? { isCurrent, endedAt, isReplaced } : undefined;
}
