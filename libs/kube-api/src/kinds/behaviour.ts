import type { GroupResource, JsonObject, KubeObject, ObjectMeta } from '#libs/kernel';
import type { Column } from '../printing/columns';
import type { RowPrinter } from '../printing/cell';
import type { KindFields } from '../selectors/kind-fields';
import type { Definition, GroupVersionKind } from '../schema';
import type { Failure } from '../status';
import type { AllocationContext } from '../strategy/allocation';
import type { CreateContext, UpdatedSubresource } from '../strategy/context';
import type { ScalePaths } from '../strategy/scale';
import type { ConversionCall } from '../conversion/conversion-review';
import type { Conversion } from '../decode/convert';
import type { RepeatedKeys } from '../decode/repeated-keys';
import type { ValueType } from '../managed-fields/value-type';
import type { Deletion, DeletionOptions } from '../strategy/deletion';
import type { Errors } from '../validation/values';

/** Fills in what is absent, in place. Works on a copy that nobody else holds. */
export type Defaulter = (draft: JsonObject) => void;

/** Paths of fields (`metadata.labels`; `*` is any element) that a way of writing does not own, or the only ones that it does. */
export type OwnedFields = { readonly except: readonly string[] } | { readonly only: readonly string[] };

/**
 * A version of a kind that is not the one its objects are stored in, told in terms of that one. Both ways take and give the wire form of an
 * object, without kind and apiVersion; what one version has no field for is carried in the other so that it comes back.
 */
export interface KindConversion {
  readonly toStorage: (object: KubeObject) => KubeObject;
  readonly fromStorage: (object: KubeObject) => KubeObject;
}

/** How objects of one version of a custom kind come from its other versions where a webhook of the definition converts them. */
export interface WebhookForm {
  /** A stored object, saying which version it is in. */
  named(object: KubeObject): KubeObject;
  /** An object of this version, saying so. */
  inVersion(object: KubeObject): KubeObject;
  /** What has to be asked for the object to be shown in this version; undefined where it is in it. @throws ConversionFailed */
  callFor(object: KubeObject): ConversionCall | undefined;
  /** The object as this version shows it. @param answer what the webhook has made of it */
  converted(object: KubeObject, answer: JsonObject): KubeObject;
  /** An object in any version as this one shows it. */
  shown(object: KubeObject): KubeObject;
  /** The same, as it is kept: nothing is filled in. */
  stored(object: KubeObject): KubeObject;
}

/** How objects of a kind are read where no definition of the release says how they look: those of a custom kind, by its schema. */
export interface ObjectForm {
  /** Objects are stored in this version. */
  readonly isStored: boolean;
  /** Absent: no webhook converts objects of the kind. */
  readonly webhook?: WebhookForm;
  /** A body, of which what is unknown is dropped. @param named what it says it is; absent: this version */
  read(value: JsonObject, duplicates?: RepeatedKeys, named?: GroupVersionKind): Conversion;
  /** What the schema declares, in place. */
  setDefaults(draft: JsonObject): void;
  /** A stored object as the version has it today. A new object, in the order in which it is written. */
  readBack(object: KubeObject): KubeObject;
  /** An object as it is kept, in whichever version it came: its fields in the order of their names, so that the same write is always told alike. */
  stored(object: KubeObject): KubeObject;
  /** How documents of the API (OpenAPI) tell of the kind and of lists of its objects. */
  readonly documents: { readonly object: Definition; readonly list: Definition };
  /** How server-side apply looks at an object. */
  readonly applyType: ValueType;
}

/** What is particular to a version beside the stored one; all else is as it is of the kind. */
export interface KindVersion {
  /** Its own defaults, in place of the stored version's: those are given to what is read back from the store. */
  readonly setDefaults?: Defaulter;
  readonly conversion: KindConversion;
}

/** `now`: cluster time, ms since the epoch. */
export type UpdateStep = (updated: KubeObject, old: KubeObject, now: number) => KubeObject;

