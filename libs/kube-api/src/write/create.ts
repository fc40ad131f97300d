import { fact, objectStream } from '#libs/events';
import { derivedSuffix, derivedUid, type KubeObject } from '#libs/kernel';
import {
  concernedSteps,
  judgeAll,
  mutate,
  type Admission,
  type AdmissionLookup,
  type AdmissionStep,
  type Admitted,
  type Caller,
} from '../admission';
import { kindsOf, type ResourceKind } from '../kinds';
import { alreadyExists, badRequest, beingDeleted, forbiddenRequest, isFailure, plainError, type Failure, type Status } from '../status';
import { prepareForCreate, withGeneratedName, type UpdatedSubresource } from '../strategy';
import { named, refuseInvalid, validateCreate, warningsOf, withSentKind } from '../validation';
import { admissionOf } from './admission';
import { withOwners, type ManagerEntry } from '../managed-fields';
import { callerOfConfigured, Outside, toldBeside } from './outside';
import { givenOwners, ownersOfNew, writerBy, writtenAs, type Asked, type Owned, type Written } from './owners';
import { refuseCreateOnUpdate, refuseGrant, refuseNode } from './requester';
import {
  asStored,
  begun,
  completed,
  heldTo,
  fillingFor,
  ruling,
  seenBy,
  servedAs,
  shaped,
  storedKind,
  unstored,
  withoutLink,
} from './rules';
import { refusedAsHeld, withoutExact } from './as-held';
import type { CreateRequest, Prepared, StateView, WriteContext } from './request';

/** Names tried for a generateName before the server gives up (upstream, since 1.31). */
const generatedNamesMax = 7;

/**
 * POST: defaulting, the admission that changes, the kind's strategy, validation, the admission that judges and the one that charges; then
 * the object is created, unless its name is taken. Whoever has to be asked is asked in the phase that he belongs to.
 */
export function prepareCreate(state: StateView, request: CreateRequest, context: WriteContext, way: CreateWay = {}): Prepared {
  if (request.exact)
    return (
      refusedAsHeld(request, (held) => prepareCreate(state, held, context, { ...way, asHeld: true })) ??
      prepareCreate(state, withoutExact(request), context, way)
    );
  const { exact, subresource, put, asHeld } = way;
  const kind = ruling(state, request.resource, request.version);
  const refusal = misplaced(kind, request);
  if (refusal) return refused(refusal);
  if (kind.refusesCreation !== undefined)
    return refused(forbiddenRequest(kind.groupResource, request.object.metadata.name ?? '', kind.refusesCreation));
  const { now, id } = context;
  const admission: Admission = { ...admissionOf(state, kind, 'CREATE', context), dryRun: request.options?.dryRun };
  const served = fillingFor(servedAs(state, kind, request.version), request.object);
  const { outcome, wanted } = mutated(served, request, admission, id, asHeld);
  if (outcome.kind !== 'admitted') return outcome;
  const path = { namespace: request.namespace, name: put ? request.object.metadata.name : undefined, subresource };
  const write = {
    resource: kind.groupResource,
    operation: 'CREATE',
    subresource,
    namespace: request.namespace,
    object: outcome.object,
  } as const;
  const notOfNode = refuseNode(state, { ...write, name: outcome.object.metadata.name ?? '' }, context);
  if (notOfNode) return refused(notOfNode);
  const by = { ...writerBy(request.options, context, subresource), ...(exact ? { operation: 'Apply' as const } : {}) };
  const asked: Asked = { wanted, by, given: givenOwners(request.object, undefined), exact, left: context.leavesOwners };
  const owning = writtenAs(state, storedKind(state, kind), request.version);
  const caller = asHeld ? undefined : callerOfConfigured(state, context);
  const outside = caller && outsideOf(state, served, owning, admission, caller, asked);
  const admitted = outside?.mutate(outcome.object, (object) => mutate(concernedSteps(admission).mutate, object, admission)) ?? outcome;
  const told = outside?.told() ?? [];
  if (admitted.kind !== 'admitted') return toldBeside(admitted, told);
  const refusedWith = (status: Status): Prepared => toldBeside(refused(status), told);
  const inPlace = placedAs(admitted.object, outcome.object.metadata.namespace);
  if (isFailure(inPlace)) return refusedWith(inPlace);
  const notGranted = refuseGrant(kind, inPlace, undefined, path, context);
  if (notGranted) return refusedWith(notGranted);
  const withOwnName = withName(state, kind, inPlace, context);
  // Nothing is handed out to what comes into being through a subresource.
  const object = subresource ? withOwnName : begun(state, kind, withOwnName, undefined, context, request.options?.dryRun);
  if (isFailure(object)) return refusedWith(object);
  const prepared = shaped(kind, prepareForCreate(kind, object, { now, uid: derivedUid(id), sent: request.object }), asHeld);
  const rules = heldTo(kind, served);
  const errors = validateCreate(rules, seenBy(rules, withSentKind(kind, prepared, request.object)));
  if (errors.length > 0) return refusedWith(refuseInvalid(named(rules, request.object), prepared.metadata.name ?? '', errors));
  const notLet = put && refuseCreateOnUpdate(kind, path, context);
  if (notLet) return refusedWith(notLet);
  const judged = outside?.judge(prepared) ?? judgeAll(prepared, admission);
  const judgedWith = outside?.told() ?? [];
  // What a webhook makes of a custom object for the store is asked for when nothing else is in the way.
  const shown = kind.form ? prepared : asStored(state, kind, prepared);
  const own = warningsOf(kind, shown, undefined, { sent: request.object });
  const warnings = [...told, ...own, ...judgedWith];
  if (judged.kind !== 'admitted') return toldBeside(judged, warnings);
  if (isVersionSet(request.object, request) || isVersionSet(inPlace, request))
    return toldBeside(refused(plainError('resourceVersion should not be set on objects to be created')), warnings);
  const placed = kind.form ? asStored(state, kind, prepared) : shown;
  const taken = state.get(kind.storage, prepared.metadata.namespace, prepared.metadata.name);
  if (taken) return toldBeside(refused(nameTaken(kind, taken)), warnings);
  const owned = ownersOfNew(owning, placed, asked);
  if (request.options?.dryRun)
    return {
      kind: 'dry-run',
      object: withOwners(unstored(placed, put ? request.object : withoutLink(request.object)), owned.owners),
      created: true,
      warnings,
    };
  return created(state, kind, placed, owned, warnings);
}

