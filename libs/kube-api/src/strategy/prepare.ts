import type { Json, KubeObject, ObjectMeta } from '#libs/kernel';
import { formatTime, jsonEqual } from '#libs/kernel';
import type { ResourceKind } from '../kinds/resource-kind';
import type { CreateContext, UpdatedSubresource } from './context';
import { semanticEqual } from './equality';
import { statusUpdate, withStatus } from './status-update';

/**
 * A decoded, defaulted and admitted object as it is to be validated and stored (upstream's registry strategies and
 * `rest.BeforeCreate`): system fields set, what clients may not set dropped.
 */
export function prepareForCreate(kind: ResourceKind, object: KubeObject, context: CreateContext): KubeObject {
  const named = { ...object, metadata: newMetadata(kind, object, context) };
  const { create, zeroStatus = {} } = kind.strategy;
  if (create) return create(named, context);
  return kind.hasStatus ? { ...named, status: { ...zeroStatus } } : named;
}

function newMetadata(kind: ResourceKind, object: KubeObject, { now, uid }: CreateContext): ObjectMeta {
  const {
    deletionTimestamp: _deleted,
    deletionGracePeriodSeconds: _grace,
    selfLink: _link,
    resourceVersion: _version,
    generation,
    ...kept
  } = object.metadata as ObjectMeta & { selfLink?: string };
  const metadata: ObjectMeta = { ...kept, uid, creationTimestamp: formatTime(now) };
  if (!kind.namespaced) delete metadata.namespace;
  if (kind.generation === 'managed' || kind.generation === 'fixed') metadata.generation = 1;
  else if (generation) metadata.generation = generation;
  return metadata;
}

/**
 * An updated object (the result of a PUT or a patch, defaulted) as it is to be validated and stored: system fields and what the
 * subresource does not reach are taken from the stored one, and the generation follows the spec.
 * @param now cluster time, ms since the epoch; only kinds that write times themselves look at it
 * @param exact the same object as Go holds it, where that says more: with empty lists and maps
 */
export function prepareForUpdate(
  kind: ResourceKind,
  updated: KubeObject,
  old: KubeObject,
  subresource?: UpdatedSubresource,
  now = 0,
  exact?: KubeObject,
): KubeObject {
  const base = { ...updated, metadata: updatedMetadata(updated.metadata, old.metadata) };
  const isOther = kind.strategy.emptyIsWish === true && exact !== undefined && !jsonEqual(wishOf(updated), wishOf(exact));
  return raiseGeneration(kind, updateStep(kind, base, old, subresource, now), old, subresource, isOther);
}

/** Upstream `rest.BeforeUpdate`: an update cannot take back a deletion, nor change who the object is. */
function updatedMetadata(updated: ObjectMeta, old: ObjectMeta): ObjectMeta {
  const { selfLink: _, ...metadata } = { ...updated } as ObjectMeta & { selfLink?: string };
  metadata.uid = updated.uid || old.uid;
  metadata.creationTimestamp = old.creationTimestamp;
  if (old.deletionTimestamp) metadata.deletionTimestamp = old.deletionTimestamp;
  if (old.deletionGracePeriodSeconds !== undefined && metadata.deletionGracePeriodSeconds === undefined) {
    metadata.deletionGracePeriodSeconds = old.deletionGracePeriodSeconds;
  }
  if (old.generation === undefined) delete metadata.generation;
  else metadata.generation = old.generation;
  return metadata;
}

function updateStep(
  { strategy, hasStatus }: ResourceKind,
  updated: KubeObject,
  old: KubeObject,
  subresource: UpdatedSubresource | undefined,
  now: number,
): KubeObject {
  if (subresource !== undefined) {
    const own = strategy.subresources?.[subresource];
    if (own) return own(updated, old, now);
    if (subresource === 'status') return statusUpdate(updated, old, strategy.statusKeeps);
  }
  if (strategy.update) return strategy.update(updated, old, now);
  return hasStatus ? withStatus(updated, old.status) : updated;
}

/** +1 where the wish changed. */
function raiseGeneration(
  kind: ResourceKind,
  updated: KubeObject,
  old: KubeObject,
  subresource: UpdatedSubresource | undefined,
  isOther: boolean,
): KubeObject {
  if (!kind.managesGeneration || subresource === 'status') return updated;
  const changed =
    isOther ||
    !sameWish(updated, old) ||
    (kind.strategy.annotationsAreWish === true && !semanticEqual(updated.metadata.annotations, old.metadata.annotations, 'annotations'));
  return changed ? { ...updated, metadata: { ...updated.metadata, generation: (old.metadata.generation ?? 0) + 1 } } : updated;
}

function sameWish(updated: KubeObject, old: KubeObject): boolean {
  if (updated.spec !== undefined || old.spec !== undefined) return semanticEqual(updated.spec, old.spec);
  return semanticEqual(wishOf(updated), wishOf(old));
}

/** What an object asks for: its spec, or where there is none all that is no metadata. */
function wishOf({ apiVersion: _v, kind: _k, metadata: _m, status: _s, spec, ...rest }: KubeObject): Json {
  return (spec ?? rest) as Json;
}
