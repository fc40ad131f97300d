import { fact, objectStream } from '#libs/events';
import { derivedSuffix, derivedUid, type KubeObject } from '#libs/kernel';
import {
  admissionSteps,
  isReview,
  judge,
  mutate,
  type Admission,
  type AdmissionLookup,
  type AdmissionStep,
  type Admitted,
} from '../admission';
import { kindsOf, type ResourceKind } from '../kinds';
import { alreadyExists, badRequest, beingDeleted, isFailure, plainError, type Status } from '../status';
import { prepareForCreate, withGeneratedName } from '../strategy';
import { refuseInvalid, validateCreate, warningsOf } from '../validation';
import { admissionLookup } from './admission-lookup';
import { allocated, asStored, defaulted, shaped, unstored } from './rules';
import type { CreateRequest, Prepared, StateView, WriteContext } from './request';

/** Names tried for a generateName before the server gives up (upstream, since 1.31). */
const generatedNamesMax = 7;

/**
 * POST: defaulting, the admission that changes, the kind's strategy, validation, the admission that judges and the one that charges; then
 * the object is created, unless its name is taken. Whoever has to be asked is asked in the phase that he belongs to.
 */
export function prepareCreate(state: StateView, request: CreateRequest, context: WriteContext): Prepared {
  const kind = kindsOf(state).kindOf(request.resource);
  const refusal = misplaced(kind, request);
  if (refusal) return refused(refusal);
  const { now, id } = context;
  const admission: Admission = {
    kind,
    operation: 'CREATE',
    dryRun: request.options?.dryRun,
    lookup: admissionLookup(state, id),
    answers: context.reviews ?? [],
  };
  const admitted = mutated(request, admission, id);
  if (admitted.kind !== 'admitted') return admitted;
  const object = withName(state, kind, admitted.object, context);
  const prepared = shaped(kind, prepareForCreate(kind, object, { now, uid: derivedUid(id), sent: request.object }));
  const errors = validateCreate(kind, prepared);
  if (errors.length > 0) return refused(refuseInvalid(kind, prepared.metadata.name ?? '', errors));
  for (const phase of ['validate', 'charge'] as const) {
    const judged = judge(phase, admissionSteps[phase], prepared, admission);
    if (judged.kind !== 'admitted') return judged;
  }
  if (isVersionSet(request)) return refused(plainError('resourceVersion should not be set on objects to be created'));
  const placed = allocated(state, kind, asStored(kind, prepared), undefined, context);
  if (isFailure(placed)) return refused(placed);
  const taken = state.get(kind.storage, prepared.metadata.namespace, prepared.metadata.name);
  if (taken) return refused(nameTaken(kind, taken));
  const warnings = warningsOf(kind, placed);
  if (request.options?.dryRun) return { kind: 'dry-run', object: unstored(placed, request.object), created: true, warnings };
  return created(state, kind, placed, warnings);
}

interface Preparation {
  id: string;
  outcome: Admitted;
  /** What admission looked up, and what it found. */
  seen: { look: (lookup: AdmissionLookup) => KubeObject | undefined; found: KubeObject | undefined }[];
}

const preparations = new WeakMap<CreateRequest, Preparation>();

/** Defaulting and the admission that changes the object. */
function mutated(request: CreateRequest, admission: Admission, id: string): Admitted {
  const { mutate: steps } = admissionSteps;
  const asking = steps.findIndex((step) => isReview(step) && step.handles(admission));
  const before = mutatedBeforeReview(asking < 0 ? steps : steps.slice(0, asking), request, admission, id);
  return before.kind !== 'admitted' || asking < 0 ? before : mutate(steps.slice(asking), before.object, admission);
}

/**
 * What comes before the first review. A reviewed creation is prepared twice, before and after the answer, so the outcome is kept with the
 * request for as long as everything that it was made from is the same.
 */
function mutatedBeforeReview(steps: readonly AdmissionStep[], request: CreateRequest, admission: Admission, id: string): Admitted {
  const { kind, lookup } = admission;
  const known = preparations.get(request);
  if (known?.id === id && known.seen.every(({ look, found }) => look(lookup) === found)) return known.outcome;
  const seen: Preparation['seen'] = [];
  const noted = (look: Preparation['seen'][number]['look']): KubeObject | undefined => {
    const found = look(lookup);
    seen.push({ look, found });
    return found;
  };
  const outcome = mutate(steps, defaulted(kind, inNamespace(kind, request)), {
    ...admission,
    lookup: {
      namespace: (name) => noted((from) => from.namespace(name)),
      serviceAccount: (namespace, name) => noted((from) => from.serviceAccount(namespace, name)),
      runtimeClass: (name) => noted((from) => from.runtimeClass?.(name)),
      suffix: lookup.suffix,
    },
  });
  preparations.set(request, { id, outcome, seen });
  return outcome;
}

function created(state: StateView, kind: ResourceKind, object: KubeObject, warnings: string[]): Prepared {
  const { namespace, name } = object.metadata;
  const stream = objectStream(state.cluster, kind.storage, namespace, name);
  const expected = state.head(stream)?.revision ?? 'no_stream';
  return { kind: 'append', stream, expected, frames: [[fact('Created', { object })]], object, created: true, warnings };
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
function isVersionSet({ object, options }: CreateRequest): boolean {
  return !options?.dryRun && /^0*[1-9]\d*$/.test(object.metadata.resourceVersion ?? '');
}

function inNamespace(kind: ResourceKind, request: CreateRequest): KubeObject {
  const { kind: _kind, apiVersion: _version, ...object } = request.object;
  const { namespace: _, ...metadata } = object.metadata;
  const namespace = kind.namespaced ? (request.namespace ?? object.metadata.namespace ?? 'default') : undefined;
  return { ...object, metadata: namespace === undefined ? metadata : { ...metadata, namespace } } as KubeObject;
}

/** Generated names that are taken are drawn anew, a few times; the last one is then refused as any taken name. */
function withName(state: StateView, kind: ResourceKind, object: KubeObject, context: WriteContext): KubeObject {
  let named = object;
  for (let attempt = 0; attempt < generatedNamesMax; attempt++) {
    named = withGeneratedName(object, derivedSuffix(`${context.id}/${attempt}`));
    if (named === object || !state.get(kind.storage, named.metadata.namespace, named.metadata.name)) return named;
  }
  return named;
}

function refused(status: Status): Prepared {
  return { kind: 'refused', status };
}
