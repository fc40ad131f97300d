import { isObject, type JsonObject, type KubeObject } from '#libs/kernel';
import { convert } from '../decode';
import { findSubresource, shownAs, parseApiVersion, type BodyKind, type ResourceKind } from '../kinds';
import {
  applyConfig,
  bare,
  conflictsLeft,
  emptyObject,
  entriesOf,
  firstOwners,
  firstOwnersOfScale,
  inOrder,
  managersOf,
  ownersOfScale,
  ownersOfScaled,
  refuseConflicts,
  scaleTracking,
  schemaErrors,
  trackingOf,
  withLastApplied,
  writingOf,
  type Applied,
  type Conflict,
  type ManagerEntry,
  type Managers,
} from '../managed-fields';
import type { ObjectForm } from '../kinds/behaviour';
import { apiVersionOf } from '../kinds/names';
import { badRequest, conflict, isFailure, notFound, plainError, staleResourceVersion, type Failure, type Status } from '../status';
import { scaleOf } from '../strategy';
import { prepareCreate } from './create';
import { writerBy, writtenAs, type Written } from './owners';
import { held, ruling, servedAs, storedKind } from './rules';
import type { ApplyRequest, Prepared, StateView, WriteContext } from './request';
import { changed, scaled } from './update';

/** PATCH of server-side apply: what is not there is created. */
export function prepareApply(state: StateView, request: ApplyRequest, context: WriteContext): Prepared {
  const kind = ruling(state, request.target.resource, request.version);
  const { target, subresource, config } = request;
  const served = servedAs(state, kind, request.version);
  const body: BodyKind = (subresource && findSubresource(served, subresource)) || served;
  const old = held(kind, state.get(target.resource, target.namespace, target.name));
  if (subresource === 'scale' && !old) return refused(notFound(withSubresource(kind, 'scale'), target.name));
  const refusal = unfit(body, config);
  if (refusal) return refused(refusal);
  const applied =
    subresource === 'scale'
      ? applyToScale(kind, request, old as KubeObject, context)
      : applyToObject(
          writtenAs(state, storedKind(state, kind), request.version),
          request,
          old && (kind.form ? old : shownAs(served, old)),
          context,
        );
  if (isFailure(applied)) return refused(applied);
  const read = readApplied(body, config, applied.object);
  if (isFailure(read)) return refused(read);
  const { object, exact } = read;
  const misnamed = misplaced(request, object);
  if (misnamed) return refused(misnamed);
  if (!old) return createApplied(state, kind, request, object, applied.entries, context);
  const by = { ...writerBy(request.options, context, subresource), operation: 'Apply' as const };
  if (subresource === 'scale') return scaled(state, kind, request, old, object, context, applied.entries);
  if (object.metadata.resourceVersion !== old.metadata.resourceVersion)
    return refused(staleResourceVersion(kind.groupResource, target.name));
  return changed(state, kind, request, old, object, context, { by, given: undefined, exact: applied.entries }, { exact });
}

interface AppliedObject {
  object: JsonObject;
  entries: readonly ManagerEntry[];
}

/** What the configuration itself is refused for. */
function unfit(body: BodyKind, config: JsonObject): Failure | undefined {
  const shown = gvkOf(config);
  if (shown !== showGvk(body)) return badRequest(`invalid object type: ${shown}`);
  return undefined;
}

/** Checks that come after the owners of an object that has none are found. */
function unreadable(tracking: { type: Parameters<typeof schemaErrors>[0] }, config: JsonObject): Failure | undefined {
  const metadata = isObject(config.metadata) ? config.metadata : {};
  if (Array.isArray(metadata.managedFields)) return badRequest('metadata.managedFields must be nil');
  const errors = schemaErrors(tracking.type, config);
  return errors === undefined ? undefined : plainError(`failed to create typed patch object (${showObject(config)}): ${errors}`);
}

/** Why nobody can be found who owns anything of an object: it does not fit its own schema, so upstream has followed nobody who wrote it. */
function unowned(kind: ResourceKind, { type }: Parameters<typeof unreadable>[0], live: JsonObject): Failure | undefined {
  const errors = kind.form && schemaErrors(type, live);
  if (errors === undefined) return undefined;
  const text = `failed to convert new object (${showObject(live)}) to smd typed: ${errors}`;
  return plainError(`failed to create manager for existing fields: ${text}`);
}

function applyToObject(
  { served: kind, forms }: Written,
  request: ApplyRequest,
  old: KubeObject | undefined,
  context: WriteContext,
): AppliedObject | Failure {
  const tracking = trackingOf(kind, request.subresource, forms);
  const live = old ? { kind: kind.kind, apiVersion: kind.apiVersion, ...bare(old) } : emptyObject(kind);
  const refusal = (old && unowned(kind, tracking, live)) ?? unreadable(tracking, request.config);
  if (refusal) return refusal;
  const writing = writingOf({ ...writerBy(request.options, context, request.subresource), operation: 'Apply' });
  const managers = old ? firstOwners(tracking, entriesOf(old), kind, old, writing) : new Map<string, ManagerEntry>();
  const result = applied(
    request,
    (force) => applyConfig(tracking, managers, live, request.config, writing, force),
    (conflicts) => conflictsLeft(writing.manager, tracking, live, conflicts),
  );
  if (isFailure(result)) return result;
  const object = withLastApplied(writing.manager, result.object, request.config);
  return { object, entries: inOrder(result.managers.values()) };
}