/** How objects of a kind are made ready for storage (upstream: the strategy of its registry). All of it may be absent. */
export interface KindStrategy {
  /** A new object, its metadata filled in. Absent: it begins with `zeroStatus` where its status is written apart. */
  readonly create?: (object: KubeObject, context: CreateContext) => KubeObject;
  /** An update of the object itself. Absent: it keeps its status where that is written apart. */
  readonly update?: UpdateStep;
  /** Updates through subresources. Absent for `status`: that alone changes, and metadata. */
  readonly subresources?: Partial<Record<UpdatedSubresource, UpdateStep>>;
  /** A status that nobody has written yet: the fields that are always printed. */
  readonly zeroStatus?: Readonly<Record<string, unknown>>;
  /** Metadata that a write through /status leaves as it was, beside what no update may change. */
  readonly statusKeeps?: readonly (keyof ObjectMeta)[];
  /**
   * What writers own of what they write: through the object itself (`object`), or a subresource. Absent: of an object whose status is written
   * apart, all but the status; through `status`, all but the spec (upstream: the strategy's reset fields).
   */
  readonly owns?: Readonly<Partial<Record<UpdatedSubresource | 'object', OwnedFields>>>;
  /**
   * A stored new object without what the server most likely has added by itself, which nobody owns. A guess: where the client asked for something
   * else, that is told in the log.
   */
  readonly asAsked?: (object: KubeObject) => KubeObject;
  /** Annotations are part of the wish: the generation follows them too. */
  readonly annotationsAreWish?: boolean;
  /**
   * A list or map that is sent empty is another wish than none, though the store keeps none of either: the generation rises with each such write
   * (upstream compares by reflection).
   */
  readonly emptyIsWish?: boolean;
  /** Annotations that tell a field which the served version has no place for. Where the metadata is shown alone, they are left out. */
  readonly versionedAnnotations?: readonly string[];
  /** Where the scale subresource finds what it shows. Absent: where workloads have it. */
  readonly scale?: ScalePaths;
  /** Whether an update changes nothing. Absent: absent, null and empty are one. */
  readonly isSame?: (old: unknown, updated: unknown) => boolean;
  /** The selector that the scale subresource shows. Absent: that of `spec.selector`, a `metav1.LabelSelector`. */
  readonly scaleSelector?: (object: KubeObject) => string;
  /** What is filled in when the object is first read back from the store: validation has not seen it. */
  readonly readBack?: (object: KubeObject) => KubeObject;
  /** Before all else, of new and of changed objects: what the server itself hands out, or why it cannot (upstream's BeginCreate and BeginUpdate). */
  readonly begin?: (object: KubeObject, old: KubeObject | undefined, context: AllocationContext) => KubeObject | Failure;
  /** A deletion unlike that of other kinds; undefined where this one is like those. */
  readonly beginDeletion?: (object: KubeObject, options: DeletionOptions, now: number) => Deletion | undefined;
  /** Something beside metadata.finalizers keeps an object that is to go. */
  readonly isHeld?: (object: KubeObject) => boolean;
}

export type CreateRule = (object: KubeObject, errors: Errors) => void;
export type UpdateRule = (updated: KubeObject, old: KubeObject, errors: Errors) => void;

/** What is checked of the kind's objects, beside what is checked of all. */
export interface KindValidation {
  readonly create: CreateRule;
  readonly update: UpdateRule;
  readonly subresources?: Partial<Record<UpdatedSubresource, UpdateRule>>;
}

/** What happens to the dependants of a deleted object where the request does not say: left to the collector, left behind, or none. */
export type Dependants = 'collected' | 'orphaned' | 'ignored';

/**
 * What there is to say of a kind beyond its schema and its place in discovery: how it differs from a kind about which nothing is said.
 * Upstream says it in the code of the kind's registry; here each kind says it in one file.
 */
export interface KindDescription {
  /** `pods`, `deployments.apps` */
  readonly name: GroupResource;
  /** Answered by this server. */
  readonly served?: boolean;
  /** Subresources that are not answered yet. */
  readonly unservedSubresources?: readonly string[];
  /** Of a custom kind. */
  readonly form?: ObjectForm;
  /** Absent: that of most kinds, `PodList`. */
  readonly listKind?: string;
  /** Why nothing new comes into being. */
  readonly refusesCreation?: string;
  /** Absent: all verbs. */
  readonly discoveredVerbs?: readonly string[];
  /** Its objects are those of another kind, shown in another form. */
  readonly storage?: GroupResource;
  /** Versions beside the one that objects are stored in, by name (`v1`). */
  readonly otherVersions?: Readonly<Record<string, KindVersion>>;
  /** Of a kind that is another form of the objects of another one. */
  readonly conversion?: KindConversion;
  /** A stored object as answers show it, where the store keeps more. */
  readonly shown?: (object: KubeObject) => KubeObject;
  /** Of the wish: counted from 1, 1 for ever, or counted only from the first change on. Absent: none. */
  readonly generation?: 'managed' | 'fixed' | 'raised';
  /** Why clients had better use another kind: every answer about this one warns so. */
  readonly deprecation?: string;
  readonly createOnUpdate?: boolean;
  /** PUT without resourceVersion is refused. */
  readonly conditionalUpdateOnly?: boolean;
  readonly deletionReturnsObject?: boolean;
  readonly gracefulDeletion?: boolean;
  readonly dependants?: Dependants;
  readonly formerVersions?: readonly string[];
  readonly fields?: KindFields;
  readonly setDefaults?: Defaulter;
  /** Why what was read of an object cannot be turned into the server's own form, in Go's words. */
  readonly unreadable?: (object: JsonObject) => string | undefined;
  /** Defaults of the bodies of subresources that have a kind of their own. */
  readonly subresourceDefaults?: Readonly<Record<string, Defaulter>>;
  readonly strategy?: KindStrategy;
  readonly validation?: KindValidation;
  /** What is accepted and most likely not meant. `old`: absent at creation. `sent`: as the client has it, before anything was filled in. */
  readonly warn?: (object: KubeObject, old: KubeObject | undefined, warnings: string[], sent: KubeObject) => void;
  /** What is warned of whether the write is refused or not. @param object as it was validated */
  readonly toldAnyway?: (object: KubeObject) => readonly string[];
  /** As `warn`, of what is written through /status. */
  readonly warnOfStatus?: (object: KubeObject, warnings: string[]) => void;
  /** Told to whoever deletes and does not say what is to become of the dependants. */
  readonly warnOfOrphans?: string;
  /** Absent: those recorded of the release. */
  readonly columns?: readonly Column[];
  /** Order of a list's rows. Absent: that of the list. */
  readonly rowOrder?: (a: KubeObject, b: KubeObject) => number;
  /** Writes the cells of the columns. Absent: name and time of creation, under columns of that name. */
  readonly row?: RowPrinter;
}
