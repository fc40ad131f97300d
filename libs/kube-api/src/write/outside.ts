import { isObject, jsonEqual, type Json, type JsonObject, type KubeObject } from '#libs/kernel';
import {
  judgeAll,
  judgedByUsers,
  mutateByWebhooks,
  type Admission,
  type Admitted,
  type CalledFor,
  type Caller,
  type Patching,
} from '../admission';
import { convert, noKind, noObject, toWireForm } from '../decode';
import { apiVersionOf, findSubresource, kindsOf, shownAs, type BodyKind, type KindCatalogue, type ResourceKind } from '../kinds';
import { applyJsonPatch, JsonPatchError } from '../patch';
import { internalError, isFailure, type Failure } from '../status';
import { admissionOf } from './admission';
import type { ConnectRequest, DeleteRequest, Prepared, StateView, Target, WriteContext } from './request';
import { completed } from './rules';
import { withoutOwners } from './owners';

/** A write as webhooks and policies see it. */
export interface OutsideOptions {
  readonly kinds: KindCatalogue;
  readonly served: ResourceKind;
  readonly name?: string;
  readonly namespace?: string;
  /** The subresource that is written to, where others see it (a Scale is written to the object itself). */
  readonly subresource?: string;
  /** Its kind, where that is not the resource's. */
  readonly body?: BodyKind;
  /** The object as they see it. Absent: as it is. */
  readonly show?: (object: KubeObject) => KubeObject;
  /** What the object becomes when what they see of it becomes this. */
  readonly take?: (object: KubeObject, shown: KubeObject) => KubeObject | Failure;
  readonly owned?: (object: KubeObject) => KubeObject;
}

/** What webhooks and policies have to say of one write. */
export class Outside {
  private readonly admission: Admission;
  private readonly called: CalledFor;

  constructor(
    private readonly own: Admission,
    caller: Caller,
    private readonly options: OutsideOptions,
  ) {
    const { kinds, served, name, namespace, subresource, show, owned } = options;
    const body = options.body ?? (subresource === undefined ? undefined : foreignBody(served, subresource));
    this.called = { caller, kinds, served, body, name, namespace, owned, warnings: [], annotate: own.annotate };
    const old = own.old && show ? show(own.old) : own.old;
    this.admission = { ...own, subresource: subresource ?? own.subresource, old, called: this.called };
  }

  /** What was to be told so far; nothing of it is told again. */
  told(): string[] {
    return this.called.warnings.splice(0);
  }

  /** @param again the server's own mutating steps, for what webhooks have changed */
  mutate(object: KubeObject, again: (object: KubeObject) => Admitted): Admitted {
    const { show, take } = this.options;
    if (!show || !take) return mutateByWebhooks(object, this.admission, this.patching(again));
    const seen = show(object);
    const outcome = mutateByWebhooks(
      seen,
      this.admission,
      this.patching((patched) => ({ kind: 'admitted', object: patched })),
    );
    if (outcome.kind !== 'admitted' || outcome.object === seen) return outcome.kind === 'admitted' ? { ...outcome, object } : outcome;
    const taken = take(object, outcome.object);
    return isFailure(taken) ? { kind: 'refused', status: taken } : { kind: 'admitted', object: taken };
  }

  /** All that judges a write. */
  judge(object: KubeObject): Admitted {
    const { show } = this.options;
    const shown = show ? show(object) : object;
    const version = this.own.operation === 'UPDATE' ? this.own.old?.metadata.resourceVersion : undefined;
    const versioned = version === undefined ? shown : { ...shown, metadata: { ...shown.metadata, resourceVersion: version } };
    return judgeAll(object, this.own, { object: versioned, admission: this.admission });
  }

  /** Of a request that no own step judges: a deletion, a connection, a binding. */
  judgeAlone(object: KubeObject | undefined): Admitted {
    const mutated = mutateByWebhooks(
      object,
      this.admission,
      this.patching((patched) => ({ kind: 'admitted', object: patched })),
    );
    return mutated.kind === 'admitted' ? judgedByUsers({ object: mutated.object, admission: this.admission }) : mutated;
  }

