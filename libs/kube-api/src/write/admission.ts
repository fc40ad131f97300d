import { derivedSuffix, type GroupResource, type KubeObject } from '#libs/kernel';
import type { Admission, AdmissionLookup } from '../admission';
import type { ResourceKind } from '../kinds';
import { isDefaultIngressClass } from '../kinds/networking/ingressclasses';
import { defaultClassOf, isDefaultClass } from '../kinds/storage/default-class';
import type { StateView, WriteContext } from './request';

/** A write as admission looks at it, but for what the kind of write adds: the object before, the subresource, a dry run. */
export function admissionOf(state: StateView, kind: ResourceKind, operation: Admission['operation'], context: WriteContext): Admission {
  const { id, reviews = [], actor, warn, annotate } = context;
  return { kind, operation, lookup: admissionLookup(state, id), answers: reviews, userName: userNameOf(actor), warn, annotate };
}

/** What admission looks up in the state. `id`: of the write, which its chance follows from. */
function admissionLookup(state: StateView, id: string): AdmissionLookup {
  return new StateLookup(state, id);
}

/** One is made for each write, so its look-ups are no closures of their own. */
class StateLookup implements AdmissionLookup {
  constructor(
    private readonly state: StateView,
    private readonly id: string,
  ) {}

  get configuration(): AdmissionLookup['configuration'] {
    return this.state.admission;
  }

  namespace(name: string): KubeObject | undefined {
    return this.state.get('namespaces', undefined, name);
  }

  serviceAccount(namespace: string, name: string): KubeObject | undefined {
    return this.state.get('serviceaccounts', namespace, name);
  }

  runtimeClass(name: string): KubeObject | undefined {
    return this.state.get('runtimeclasses.node.k8s.io', undefined, name);
  }

  storageClass(name: string): KubeObject | undefined {
    return this.state.get('storageclasses.storage.k8s.io', undefined, name);
  }

  defaultStorageClass(): KubeObject | undefined {
    return defaultClassOf(this.state.list('storageclasses.storage.k8s.io'), isDefaultClass);
  }

  defaultIngressClass(): KubeObject | undefined {
    return defaultClassOf(this.state.list('ingressclasses.networking.k8s.io'), isDefaultIngressClass);
  }

  limitRanges(namespace: string): readonly KubeObject[] | undefined {
    return someOf(this.state.list('limitranges', namespace));
  }

  podsOf(namespace: string): Iterable<KubeObject> {
    return this.state.list('pods', namespace);
  }

  resourceQuotas(namespace: string): readonly KubeObject[] | undefined {
    return someOf(this.state.list('resourcequotas', namespace));
  }

  list(resource: GroupResource, namespace?: string): Iterable<KubeObject> {
    return this.state.list(resource, namespace);
  }

  suffix(): string {
    return derivedSuffix(`${this.id}/volume`);
  }
}

function someOf(objects: Iterable<KubeObject>): readonly KubeObject[] | undefined {
  let found: KubeObject[] | undefined;
  for (const object of objects) (found ??= []).push(object);
  return found?.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** Who is behind an actor: controllers have accounts of their own in kube-system, as upstream's have. */
function userNameOf(actor: string | undefined): string | undefined {
  if (actor === undefined) return undefined;
  return actor.startsWith('user:') ? actor.slice('user:'.length) : `system:serviceaccount:kube-system:${actor}`;
}
