import { derivedSuffix, type KubeObject } from '#libs/kernel';
import type { AdmissionLookup } from '../admission';
import { isDefaultIngressClass } from '../kinds/networking/ingressclasses';
import { defaultClassOf, isDefaultClass } from '../kinds/storage/default-class';
import type { StateView } from './request';

/** What admission looks up in the state. `id`: of the write, which its chance follows from. */
export function admissionLookup(state: StateView, id: string): AdmissionLookup {
  return {
    namespace: (name) => state.get('namespaces', undefined, name),
    serviceAccount: (namespace, name) => state.get('serviceaccounts', namespace, name),
    runtimeClass: (name) => state.get('runtimeclasses.node.k8s.io', undefined, name),
    storageClass: (name) => state.get('storageclasses.storage.k8s.io', undefined, name),
    defaultStorageClass: () => defaultClassOf(state.list('storageclasses.storage.k8s.io'), isDefaultClass),
    defaultIngressClass: () => defaultClassOf(state.list('ingressclasses.networking.k8s.io'), isDefaultIngressClass),
    limitRanges: (namespace) => someOf(state.list('limitranges', namespace)),
    podsOf: (namespace) => state.list('pods', namespace),
    resourceQuotas: (namespace) => someOf(state.list('resourcequotas', namespace)),
    configuration: state.admission,
    list: (resource, namespace) => state.list(resource, namespace),
    suffix: () => derivedSuffix(`${id}/volume`),
  };
}

function someOf(objects: Iterable<KubeObject>): readonly KubeObject[] | undefined {
  let found: KubeObject[] | undefined;
  for (const object of objects) (found ??= []).push(object);
  return found?.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** Who is behind an actor: controllers have accounts of their own in kube-system, as upstream's have. */
export function userNameOf(actor: string | undefined): string | undefined {
  if (actor === undefined) return undefined;
  return actor.startsWith('user:') ? actor.slice('user:'.length) : `system:serviceaccount:kube-system:${actor}`;
}