function applyToScale(kind: ResourceKind, request: ApplyRequest, old: KubeObject, context: WriteContext): AppliedObject | Failure {
  const tracking = scaleTracking();
  const refusal = unreadable(tracking, request.config);
  if (refusal) return refusal;
  const writing = writingOf({ ...writerBy(request.options, context, 'scale'), operation: 'Apply' });
  const entries = entriesOf(old);
  const managers: Managers = firstOwnersOfScale(ownersOfScale(entries, kind), scaleOf(old, kind.strategy), writing);
  const live = bare(scaleOf(old, kind.strategy));
  const result = applied(
    request,
    (force) => applyConfig(tracking, managers, live, request.config, writing, force),
    (conflicts) => conflicts,
  );
  if (isFailure(result)) return result;
  return { object: result.object, entries: ownersOfScaled(entries, managersOf(inOrder(result.managers.values())), kind) };
}

/** Applies; where conflicts are in the way, those that are left decide whether it is forced or refused. */
function applied(
  { force = false }: ApplyRequest,
  apply: (force: boolean) => Applied | readonly Conflict[],
  left: (conflicts: readonly Conflict[]) => readonly Conflict[],
): Applied | Failure {
  const result = apply(force);
  if ('managers' in result) return result;
  const remaining = left(result);
  return remaining.length > 0 ? refuseConflicts(remaining) : (apply(true) as Applied);
}

/** The object as its kind is decoded. */
function readApplied(body: BodyKind, config: JsonObject, applied: JsonObject): { object: KubeObject; exact?: KubeObject } | Failure {
  const { schema, form } = body;
  if (form) return readCustom(form, config, applied);
  if (!schema) return { object: applied as unknown as KubeObject };
  const { object, exact, error } = convert(schema, applied, undefined, 'unstructured');
  if (error !== undefined) return plainError(`failed to convert new object (${showObject(config)}) to proper version: ${error}`);
  const unreadable = body.unreadable?.(object);
  if (unreadable !== undefined) return plainError(`failed to convert to unversioned (${showObject(config)}): ${unreadable}`);
  const named = (read: JsonObject): KubeObject => ({ ...read, metadata: read.metadata ?? {} }) as unknown as KubeObject;
  return { object: named(object), exact: exact && named(exact) };
}

function readCustom(form: ObjectForm, config: JsonObject, object: JsonObject): { object: KubeObject } | Failure {
  const { error } = form.read(object);
  if (error !== undefined) return plainError(`failed to convert new object (${showObject(config)}) to proper version: ${error}`);
  return { object: { ...object, metadata: object.metadata ?? {} } as unknown as KubeObject };
}

/** What the object would be called, against what the path calls it. */
function misplaced({ target }: ApplyRequest, { metadata }: KubeObject): Status | undefined {
  const { name, namespace } = metadata;
  if (namespace && target.namespace && namespace !== target.namespace)
    return badRequest('the namespace of the provided object does not match the namespace sent on the request');
  if (!name) return badRequest(`the name of the object (${target.name} based on URL) was undeterminable: name must be provided`);
  if (name !== target.name) return badRequest(`the name of the object (${name}) does not match the name on the URL (${target.name})`);
  return undefined;
}

function createApplied(
  state: StateView,
  kind: ResourceKind,
  { target, version, subresource, options }: ApplyRequest,
  object: KubeObject,
  entries: readonly ManagerEntry[],
  context: WriteContext,
): Prepared {
  const { groupResource } = kind;
  if (object.metadata.uid) {
    const text = `uid mismatch: the provided object specified uid ${object.metadata.uid}, and no existing object was found`;
    return refused(conflict(groupResource, target.name, text));
  }
  if (subresource && !(subresource === 'status' && kind.createOnUpdate)) return refused(notFound(groupResource, target.name));
  const { resourceVersion: _, ...metadata } = object.metadata;
  const request = {
    verb: 'create',
    resource: target.resource,
    version,
    namespace: target.namespace,
    object: { ...object, metadata },
    options,
  } as const;
  return prepareCreate(state, request, context, { exact: entries, subresource, put: true });
}

function withSubresource({ groupResource }: ResourceKind, subresource: string): string {
  const dot = groupResource.indexOf('.');
  return dot < 0 ? `${groupResource}/${subresource}` : `${groupResource.slice(0, dot)}/${subresource}${groupResource.slice(dot)}`;
}

function gvkOf({ apiVersion, kind }: JsonObject): string {
  const version = typeof apiVersion === 'string' ? apiVersion : '';
  const parsed = version === '' ? { group: '', version: '' } : (parseApiVersion(version) ?? { group: '', version: '' });
  return showGvk({ ...parsed, kind: typeof kind === 'string' ? kind : '' });
}

/** As Go prints a GroupVersionKind. */
function showGvk({ group, version, kind }: { group: string; version: string; kind: string }): string {
  return `${group === '' ? `/${version}` : apiVersionOf(group, version)}, Kind=${kind}`;
}

function showObject(config: JsonObject): string {
  const { namespace, name } = (isObject(config.metadata) ? config.metadata : {}) as { namespace?: unknown; name?: unknown };
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return `${text(namespace)}/${text(name)}; ${gvkOf(config)}`;
}

function refused(status: Status): Prepared {
  return { kind: 'refused', status };
}