function outsideOf(state: StateView, served: ResourceKind, owning: Written, admission: Admission, caller: Caller, asked: Asked): Outside {
  return new Outside(admission, caller, {
    kinds: kindsOf(state),
    served,
    namespace: asked.wanted.metadata.namespace,
    owned: (object) => withOwners(object, ownersOfNew(owning, asked.wanted, asked).owners),
  });
}

/** How an object comes into being that was not posted. */
interface CreateWay {
  /** Who owns what, where an apply creates it. */
  exact?: readonly ManagerEntry[];
  /** The path below it that was written to. */
  subresource?: UpdatedSubresource;
  /** By a write to its own path. */
  put?: boolean;
  /** Only what is wrong with the object is asked for: empty lists and maps stay in it. */
  asHeld?: boolean;
}

interface Mutated {
  outcome: Admitted;
  /** With defaults, and nothing else that the client did not ask for. */
  wanted: KubeObject;
}

interface Preparation extends Mutated {
  id: string;
  /** What admission looked up, and what it found. */
  seen: { look: Look; found: ReturnType<Look> }[];
}

type Look = (lookup: AdmissionLookup) => KubeObject | readonly KubeObject[] | undefined;

const preparations = new WeakMap<CreateRequest, Preparation>();

/** Defaulting and the admission that changes the object. */
function mutated(served: ResourceKind, request: CreateRequest, admission: Admission, id: string, asHeld?: boolean): Mutated {
  const { beforeReview, fromReview } = concernedSteps(admission);
  const before = mutatedBeforeReview(served, beforeReview, request, admission, id, asHeld);
  const { outcome, wanted } = before;
  if (outcome.kind !== 'admitted' || fromReview.length === 0) return before;
  return { outcome: mutate(fromReview, outcome.object, admission), wanted };
}

/**
 * What comes before the first review. A reviewed creation is prepared twice, before and after the answer, so the outcome is kept with the
 * request for as long as everything that it was made from is the same.
 */
function mutatedBeforeReview(
  served: ResourceKind,
  steps: readonly AdmissionStep[],
  request: CreateRequest,
  admission: Admission,
  id: string,
  asHeld?: boolean,
): Mutated {
  const { lookup } = admission;
  const known = preparations.get(request);
  if (known?.id === id && known.seen.every(({ look, found }) => isSame(look(lookup), found))) return known;
  const noted = new NotedLookup(lookup);
  const { seen } = noted;
  const wanted = completed(served, inNamespace(served, request), asHeld);
  const outcome = mutate(steps, wanted, { ...admission, lookup: noted });
  const preparation = { id, outcome, wanted, seen };
  preparations.set(request, preparation);
  return preparation;
}

/** Keeps what was looked up, and what was found. */
class NotedLookup implements AdmissionLookup {
  readonly seen: Preparation['seen'] = [];

  constructor(private readonly from: AdmissionLookup) {}

