import { fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { concernedSteps, judgeAll, mutate, type Admission, type Admitted } from '../admission';
import { inItsVersion, kindsOf, shownAs, type ResourceKind } from '../kinds';
import {
  badRequest,
  goQuote,
  isFailure,
  notFound,
  plainError,
  staleResourceVersion,
  storedUidDiffers,
  type Failure,
  type Status,
} from '../status';
import { applyScale, isNoChange, prepareForUpdate, removedByUpdate, scaleOf, scaleToChange } from '../strategy';
import { named, refuseInvalid, refuseUnconditionalUpdate, validateUpdate, warningsOf, withSentKind } from '../validation';
import { refusedAsHeld, withoutExact } from './as-held';
import { appendTo, changeFacts } from './changes';
import { prepareCreate } from './create';
import { patched } from './patch';
import { admissionOf } from './admission';
import { callerOfConfigured, Outside, toldBeside, type OutsideOptions } from './outside';
import { refuseGrant, refuseNode, refuseSigner } from './requester';
import { asStored, begun, completed, held, heldTo, ruling, seenBy, servedAs, shaped, storedKind, unstored } from './rules';
import { withOwners, type ManagerEntry } from '../managed-fields';
import { givenOwners, ownersOfChanged, withoutOwners, writerBy, writtenAs, type Asked, type Owned } from './owners';
import type { ApplyRequest, PatchRequest, Prepared, StateView, Target, UpdateRequest, WriteContext } from './request';

/** PUT. */
export function prepareUpdate(state: StateView, request: UpdateRequest, context: WriteContext): Prepared {
  if (!request.exact) return updated(state, request, context);
  const wrong = refusedAsHeld(request, (held) => updated(state, held, context, { asHeld: true }));
  return wrong ?? updated(state, withoutExact(request), context, { exact: request.exact });
}

function updated(state: StateView, request: UpdateRequest, context: WriteContext, sent: Sent = {}): Prepared {
  const kind = ruling(state, request.target.resource, request.version);
  const { target, object } = request;
  const refusal = misnamed(target, object, () => misplaced(target, object));
  if (refusal) return refused(refusal);
  const old = held(kind, state.get(target.resource, target.namespace, target.name));
  if (!old) {
    if (!kind.createOnUpdate || (request.subresource && request.subresource !== 'status'))
      return refused(notFound(kind.groupResource, target.name));
    const { resourceVersion: _, ...metadata } = object.metadata;
    const wanted = { ...object, metadata: { ...metadata, name: target.name } };
    return prepareCreate(
      state,
      {
        verb: 'create',
        resource: target.resource,
        version: request.version,
        namespace: target.namespace,
        object: wanted,
        options: request.options,
      },
      context,
      { subresource: request.subresource, put: true, asHeld: sent.asHeld },
    );
  }
  if (request.subresource === 'scale') {
    const differing = uidFailure(kind, object, old, target.namespace);
    return differing ? refused(differing) : scaled(state, kind, request, old, object, context);
  }
  const precondition = unconditionalFailure(kind, target, object) ?? preconditionFailure(kind, object, old, target.namespace);
  if (precondition) return refused(precondition);
  return changed(state, kind, request, old, object, context, undefined, sent);
}

/** PATCH of the three kinds that are not server-side apply; without a resourceVersion the server retries conflicts itself. */
export function preparePatch(state: StateView, request: PatchRequest, context: WriteContext): Prepared {
  const kind = ruling(state, request.target.resource, request.version);
  const { target } = request;
  const old = held(kind, state.get(target.resource, target.namespace, target.name));
  if (!old) return refused(notFound(kind.groupResource, target.name));
  const served = servedAs(state, kind, request.version);
  const base = request.subresource === 'scale' ? scaleToChange(old, kind.strategy) : kind.form ? old : shownAs(served, old);
  const result = patched(served, request, base, old);
  if (isFailure(result)) return refused(result);
  const prepare = ({ object }: { object: KubeObject }, sent: Sent): Prepared =>
    preparePatched(state, kind, request, old, object, context, sent);
  const { exact } = result;
  const wrong = exact && refusedAsHeld(result, (held) => prepare(held, { asHeld: true }));
  return withWarnings(wrong ?? prepare(result, { exact }), result.warnings, kind.form !== undefined);
}

function preparePatched(
  state: StateView,
  kind: ResourceKind,
  request: PatchRequest,
  old: KubeObject,
  object: KubeObject,
  context: WriteContext,
  sent: Sent,
): Prepared {
  const { target, subresource } = request;
  const refusal = misplaced(target, object) ?? misnamed(target, object);
  if (refusal) return refused(refusal);
  if (subresource === 'scale') return scaled(state, kind, request, old, object, context);
  const stale = unconditionalFailure(kind, target, object) ?? versionFailure(kind, object, old);
  return stale ? refused(stale) : changed(state, kind, request, old, object, context, undefined, sent);
}

type Change = UpdateRequest | PatchRequest | ApplyRequest;

/** How what is wanted was sent. */
interface Sent {
  /** Only what is wrong with it is asked for: empty lists and maps stay in it. */
  readonly asHeld?: boolean;
  /** As Go holds it, where that says more. */
  readonly exact?: KubeObject;
  /** As others see it who are asked about it, where that is not the object itself. */
  readonly seen?: Pick<OutsideOptions, 'subresource' | 'show' | 'take'>;
}

/**
 * What a write makes of an object.
 * @param asked what owners are told by, where that is not the object as it is wanted
 */
export function changed(
  state: StateView,
  kind: ResourceKind,
  request: Change,
  old: KubeObject,
  wanted: KubeObject,
  context: WriteContext,
  asked?: Omit<Asked, 'wanted'> & Partial<Asked>,
  { asHeld = false, exact, seen }: Sent = {},
): Prepared {
  const { target, subresource, options } = request;
  const { kind: _kind, apiVersion: _version, ...bare } = withoutOwners(wanted);
  const inPlace = { ...bare, metadata: { ...bare.metadata, namespace: old.metadata.namespace } } as KubeObject;
  const served = servedAs(state, kind, request.version);
  const filled = completed(served, inPlace, asHeld);
  const admission: Admission = { ...admissionOf(state, kind, 'UPDATE', context), subresource, old, dryRun: options?.dryRun };
  const owning = writtenAs(state, storedKind(state, kind), request.version);
  const kept = kind.form ? (state.get(target.resource, target.namespace, target.name) ?? old) : old;
  const stored = inItsVersion(kind, kept);
  const by = writerBy(options, context, subresource);
  const owned: Asked = {
    wanted: filled,
    by,
    given: subresource ? undefined : givenOwners(wanted, old),
    left: context.leavesOwners,
    ...asked,
  };
  const caller = asHeld ? undefined : callerOfConfigured(state, context);
  const outside = caller
    ? new Outside(admission, caller, {
        kinds: kindsOf(state),
        served,
        name: target.name,
        namespace: old.metadata.namespace,
        owned: (object) => withOwners(object, ownersOfChanged(owning, stored, filled, owned).owners),
        ...seen,
      })
    : undefined;
  const again = (changedObject: KubeObject): Admitted => mutate(concernedSteps(admission).mutate, changedObject, admission);
  const first = again(filled);
  if (first.kind !== 'admitted') return first;
  const { name, namespace } = target;
  const ofNode = { resource: kind.groupResource, operation: 'UPDATE', subresource, name, namespace, object: first.object, old } as const;
  const notOfNode = refuseNode(state, ofNode, context);
  if (notOfNode) return refused(notOfNode);
  const admitted = outside?.mutate(first.object, again) ?? first;
  const told = outside?.told() ?? [];
  if (admitted.kind !== 'admitted') return toldBeside(admitted, told);
  const refusedWith = (status: Status): Prepared => toldBeside(refused(status), told);
  const notGranted = refuseGrant(kind, admitted.object, old, target, context);
  if (notGranted) return refusedWith(notGranted);
  // What is written through a subresource is handed out nothing.
  const object = subresource ? admitted.object : begun(state, kind, admitted.object, old, context, options?.dryRun);
  if (isFailure(object)) return refusedWith(object);
  const exactly = exact && kind.strategy.emptyIsWish ? completed(served, exact, true) : undefined;
  const prepared = shaped(kind, prepareForUpdate(kind, object, old, subresource, context.now, exactly), asHeld);
  const rules = heldTo(kind, served);
  const errors = validateUpdate(rules, seenBy(rules, withSentKind(kind, prepared, wanted)), seenBy(rules, old), subresource);
  const tolerated = kind.toldAnyway?.(prepared) ?? [];
  if (errors.length > 0) return toldBeside(refused(refuseInvalid(named(rules, wanted), target.name, errors)), [...told, ...tolerated]);
  const notOfSigner = refuseSigner(state, { ...ofNode, object: prepared }, context);
  if (notOfSigner) return refusedWith(notOfSigner);
  const judged = outside?.judge(prepared) ?? judgeAll(prepared, admission);
  const judgedWith = outside?.told() ?? [];
  // What a webhook makes of a custom object for the store is asked for when nothing else is in the way.
  const shown = kind.form ? prepared : asStored(state, kind, prepared);
  const own = warningsOf(kind, shown, old, { sent: wanted, subresource });
  const warnings = [...told, ...tolerated, ...own, ...judgedWith];
  if (judged.kind !== 'admitted') return toldBeside(judged, warnings);
  const placed = kind.form ? asStored(state, kind, prepared) : shown;
  const { owners, facts, isSame } = ownersOfChanged(owning, stored, placed, owned);
  const isUnchanged = isNoChange(stored, placed, kind.strategy.isSame) && isSame;
  return written(state, kind, request, { old, stored: kept, placed, wanted, owners, facts, isUnchanged, warnings }, context);
}

/** What has become of an object, and of its owners. */
interface Outcome {
  readonly old: KubeObject;
  /** As it is stored, where that is another version than the one it is seen in. */
  readonly stored: KubeObject;
  readonly placed: KubeObject;
  readonly wanted: KubeObject;
  readonly owners: Owned['owners'];
  readonly facts: Owned['facts'];
  readonly isUnchanged: boolean;
  readonly warnings: string[];
}

/** What is written of a change: nothing, a new version, or the end of a deletion that the object was held from. */
function written(state: StateView, kind: ResourceKind, { target, options }: Change, outcome: Outcome, context: WriteContext): Prepared {
  const { old, stored, placed, wanted, owners, facts, isUnchanged, warnings } = outcome;
  if (options?.dryRun)
    return {
      kind: 'dry-run',
      object: isUnchanged ? unstored(old, wanted) : withOwners(unstored(placed, wanted), owners),
      created: false,
      warnings,
    };
  if (removedByUpdate(kind, placed, old)) {
    const last = withOwners({ ...placed, metadata: { ...placed.metadata, resourceVersion: old.metadata.resourceVersion } }, owners);
    return { ...appendTo(state, target, [[fact('Deleted', {})]], last), asWas: true };
  }
  if (isUnchanged) return { kind: 'unchanged', object: old, warnings };
  const { resourceVersion, managedFields } = old.metadata;
  // Owners are told apart from what else has changed.
  const kept = managedFields ? { managedFields } : {};
  const after = { ...placed, metadata: { ...placed.metadata, resourceVersion, ...kept } };
  const changes = [...changeFacts(stored, after, [], context.now), ...facts];
  // Owners may follow from a write that changes nothing else: then it is told that there was one.
  const frame = changes.length > 0 ? changes : [fact('ManagedFieldsChanged', {})];
  return appendTo(state, target, [frame], withOwners(after, owners), { warnings });
}

export function scaled(
  state: StateView,
  kind: ResourceKind,
  request: Change,
  old: KubeObject,
  scale: KubeObject,
  context: WriteContext,
  exact?: readonly ManagerEntry[],
): Prepared {
  const wanted = applyScale(kind.groupResource, old, scale, kind.strategy);
  if (isFailure(wanted)) return refused(wanted);
  const by = { ...writerBy(request.options, context, 'scale'), ...(exact ? { operation: 'Apply' as const } : {}) };
  const update = { ...request, subresource: undefined, ...(kind.form ? {} : { version: undefined }) };
  return changed(
    state,
    kind,
    update,
    old,
    wanted,
    context,
    { wanted: scale, by, given: undefined, exact },
    {
      seen: {
        subresource: 'scale',
        show: (object) => scaleOf(object, kind.strategy),
        take: (object, patchedScale) => applyScale(kind.groupResource, object, patchedScale, kind.strategy),
      },
    },
  );
}

function misplaced({ namespace: wanted }: Target, { metadata: { namespace } }: KubeObject): Failure | undefined {
  if (!namespace || !wanted || namespace === wanted) return undefined;
  return badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/** @param between what else is wrong, which is told before a name that is another's */
function misnamed(target: Target, { metadata: { name } }: KubeObject, between?: () => Failure | undefined): Failure | undefined {
  if (!name) return badRequest(`the name of the object (${target.name} based on URL) was undeterminable: name must be provided`);
  const other = between?.();
  if (other) return other;
  if (name !== target.name) return badRequest(`the name of the object (${name}) does not match the name on the URL (${target.name})`);
  return undefined;
}

function preconditionFailure(kind: ResourceKind, object: KubeObject, old: KubeObject, namespace: string | undefined): Failure | undefined {
  return uidFailure(kind, object, old, namespace) ?? versionFailure(kind, object, old);
}

/** Of a PUT; a patch has no precondition but that which it is given. */
function uidFailure(kind: ResourceKind, object: KubeObject, old: KubeObject, namespace: string | undefined): Failure | undefined {
  const { uid, name } = object.metadata;
  return uid && uid !== old.metadata.uid ? storedUidDiffers(kind.groupResource, namespace, name, uid, old.metadata.uid) : undefined;
}

function unconditionalFailure(kind: ResourceKind, { name }: Target, { metadata }: KubeObject): Failure | undefined {
  if (kind.allowUnconditionalUpdate || !isUnversioned(metadata.resourceVersion)) return undefined;
  return refuseUnconditionalUpdate(kind, name);
}

function versionFailure(kind: ResourceKind, { metadata: { resourceVersion, name } }: KubeObject, old: KubeObject): Failure | undefined {
  if (resourceVersion && !/^\d+$/.test(resourceVersion))
    return plainError(`strconv.ParseUint: parsing ${goQuote(resourceVersion)}: invalid syntax`);
  if (!isUnversioned(resourceVersion) && resourceVersion !== old.metadata.resourceVersion)
    return staleResourceVersion(kind.groupResource, name);
  return undefined;
}

/** Version 0 is none. */
function isUnversioned(resourceVersion: string | undefined): boolean {
  return !resourceVersion || /^0+$/.test(resourceVersion);
}

/** What is refused is warned of all the same. @param first before what was found later */
function withWarnings(prepared: Prepared, warnings: string[], first: boolean): Prepared {
  if (warnings.length === 0 || prepared.kind === 'review') return prepared;
  const own = prepared.warnings ?? [];
  return { ...prepared, warnings: first ? [...warnings, ...own] : [...own, ...warnings] };
}

function refused(status: Status): Prepared {
  return { kind: 'refused', status };
}
