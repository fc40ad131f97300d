import { formatTime, type KubeObject } from '#libs/kernel';
import type { KindStrategy } from '../../kinds/behaviour';
import { withStatus } from '../../strategy/status-update';
import type { Deletion } from '../../strategy/deletion';
import { withDefinitionCondition } from './conditions';
import { storageVersionOf } from './defaults';
import type { DefinitionStatus } from './types';

/** Holds a definition until no object of its kind is left. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

/** The storage version is among those that objects may be stored in. */
function withStoredVersion(definition: KubeObject, status: DefinitionStatus): KubeObject {
  const storage = storageVersionOf(definition.spec);
  const stored = status.storedVersions ?? [];
  if (storage === undefined || stored.includes(storage)) return withStatus(definition, status);
  return withStatus(definition, { ...status, storedVersions: [...stored, storage] });
}

const noStatus: DefinitionStatus = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null };

/** The first request marks the definition and puts the finalizer on it; later ones are as for any object. */
function beginDefinitionDeletion(definition: KubeObject, now: number): Deletion | undefined {
  if (definition.metadata.deletionTimestamp) return undefined;
  const finalizers = definition.metadata.finalizers ?? [];
  const metadata = {
    ...definition.metadata,
    deletionTimestamp: formatTime(now),
    finalizers: finalizers.includes(cleanupFinalizer) ? finalizers : [...finalizers, cleanupFinalizer],
  };
  const pending = {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  } as const;
  return { outcome: 'mark', object: withDefinitionCondition({ ...definition, metadata }, pending, now), marked: true };
}

export const definitionStrategy: KindStrategy = {
  create: (definition) => withStoredVersion(definition, noStatus),
  update: (updated, old) => withStoredVersion(updated, old.status as DefinitionStatus),
  owns: { status: { except: ['spec', 'metadata'] } },
  beginDeletion: (definition, _options, now) => beginDefinitionDeletion(definition, now),
};
