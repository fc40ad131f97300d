import type { GroupResource, KubeObject } from '#libs/kernel';
import { namesStorageClass, storageClassOf } from '../kinds/core/volumes/storage-class';
import { quantityOf } from '../validation/resources';
import type { Refusal } from './priority';

/** What keeps an object that is to go, for as long as somebody uses it; a controller takes it off. */
const protections: Readonly<Record<GroupResource, string>> = {
  persistentvolumes: 'kubernetes.io/pv-protection',
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
  'volumeattributesclasses.storage.k8s.io': 'kubernetes.io/vac-protection',
};

export function isProtected(resource: GroupResource): boolean {
  return Object.hasOwn(protections, resource);
}

/** Upstream's plug-in StorageObjectInUseProtection. */
export function withProtection(object: KubeObject, resource: GroupResource): KubeObject {
  const finalizer = protections[resource] as string;
  const finalizers = object.metadata.finalizers ?? [];
  if (finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
}

/** A new object without what protection has most likely added. */
export function withoutProtection(resource: GroupResource): (object: KubeObject) => KubeObject {
  return (object) => {
    const finalizers = object.metadata.finalizers?.filter((finalizer) => finalizer !== protections[resource]) ?? [];
    const { finalizers: _, ...metadata } = object.metadata;
    return { ...object, metadata: finalizers.length > 0 ? { ...metadata, finalizers } : metadata };
  };
}

/** Upstream's plug-in DefaultStorageClass: a claim that names no class, not even the empty one, gets the default one. */
export function withDefaultClass(claim: KubeObject, defaultClass: () => KubeObject | undefined): KubeObject {
  if (namesStorageClass(claim)) return claim;
  const found = defaultClass();
  return found ? { ...claim, spec: { ...claim.spec, storageClassName: found.metadata.name } } : claim;
}

/** Upstream's plug-in PersistentVolumeClaimResize: only a bound claim may grow, and only where its class allows it. */
export function resizeRefusal(claim: KubeObject, old: KubeObject, classOf: (name: string) => KubeObject | undefined): Refusal | undefined {
  const size = ({ spec }: KubeObject): bigint => quantityOf(spec?.resources?.requests?.storage).nano;
  if (size(claim) <= size(old)) return undefined;
  if (old.status?.phase !== 'Bound') return { refusal: 'Only bound persistent volume claims can be expanded' };
  const name = storageClassOf(claim);
  if (name !== '' && name === storageClassOf(old) && classOf(name)?.allowVolumeExpansion === true) return undefined;
  return { refusal: 'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize' };
}
