import type { EventMetadata } from '#libs/events';
import type { GroupResource, JsonObject, KubeObject, ManagedFields } from '#libs/kernel';
import type { KindCatalogue } from '#libs/kube-api';

/** A change of an object's fields, as the fold sees it. */
export interface FoldedChange {
  resource: GroupResource;
  kinds?: KindCatalogue;
  /** Absent: the object came into being. */
  before?: KubeObject;
  after: KubeObject;
  /** Of the first event of the append. */
  metadata: EventMetadata;
  /** Payload of the event that tells what of the owners does not follow from the change. */
  told?: JsonObject;
}

/** Who owns which fields, as rules of the API: the fold keeps with each version of an object what they make of it. */
export interface FieldOwnership {
  /** What stands as `metadata.managedFields` of the object after a change; may be found out when somebody asks. */
  after(change: FoldedChange): ManagedFields | undefined;
  /** An object that was read as JSON, as the fold would have it. */
  restored(object: KubeObject): KubeObject;
}

let rules: FieldOwnership | undefined;

/**
 * The rules are those of kube-api, which stands above this library and gives them when it is loaded. Without them, objects are folded without
 * owners; no program that shows objects is without them.
 */
export function setFieldOwnership(ownership: FieldOwnership): void {
  rules = ownership;
}

export function fieldOwnership(): FieldOwnership | undefined {
  return rules;
}

/** An object that was read as JSON, as the fold would have it. */
export function restoredObject(object: KubeObject): KubeObject {
  return rules && object.metadata.managedFields ? rules.restored(object) : object;
}

/** What no owner is told of: a binding, an eviction and a deletion go past those who keep the books (upstream: past the field manager). */
const unowned: ReadonlySet<string> = new Set(['PodScheduled', 'DeletionRequested', 'Deleted']);
const unownedVerbs: ReadonlySet<string> = new Set(['delete', 'bind', 'evict']);

/** Whether the events of a frame change who owns what. @param whole metadata of the append's first event */
export function changesOwners(
  events: readonly { type: string }[],
  { verb, frame, n }: Pick<EventMetadata, 'verb' | 'frame' | 'n'>,
): boolean {
  // An object that was shown before it was stored: whoever writes to it has not made it.
  if (events[0]?.type === 'Created' && frame === 1 && n > events.length) return false;
  return !(verb !== undefined && unownedVerbs.has(verb)) && !events.some(({ type }) => unowned.has(type));
}
