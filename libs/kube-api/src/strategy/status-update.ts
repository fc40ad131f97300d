import type { KubeObject, ObjectMeta } from '#libs/kernel';

/** Upstream `ResetObjectMetaForStatus`. */
export const resettable: readonly (keyof ObjectMeta)[] = [
  'deletionTimestamp',
  'generation',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
];

/** The object with these parts of its metadata as they were. */
export function keepMetadata(object: KubeObject, old: KubeObject, fields: readonly (keyof ObjectMeta)[]): KubeObject {
  const metadata = { ...object.metadata } as Record<string, unknown>;
  for (const field of fields) {
    if (old.metadata[field] === undefined) delete metadata[field];
    else metadata[field] = old.metadata[field];
  }
  return { ...object, metadata: metadata as unknown as ObjectMeta };
}

export function withStatus(object: KubeObject, status: unknown): KubeObject {
  if (status !== undefined) return { ...object, status };
  const { status: _, ...rest } = object;
  return rest as KubeObject;
}

/** What a write through /status makes of an object: everything but status and metadata stays as it was. */
export function statusUpdate(updated: KubeObject, old: KubeObject, keeps: readonly (keyof ObjectMeta)[] = []): KubeObject {
  const result = withStatus({ ...old, metadata: updated.metadata }, updated.status);
  return keeps.length > 0 ? keepMetadata(result, old, keeps) : result;
}
