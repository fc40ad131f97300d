import type { GroupResource, JsonObject, KubeObject } from '#libs/kernel';
import { shownAs, type BodyKind, type KindCatalogue, type ResourceKind } from '../kinds';
import { apiVersionOf } from '../kinds/names';
import { wireFormOf } from '../decode';
import type { GroupVersionKind } from '../schema';
import { forbiddenRequest, type Failure } from '../status';
import type { Admission } from './chain';
import { requestedName } from './namespace-lifecycle';
import type { Caller } from './caller';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** Takes what the record of a request is to say of how it was admitted; where something is said of a key already, that stays. */
export type Annotate = (key: string, value: string, level?: AuditAnnotation['level']) => void;

/** What the record of a request says beside its fields. */
export interface AuditAnnotation {
  readonly value: string;
  /** It is said only where the body of the request is recorded. */
  readonly level?: 'Request';
}

/** What is asked for, as those see it who are configured by users: webhooks and policies. */
export interface CalledFor {
  readonly caller: Caller;
  readonly kinds: KindCatalogue;
  /** The kind in the version that was asked for. */
  readonly served: ResourceKind;
  /** The kind of the body, where it is not that of the resource (Scale, Eviction, PodExecOptions). */
  readonly body?: BodyKind;
  /** The name in the path. Absent: that of the object. */
  readonly name?: string;
  readonly namespace?: string;
  /** The object with those that own its fields. */
  owned?(object: KubeObject): KubeObject;
  /** Collects what the client is told beside the answer. */
  readonly warnings: string[];
  /** Absent: the request is not recorded. */
  readonly annotate?: Annotate;
}

/** A request in one of the versions that its resource is served in (upstream: `VersionedAttributes`). */
export class Attributes {
  constructor(
    readonly admission: Admission,
    readonly called: CalledFor,
    /** As the write has it; undefined where there is none (a deletion). */
    readonly object: KubeObject | undefined,
  ) {}

  get operation(): Operation {
    return this.admission.operation;
  }
  get subresource(): string {
    return this.admission.subresource ?? '';
  }
  get old(): KubeObject | undefined {
    return this.admission.old;
  }
  get groupResource(): GroupResource {
    return this.called.served.groupResource;
  }
  get resource(): GroupVersionResource {
    return resourceOf(this.called.served);
  }
  get kind(): GroupVersionKind {
    return this.kindIn(this.called.served);
  }
  get name(): string {
    return this.called.name ?? this.object?.metadata?.name ?? '';
  }
  /** A Namespace is in the namespace of its own name. */
  get namespace(): string {
    return this.isNamespace ? this.name : (this.called.namespace ?? '');
  }
  get isNamespace(): boolean {
    return this.called.served.groupResource === 'namespaces';
  }

  /** The other versions and groups that the same objects are served in. */
  get equivalents(): readonly ResourceKind[] {
    const { kinds, served } = this.called;
    return kinds.all.filter((kind) => kind !== served && kind.served && kind.storage === served.storage);
  }

  kindIn(served: ResourceKind): GroupVersionKind {
    const { group, version, kind } = this.called.body ?? served;
    return { group, version, kind };
  }

  /** The object as a version of its kind shows it, in wire form. */
  objectIn(served: ResourceKind): JsonObject | null {
    const { owned } = this.called;
    return this.object ? this.shown(served, owned ? owned(this.object) : this.object) : null;
  }

  oldIn(served: ResourceKind): JsonObject | null {
    return this.old ? this.shown(served, this.old) : null;
  }

  private shown(served: ResourceKind, object: KubeObject): JsonObject {
    return versioned(this.called.body ?? served, this.called.body ? object : shownAs(served, object));
  }

  /** The options of the request, of the kind that goes with what is done; null where there are none. */
  get options(): JsonObject | null {
    const kind = optionsOf[this.operation];
    return kind === undefined ? null : { kind, apiVersion: 'meta.k8s.io/v1', ...this.called.caller.options };
  }

  /** 403: as whoever is configured has it. */
  forbidden(text: string): Failure {
    const { name, object } = this;
    return forbiddenRequest(this.groupResource, name || (object?.metadata ? requestedName(object) : 'Unknown'), text);
  }
}

const optionsOf: Readonly<Record<Operation, string | undefined>> = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
  DELETE: 'DeleteOptions',
  CONNECT: undefined,
};

export function resourceOf({ group, version, resource }: ResourceKind): GroupVersionResource {
  return { group, version, resource };
}

/** In wire form, with its kind, and with owners as they are written. */
export function versioned(body: BodyKind, object: KubeObject): JsonObject {
  const { kind: _kind, apiVersion: _version, ...rest } = wireFormOf(body, object.metadata ? withWrittenOwners(object) : object);
  return { kind: body.kind, apiVersion: apiVersionOf(body.group, body.version), ...rest } as unknown as JsonObject;
}

function withWrittenOwners(object: KubeObject): KubeObject {
  const { managedFields, ...metadata } = object.metadata;
  const text = managedFields && JSON.stringify(managedFields);
  const written = text === undefined ? {} : { managedFields: JSON.parse(text) as KubeObject['metadata']['managedFields'] };
  return { ...object, metadata: { ...metadata, ...written } };
}