  private patching(again: Patching['again']): Patching {
    const { body, served } = this.called;
    return {
      again,
      apply: (object, operations, { matched }) =>
        body ? patchedBody(body, object, operations) : patched(served, matched, object, operations, this.called),
    };
  }
}

/** The kind of a subresource's body, where it is another than that of its resource. */
function foreignBody(served: ResourceKind, subresource: string): BodyKind | undefined {
  const found = findSubresource(served, subresource);
  return found && found.kind !== served.kind ? found : undefined;
}

/**
 * An object in one of the versions of its kind, patched as webhooks see it, read back, given defaults, and in the form it is stored in; where a
 * webhook converts it, in the version that was asked for. Who owns its fields is the server's to say: what becomes of that is not looked at.
 */
function patched(
  served: ResourceKind,
  kind: ResourceKind,
  object: KubeObject,
  operations: readonly Json[],
  called: CalledFor,
): ReturnType<Patching['apply']> {
  const managedFields = operations.some(concernsOwners) ? ownersShown(object, called) : undefined;
  const shown = shownAs(kind, withoutOwners(object));
  const seen = managedFields ? { ...shown, metadata: { ...shown.metadata, managedFields } } : shown;
  const outcome = patchedBody(kind, seen, operations, called.kinds);
  if (isFailure(outcome) || !outcome.changed) return isFailure(outcome) ? outcome : { object, changed: false };
  const patchedObject = completed(kind, withoutOwners(outcome.object));
  return { object: served.form?.webhook ? shownAs(served, patchedObject) : patchedObject, changed: true };
}

function patchedBody(
  kind: BodyKind,
  object: KubeObject,
  operations: readonly Json[],
  kinds?: KindCatalogue,
): ReturnType<Patching['apply']> {
  const own = { kind: kind.kind, apiVersion: apiVersionOf(kind.group, kind.version) };
  const before = kind.schema ? toWireForm(kind.schema, object) : object;
  let document: Json;
  try {
    document = applyJsonPatch({ ...own, ...before } as unknown as Json, operations);
  } catch (error) {
    if (error instanceof JsonPatchError) return internalError(error.message);
    throw error;
  }
  const other = kinds && otherKind(kind, own, document, kinds);
  if (other) return other;
  const read = readBack(kind, document);
  if (isFailure(read)) return read;
  const { kind: _kind, apiVersion: _version, ...after } = read;
  const { kind: _k, apiVersion: _v, ...was } = before as KubeObject & { kind?: string; apiVersion?: string };
  const patchedObject = after as unknown as KubeObject;
  return { object: patchedObject, changed: !jsonEqual(lasting(was), lasting(patchedObject)) };
}

/** Whether an operation can have to do with `metadata.managedFields`. */
function concernsOwners(operation: Json): boolean {
  const { path, from } = (operation ?? {}) as { path?: Json; from?: Json };
  return [path, from].some((each) => each === '' || each === '/metadata' || String(each).startsWith('/metadata/managedFields'));
}

function ownersShown(object: KubeObject, { owned }: CalledFor): KubeObject['metadata']['managedFields'] {
  const { managedFields } = owned?.(object).metadata ?? {};
  return managedFields && (JSON.parse(JSON.stringify(managedFields)) as typeof managedFields);
}

/** What a patch can change; the bodies of some subresources have no metadata. */
function lasting(object: KubeObject): Json {
  return ((object.metadata as object | undefined) ? withoutOwners(object) : object) as unknown as Json;
}

