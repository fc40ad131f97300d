import type { Fact } from '#libs/events';
import type { GroupResource, Json, JsonObject, KubeObject, ObjectKey } from '#libs/kernel';
import type { AdmissionConfiguration } from '../admission/configuration';
import type { Annotate, AuditAnnotation } from '../admission/attributes';
import type { Caller } from '../admission/caller';
import type { NeededReview, ReviewAnswer } from '../admission/review';
import type { Requester } from '../authorization';
import type { KindCatalogue } from '../kinds/catalogue';
import type { Status } from '../status';

/** The state that a write is prepared against. ClusterState is one. */
export interface StateView {
  readonly cluster: string;
  readonly position: number;
  /** Absent: the kinds of the release. */
  readonly kinds?: KindCatalogue;
  /** Absent: upstream's defaults. */
  readonly admission?: AdmissionConfiguration;
  get(resource: GroupResource, namespace: string | undefined, name: string): KubeObject | undefined;
  byKey(resource: GroupResource, key: ObjectKey): KubeObject | undefined;
  list(resource: GroupResource, namespace?: string): Iterable<KubeObject>;
  head(stream: string): { revision: number; digest: string } | undefined;
}

export interface Target {
  resource: GroupResource;
  namespace?: string;
  name: string;
}

export interface WriteOptions {
  dryRun?: boolean;
  fieldManager?: string;
  fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

export interface DeleteOptions {
  gracePeriodSeconds?: number;
  propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  preconditions?: { uid?: string; resourceVersion?: string };
  dryRun?: boolean;
}

/** The version of the object or the patch (`v1`; where it is of another group `events.k8s.io/v1`). Absent: the one that objects of the resource are stored in. */
interface Versioned {
  version?: string;
}

/** What a client has sent, as Go holds it, where that says more than `object`: what is wrong with it is looked for first (`Decoded.exact`). */
interface ExactlySent {
  exact?: KubeObject;
}

/** `object` is decoded (see decode/) but neither defaulted nor admitted. */
export interface CreateRequest extends Versioned, ExactlySent {
  verb: 'create';
  resource: GroupResource;
  namespace?: string;
  object: KubeObject;
  options?: WriteOptions;
}

/** PUT. A resourceVersion in the object is a precondition. */
export interface UpdateRequest extends Versioned, ExactlySent {
  verb: 'update';
  target: Target;
  subresource?: 'status' | 'scale' | 'finalize' | 'ephemeralcontainers' | 'resize' | 'approval';
  object: KubeObject;
  options?: WriteOptions;
}

export type PatchType = 'json' | 'merge' | 'strategic';

export interface PatchRequest extends Versioned {
  verb: 'patch';
  target: Target;
  subresource?: UpdateRequest['subresource'];
  patchType: PatchType;
  patch: Json;
  /** What was found strange while the patch was read. */
  strict?: readonly string[];
  options?: WriteOptions;
}

/** PATCH of server-side apply: what a manager wants of an object, and nothing else. */
export interface ApplyRequest extends Versioned {
  verb: 'apply';
  target: Target;
  subresource?: UpdateRequest['subresource'];
  /** The body as it was sent, decoded and nothing more. */
  config: JsonObject;
  /** What another manager owns is taken from him. */
  force?: boolean;
  options?: WriteOptions;
}

export interface DeleteRequest {
  verb: 'delete';
  target: Target;
  options?: DeleteOptions;
}

/** POST pods/binding. */
export interface BindRequest {
  verb: 'bind';
  target: Target;
  node: string;
  uid?: string;
  annotations?: Record<string, string>;
  options?: WriteOptions;
}

/** POST pods/eviction: a verdict of the disruption budgets first, then the deletion. */
export interface EvictRequest {
  verb: 'evict';
  target: Target;
  deleteOptions?: DeleteOptions;
  options?: WriteOptions;
}

/** What a controller knows has happened to an object, in the field's words. Refused when the object is another one by now. */
export interface RecordRequest {
  verb: 'record';
  target: Target;
  uid: string;
  /** The object must still be at this version (for changes computed against it). */
  ifVersion?: string;
  facts: Fact[];
  /**
   * The whole object after the change. Where folding the facts does not give it, the difference is written beside them as an update.
   * Only with `ifVersion`; absent: folding the facts gives the object.
   */
  after?: KubeObject;
}

/** A deletion with its reason: the fact that says why (condition DisruptionTarget), then the deletion. One append, which a watch shows as two changes. */
export interface DisruptRequest {
  verb: 'disrupt';
  target: Target;
  uid: string;
  mark: Fact;
  deleteOptions?: DeleteOptions;
}

/** A connection to a pod, a Service or a node. It changes nothing, but webhooks and policies may refuse it. */
export interface ConnectRequest {
  verb: 'connect';
  target: Target;
  subresource: string;
  /** `PodExecOptions`, `PodProxyOptions` …, as the query says them. */
  options: JsonObject;
}

export type WriteRequest =
  | CreateRequest
  | UpdateRequest
  | PatchRequest
  | ApplyRequest
  | DeleteRequest
  | BindRequest
  | EvictRequest
  | RecordRequest
  | DisruptRequest
  | ConnectRequest;

/** Inputs that are neither state nor request: time and chance. */
export interface WriteContext {
  /** Cluster time, ms since the epoch. */
  now: number;
  /** Seeds uid, generated names and volume suffixes: the same id gives the same ones. */
  id: string;
  /** The answers to the reviews that earlier calls asked for. One that was given to another question is not looked at. */
  reviews?: readonly ReviewAnswer[];
  /** Who asks, and how. Absent: neither webhooks nor policies have a say in it. */
  caller?: Caller;
  /** The target as it is shown, where it may not be stored yet (a derived Event). */
  unstored?: KubeObject;
  /** Who writes, as events name him: `user:NAME`, or a controller. */
  actor?: string;
  /** Who owns which fields is not asked about: the write is made again, and the log does not have how it was asked for. */
  leavesOwners?: boolean;
  /** Tells the client something beside the answer. */
  warn?(text: string): void;
  /** Takes what the record of the request is to say. */
  readonly annotate?: Annotate;
  /** Hears all that was said to be recorded, when nobody has to be asked any more. Absent: the request is not recorded. */
  annotated?(annotations: ReadonlyMap<string, AuditAnnotation>): void;
  /** Addresses that Services may be given. */
  serviceCidr?: string;
  /** Absent: nobody whose rights are looked at (a controller, a write that is made again to check it). */
  requester?: Requester;
}

export type Prepared =
  /** One append to one stream, whole or not at all; a watch shows each of its frames by itself. `object`: as it will be, but for its
   * version; `asWas`: the answer shows it at its old version (an update that turned out to be the deletion). */
  | {
      kind: 'append';
      stream: string;
      expected: number | 'no_stream';
      frames: Fact[][];
      object: KubeObject;
      created: boolean;
      warnings: string[];
      asWas?: boolean;
    }
  | { kind: 'unchanged'; object: KubeObject; warnings: string[] }
  | { kind: 'dry-run'; object: KubeObject; created: boolean; warnings: string[] }
  /** Nothing may be written before all of these have been answered; they are of one phase. */
  | { kind: 'review'; reviews: readonly NeededReview[] }
  | { kind: 'refused'; status: Status; warnings?: readonly string[] };
