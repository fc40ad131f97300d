import type { GroupResource } from '#libs/kernel';

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** A path below an object (`status`, `scale`, `eviction`) and the kind its bodies have. */
export interface Subresource {
  readonly name: string;
  readonly kind: string;
  /** Group and version of that kind; those of the resource unless it is a foreign one (Scale, Eviction, TokenRequest). */
  readonly group: string;
  readonly version: string;
  readonly verbs: readonly string[];
}

/** Everything the API needs to know of a resource that its schema does not say. A kind is data, not code. */
export interface ResourceKind {
  readonly group: string;
  readonly version: string;
  /** Plural, as in paths. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
  readonly storageVersionHash?: string;
  /** Answered by this server. Others of the release are known by name and refused with a Status. */
  readonly served: boolean;
  /** `pods`, `deployments.apps` */
  readonly groupResource: GroupResource;
  /** `v1`, `apps/v1` */
  readonly apiVersion: string;
  /** Where its objects are kept; differs from `groupResource` only for events.k8s.io, a second view of core events. */
  readonly storage: GroupResource;
  /** `managed`: 1 at create, raised by each change of spec; `fixed`: 1 for ever; `none`: what the client set survives. */
  readonly generation: 'managed' | 'fixed' | 'none';
  readonly managesGeneration: boolean;
  /** There is a `status` subresource: status and spec are written apart. */
  readonly hasStatus: boolean;
  /** PUT of an unknown name creates it. */
  readonly createOnUpdate: boolean;
  /** PUT without resourceVersion overwrites; otherwise 422. */
  readonly allowUnconditionalUpdate: boolean;
  /** DELETE answers the object even when it is gone at once. */
  readonly deletionReturnsObject: boolean;
  /** Deletion waits for somebody (the kubelet) up to a grace period. */
  readonly gracefulDeletion: boolean;
  /** Field selectors beside `metadata.name` and `metadata.namespace`. */
  readonly fieldSelectors: readonly string[];
  /** Older versions of the same kind that bodies may name: they parse, and are refused for not fitting the path. */
  readonly formerVersions: readonly string[];
}