/** What is said where a patch has made another kind of the object. */
function otherKind({ schema }: BodyKind, own: JsonObject, document: Json, kinds: KindCatalogue): Failure | undefined {
  if (!schema || !isObject(document)) return undefined;
  const { kind = own['kind'], apiVersion = own['apiVersion'] } = document as { kind?: string; apiVersion?: string };
  if (kind === own['kind'] && apiVersion === own['apiVersion']) return undefined;
  const [named, version] = [String(kind), String(apiVersion)];
  if (kinds.findKind(version, named)) return internalError(`${named} cannot be read as ${String(own['kind'])}`);
  return internalError(noKind(named, version));
}

function readBack({ schema }: BodyKind, document: Json): JsonObject | Failure {
  if (!isObject(document)) return internalError(noObject(document));
  if (!schema) return document;
  const { object, error } = convert(schema, document);
  if (error !== undefined) return internalError(error);
  return { ...object, metadata: object['metadata'] ?? {} };
}

const configured = [
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
  'validatingadmissionpolicybindings.admissionregistration.k8s.io',
];

/** The caller, where the cluster has webhooks or policies that he may concern. */
export function callerOfConfigured(state: StateView, { caller }: WriteContext): Caller | undefined {
  return caller && configured.some((resource) => hasAny(state.list(resource))) ? caller : undefined;
}

function hasAny(objects: Iterable<unknown>): boolean {
  return !objects[Symbol.iterator]().next().done;
}

interface Judged {
  readonly admitted: Admitted;
  readonly warnings: string[];
}

/** What is said of the deletion of an object. */
export function deletionJudged(
  state: StateView,
  kind: ResourceKind,
  { target, options }: DeleteRequest,
  old: KubeObject,
  context: WriteContext,
): Judged {
  const caller = callerOfConfigured(state, context);
  if (!caller) return { admitted: { kind: 'admitted', object: old }, warnings: [] };
  const admission: Admission = { ...admissionOf(state, kind, 'DELETE', context), old, dryRun: options?.dryRun };
  return judgedAlone(state, admission, caller.isOfCollection ? { ...target, name: '' } : target, caller, undefined);
}

/** What is said of what is posted to a subresource of a pod; admitted, it is what webhooks have made of it. */
export function subresourceJudged(
  state: StateView,
  { target, options }: { target: Target; options?: { dryRun?: boolean } },
  subresource: string,
  object: KubeObject,
  context: WriteContext,
): Judged {
  const caller = callerOfConfigured(state, context);
  if (!caller) return { admitted: { kind: 'admitted', object }, warnings: [] };
  const kind = kindsOf(state).kindOf(target.resource);
  const admission: Admission = { ...admissionOf(state, kind, 'CREATE', context), subresource, dryRun: options?.dryRun };
  return judgedAlone(state, admission, target, caller, object);
}

/** What is said of a connection. */
export function connectionJudged(
  state: StateView,
  kind: ResourceKind,
  { target, subresource, options }: ConnectRequest,
  context: WriteContext,
): Judged {
  const object = options as unknown as KubeObject;
  const caller = callerOfConfigured(state, context);
  if (!caller) return { admitted: { kind: 'admitted', object }, warnings: [] };
  const admission: Admission = { ...admissionOf(state, kind, 'CONNECT', context), subresource };
  return judgedAlone(state, admission, target, caller, object);
}

function judgedAlone(
  state: StateView,
  admission: Admission,
  { name, namespace }: Target,
  caller: Caller,
  object: KubeObject | undefined,
): Judged {
  const { kind, subresource } = admission;
  const outside = new Outside(admission, caller, { kinds: kindsOf(state), served: kind, name, namespace, subresource });
  const admitted = outside.judgeAlone(object);
  return { admitted, warnings: outside.told() };
}

/** A refusal or a dry run with what the client is told beside it; nothing is told while somebody is still asked. */
export function toldBeside(prepared: Prepared, warnings: readonly string[]): Prepared {
  if (warnings.length === 0 || prepared.kind === 'review') return prepared;
  return { ...prepared, warnings: [...warnings, ...(prepared.warnings ?? [])] };
}