  get configuration(): AdmissionLookup['configuration'] {
    return this.from.configuration;
  }

  namespace(name: string): KubeObject | undefined {
    return this.note((from) => from.namespace(name));
  }

  serviceAccount(namespace: string, name: string): KubeObject | undefined {
    return this.note((from) => from.serviceAccount(namespace, name));
  }

  runtimeClass(name: string): KubeObject | undefined {
    return this.note((from) => from.runtimeClass?.(name));
  }

  storageClass(name: string): KubeObject | undefined {
    return this.note((from) => from.storageClass?.(name));
  }

  defaultStorageClass(): KubeObject | undefined {
    return this.note((from) => from.defaultStorageClass?.());
  }

  defaultIngressClass(): KubeObject | undefined {
    return this.note((from) => from.defaultIngressClass?.());
  }

  limitRanges(namespace: string): readonly KubeObject[] | undefined {
    return this.note((from) => from.limitRanges?.(namespace));
  }

  suffix(): string {
    return this.from.suffix();
  }

  private note<T extends ReturnType<Look>>(look: (lookup: AdmissionLookup) => T): T {
    const found = look(this.from);
    this.seen.push({ look, found });
    return found;
  }
}

/** Objects never change, so the same ones say the same. */
function isSame(a: ReturnType<Look>, b: ReturnType<Look>): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  return a.length === b.length && a.every((object, index) => object === b[index]);
}

function created(state: StateView, kind: ResourceKind, placed: KubeObject, { facts, owners }: Owned, warnings: string[]): Prepared {
  const { namespace, name } = placed.metadata;
  const stream = objectStream(state.cluster, kind.storage, namespace, name);
  const expected = state.head(stream)?.revision ?? 'no_stream';
  const object = withOwners(placed, owners);
  return { kind: 'append', stream, expected, frames: [[fact('Created', { object: placed }), ...facts]], object, created: true, warnings };
}

function nameTaken(kind: ResourceKind, taken: KubeObject): Status {
  const { name, deletionTimestamp } = taken.metadata;
  return deletionTimestamp ? beingDeleted(kind.groupResource, name) : alreadyExists(kind.groupResource, name);
}

/** What is refused before anything else is looked at (upstream's create handler). */
function misplaced(kind: ResourceKind, request: CreateRequest): Status | undefined {
  const { metadata } = request.object;
  if (kind.namespaced && metadata.namespace && request.namespace && metadata.namespace !== request.namespace) {
    return badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return undefined;
}

/** Whether a new object brings a resourceVersion. Upstream's storage refuses it, so after all other checks and not in a dry run; a text that is no number counts as none. */
function isVersionSet({ metadata }: KubeObject, { options }: CreateRequest): boolean {
  return !options?.dryRun && /^0*[1-9]\d*$/.test(metadata.resourceVersion ?? '');
}

/** What webhooks have made of an object, where it was asked for (upstream: `EnsureObjectNamespaceMatchesRequestNamespace`). */
function placedAs(object: KubeObject, wanted: string | undefined): KubeObject | Failure {
  const { namespace, ...metadata } = object.metadata;
  if ((namespace ?? '') === (wanted ?? '')) return object;
  if (namespace && wanted) return badRequest('the namespace of the provided object does not match the namespace sent on the request');
  return { ...object, metadata: wanted ? { ...metadata, namespace: wanted } : metadata } as KubeObject;
}

function inNamespace(kind: ResourceKind, request: CreateRequest): KubeObject {
  const { kind: _kind, apiVersion: _version, ...object } = request.object;
  // The times of a deletion are not the client's to say: they are gone before anything is made of the object.
  const {
    namespace: _,
    managedFields: _owners,
    deletionTimestamp: _deleted,
    deletionGracePeriodSeconds: _grace,
    ...metadata
  } = object.metadata;
  const namespace = kind.namespaced ? (request.namespace ?? object.metadata.namespace ?? 'default') : undefined;
  return { ...object, metadata: namespace === undefined ? metadata : { ...metadata, namespace } } as KubeObject;
}

/** Generated names that are taken are drawn anew, a few times; the last one is then refused as any taken name. */
function withName(state: StateView, kind: ResourceKind, object: KubeObject, context: WriteContext): KubeObject {
  let named = object;
  if (object.metadata.name || !object.metadata.generateName) return object;
  for (let attempt = 0; attempt < generatedNamesMax; attempt++) {
    named = withGeneratedName(object, derivedSuffix(`${context.id}/${attempt}`));
    if (named === object || !state.get(kind.storage, named.metadata.namespace, named.metadata.name)) return named;
  }
  return named;
}

function refused(status: Status): Prepared {
  return { kind: 'refused', status };
}
