import { formatTime, type JsonObject, type KubeObject, type ObjectMeta } from '#libs/kernel';
import { objectIn, setEmpty } from '../../defaults/draft';
import { age, nameOf, rowOf } from '../../printing/cell';
import { fieldsOf, nameField, simpleField } from '../../selectors/kind-fields';
import { invalidValue } from '../../status/field-error';
import { deletionFinalizers, withoutFinalizers, type Deletion, type DeletionOptions } from '../../strategy/deletion';
import { statusUpdate } from '../../strategy/status-update';
import { isDnsLabel, isQualifiedName } from '../../validation/formats';
import { validateFinalizerDomain, validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { listOf, validateTexts, type Errors } from '../../validation/values';
import type { KindDescription } from '../behaviour';

const nameLabel = 'kubernetes.io/metadata.name';

/** Every namespace carries its own name as a label, whatever the client says. */
export function withNameLabel(namespace: KubeObject): KubeObject {
  const { name, labels } = namespace.metadata;
  if (!name || labels?.[nameLabel] === name) return namespace;
  return { ...namespace, metadata: { ...namespace.metadata, labels: { ...labels, [nameLabel]: name } } };
}

/** A new namespace is Active and held by the namespace controller's finalizer. */
function prepareNewNamespace(namespace: KubeObject): KubeObject {
  const finalizers: string[] = namespace.spec?.finalizers ?? [];
  const held = finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'];
  return { ...namespace, spec: { ...namespace.spec, finalizers: held }, status: { phase: 'Active' } };
}

/** The finalizer is most likely not the client's. */
function namespaceAsAsked(namespace: KubeObject): KubeObject {
  const { finalizers: _, ...spec } = namespace.spec ?? {};
  return { ...namespace, spec };
}

/** Finalizers of the spec change through /finalize only. */
function prepareNamespaceUpdate(updated: KubeObject, old: KubeObject): KubeObject {
  const spec = { ...updated.spec };
  delete spec.finalizers;
  if (old.spec?.finalizers) spec.finalizers = old.spec.finalizers;
  return withNameLabel({ ...updated, spec, status: old.status });
}

/** A namespace goes to phase Terminating and stays until its spec's finalizers are gone. */
function beginNamespaceDeletion(namespace: KubeObject, options: DeletionOptions, now: number): Deletion {
  if (namespace.metadata.deletionTimestamp) {
    if (namespace.spec?.finalizers?.length > 0) return { outcome: 'unchanged', object: namespace, marked: false };
    const stays = (namespace.metadata.finalizers?.length ?? 0) > 0;
    return { outcome: stays ? 'unchanged' : 'remove', object: namespace, marked: false };
  }
  const finalizers = deletionFinalizers('collected', namespace.metadata.finalizers ?? [], options);
  const metadata: ObjectMeta = { ...withoutFinalizers(namespace.metadata), deletionTimestamp: formatTime(now) };
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  return { outcome: 'mark', object: { ...namespace, metadata, status: { ...namespace.status, phase: 'Terminating' } }, marked: true };
}

/** Every namespace carries its own name as a label. Its finalizer is put there at create only, not by defaulting. */
function setNamespaceDefaults(namespace: JsonObject): void {
  const status = objectIn(namespace, 'status') ?? {};
  setEmpty(status, 'phase', 'Active');
  namespace['status'] = status;
  const metadata = objectIn(namespace, 'metadata');
  if (!metadata?.['name']) return;
  const labels = objectIn(metadata, 'labels') ?? {};
  labels[nameLabel] = metadata['name'];
  metadata['labels'] = labels;
}

function validateNamespace(namespace: KubeObject, errors: Errors): void {
  validateMetadata(namespace.metadata, { namespaced: false, name: isDnsLabel }, errors);
  validateNamespaceFinalizers(namespace, errors);
}

/** Reported at the list. */
function validateNamespaceFinalizers(namespace: KubeObject, errors: Errors): void {
  for (const finalizer of listOf(namespace.spec?.finalizers)) {
    validateTexts(isQualifiedName(finalizer), finalizer, 'spec.finalizers', errors);
    validateFinalizerDomain(finalizer, 'spec.finalizers', errors);
  }
}

function validateNamespaceUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateNamespace(updated, errors);
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
}

/** The phase follows the deletion. */
function validateNamespaceStatusUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  const phase: string = updated.status?.phase ?? '';
  const deleted = Boolean(updated.metadata.deletionTimestamp);
  if (!deleted && phase !== 'Active')
    errors.push(invalidValue('status.Phase', phase, "may only be 'Active' if `deletionTimestamp` is empty"));
  if (deleted && phase !== 'Terminating') {
    errors.push(invalidValue('status.Phase', phase, "may only be 'Terminating' if `deletionTimestamp` is not empty"));
  }
}

function validateNamespaceFinalize(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateNamespaceFinalizers(updated, errors);
}

export const namespaces: KindDescription = {
  name: 'namespaces',
  served: true,
  fields: fieldsOf(nameField, simpleField('status.phase')),
  setDefaults: setNamespaceDefaults,
  strategy: {
    create: prepareNewNamespace,
    asAsked: namespaceAsAsked,
    owns: { finalize: { except: ['status'] } },
    update: prepareNamespaceUpdate,
    subresources: {
      status: (updated, old) => withNameLabel(statusUpdate(updated, old)),
      finalize: (updated, old) => withNameLabel({ ...updated, status: old.status }),
    },
    beginDeletion: beginNamespaceDeletion,
    // A name that is generated is not known before, so that validation does not see the label.
    readBack: withNameLabel,
    isHeld: (namespace) => namespace.spec?.finalizers?.length > 0,
  },
  validation: {
    create: validateNamespace,
    update: validateNamespaceUpdate,
    subresources: { status: validateNamespaceStatusUpdate, finalize: validateNamespaceFinalize },
  },
  row: rowOf((object, now) => [nameOf(object), object.status?.phase ?? '', age(object, now)]),
};
