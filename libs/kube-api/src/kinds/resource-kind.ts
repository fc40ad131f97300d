import type { GroupResource, JsonObject } from '#libs/kernel';
import type { Column } from '../printing/columns';
import type { RowPrinter } from '../printing/cell';
import type { Definition, GroupVersionKind } from '../schema';
import type { KindFields } from '../selectors/kind-fields';
import type { Defaulter, Dependants, KindConversion, KindDescription, KindStrategy, KindValidation, ObjectForm } from './behaviour';

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** The kind of a request's body: how it is read and what is filled in. */
export interface BodyKind extends GroupVersionKind {
  /** Absent: the release does not say how objects of the kind look. */
  readonly schema: Definition | undefined;
  /** Of a custom kind, which has no schema in the sense of the release. */
  readonly form?: ObjectForm;
  /** Defaults beyond those that the schema declares. */
  readonly setDefaults?: Defaulter;
  /** Why what was read cannot be turned into the server's own form; absent: it always can. */
  readonly unreadable?: (object: JsonObject) => string | undefined;
}

/** A path below an object (`status`, `scale`, `eviction`). Its kind is the resource's unless it is a foreign one (Scale, Eviction, TokenRequest). */
export interface Subresource extends BodyKind {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly served: boolean;
}

/** Everything the API knows of a resource in one version: the entry of the catalogue. */
export interface ResourceKind extends BodyKind {
  /** Plural, as in paths. */
  readonly resource: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
  readonly storageVersionHash?: string;
  /** What discovery tells of the verbs, where that is not all. */
  readonly discoveredVerbs?: readonly string[];
  /** Why nothing new comes into being. */
  readonly refusesCreation?: string;
  /** The kind of its lists. */
  readonly listKind: string;
  /** How lists of its objects look. */
  readonly listSchema: Definition | undefined;
  /** Answered by this server. Others of the release are known by name and refused with a Status. */
  readonly served: boolean;
  /** `pods`, `deployments.apps` */
  readonly groupResource: GroupResource;
  /** `v1`, `apps/v1` */
  readonly apiVersion: string;
  /** Where its objects are kept; differs from `groupResource` only for events.k8s.io, a second view of core events. */
  readonly storage: GroupResource;
  /** Of a form that objects are not stored in: another version, or a view of another kind. */
  readonly conversion?: KindConversion;
  readonly shown?: KindDescription['shown'];
  /** `managed`: 1 at create, raised by each change of spec; `fixed`: 1 for ever; `none`: what the client set survives. */
  readonly generation: 'managed' | 'fixed' | 'raised' | 'none';
  readonly managesGeneration: boolean;
  /** There is a `status` subresource: status and spec are written apart. */
  readonly hasStatus: boolean;
  /** What every answer about the kind warns of. */
  readonly deprecation?: string;
  /** PUT of an unknown name creates it. */
  readonly createOnUpdate: boolean;
  /** PUT without resourceVersion overwrites; otherwise 422. */
  readonly allowUnconditionalUpdate: boolean;
  /** DELETE answers the object even when it is gone at once. */
  readonly deletionReturnsObject: boolean;
  /** Deletion waits for somebody (the kubelet) up to a grace period. */
  readonly gracefulDeletion: boolean;
  readonly dependants: Dependants;
  /** Older versions of the same kind that bodies may name: they parse, and are refused for not fitting the path. */
  readonly formerVersions: readonly string[];
  /** What field selectors may name. */
  readonly fields: KindFields;
  readonly strategy: KindStrategy;
  readonly validation: KindValidation;
  readonly warn?: KindDescription['warn'];
  readonly toldAnyway?: KindDescription['toldAnyway'];
  readonly warnOfStatus?: KindDescription['warnOfStatus'];
  readonly warnOfOrphans?: string;
  readonly columns: readonly Column[];
  readonly row: RowPrinter;
  readonly rowOrder?: KindDescription['rowOrder'];
}

/** The subresource, or undefined where the resource has none of that name. */
export function findSubresource(kind: ResourceKind, name: string): Subresource | undefined {
  return kind.subresources.find((sub) => sub.name === name);
}

export function isSubresourceServed(kind: ResourceKind, name: string): boolean {
  return kind.served && findSubresource(kind, name)?.served !== false;
}
