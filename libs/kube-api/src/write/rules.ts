import { derivedIndex, type GroupResource, type KubeObject } from '#libs/kernel';
import { storedForm, toExactForm, wireFormOf } from '../decode';
import { applyDefaults } from '../defaults';
import { inItsVersion, kindsOf, shownAs, type ResourceKind } from '../kinds';
import type { Failure } from '../status';
import type { StateView, WriteContext } from './request';

/**
 * The kind whose rules a write is held to: that in which its objects are stored, and of a custom kind, each of whose versions has a schema of its
 * own, that of the version asked for.
 */
export function ruling(state: StateView, resource: GroupResource, version: string | undefined): ResourceKind {
  const kind = kindsOf(state).kindOf(resource);
  return kind.form ? servedAs(state, kind, version) : kind;
}

/** A stored object as rules look at it: of a custom kind as its version has it. */
export function held<T extends KubeObject | undefined>(kind: ResourceKind, stored: T): T {
  return (kind.form && stored ? shownAs(kind, inItsVersion(kind, stored)) : stored) as T;
}

/** The kind as its objects are stored. */
export function storedKind(state: StateView, kind: ResourceKind): ResourceKind {
  return kind.form ? kindsOf(state).kindOf(kind.groupResource) : kind;
}

/** An object as rules look at it; objects of custom kinds are in the form of their version already. */
export function seenBy(rules: ResourceKind, object: KubeObject): KubeObject {
  return rules.form ? object : shownAs(rules, object);
}

/** The kind in the version that a request was made in: `v1`, or of another group `events.k8s.io/v1`. */
export function servedAs(state: StateView, kind: ResourceKind, version: string | undefined): ResourceKind {
  if (version === undefined || version === kind.version) return kind;
  const kinds = kindsOf(state);
  const served = version.includes('/') ? kinds.findKind(version, kind.kind) : kinds.findResource(kind.group, version, kind.resource);
  if (!served?.conversion) throw new Error(`${kind.groupResource} has no version ${version} beside the stored one`);
  return served;
}

/**
 * Whose rules a write is held to: those of the kind as it is stored, in whichever version it is written; but of a view of another kind's objects
 * those of the view.
 */
export function heldTo(kind: ResourceKind, served: ResourceKind): ResourceKind {
  return served.groupResource === kind.groupResource ? kind : served;
}

/** The kind as it fills a body in: one that says it is of another kind is not filled in by a custom kind. */
export function fillingFor(kind: ResourceKind, { kind: sent }: KubeObject): ResourceKind {
  if (!kind.form || sent === undefined || sent === kind.kind) return kind;
  return Object.create(kind, { setDefaults: { value: undefined } }) as ResourceKind;
}

/** The object with upstream's defaults, those of the version it was sent in, in the form that it is stored in. */
export function completed(served: ResourceKind, object: KubeObject, exact = false): KubeObject {
  const filled = applyDefaults(served, object, exact);
  return served.conversion ? served.conversion.toStorage(filled) : filled;
}

/** The object with exactly the fields that the API shows, without kind and apiVersion (the wire adds them). */
export function shaped(kind: ResourceKind, object: KubeObject, exact = false): KubeObject {
  const written = exact && kind.schema ? toExactForm(kind.schema, object) : wireFormOf(kind, object);
  const { kind: _kind, apiVersion: _version, ...bare } = written;
  return kind.form?.webhook?.inVersion(bare as KubeObject) ?? (bare as KubeObject);
}

/** The object as it is read back from the store, whose defaults validation has not seen. */
export function asStored(state: StateView, kind: ResourceKind, object: KubeObject): KubeObject {
  if (kind.form) return storedKind(state, kind).form?.stored(object) ?? object;
  const stored = storedForm(kind, object);
  return kind.strategy.readBack?.(stored) ?? stored;
}

/** With what the server itself hands out: addresses and ports of nodes, to Services. Other kinds are given nothing. */
export function begun(
  state: StateView,
  kind: ResourceKind,
  object: KubeObject,
  old: KubeObject | undefined,
  { id, serviceCidr }: WriteContext,
  dryRun: boolean | undefined,
): KubeObject | Failure {
  if (!kind.strategy.begin) return object;
  return kind.strategy.begin(object, old, {
    serviceCidr,
    dryRun,
    list: (resource) => state.list(resource),
    chance: (bound, label) => derivedIndex(`${id}/${label}`, bound),
  });
}

/** What is posted has no link of its own: that is taken from it before anything is made of it. */
export function withoutLink(object: KubeObject): KubeObject {
  const { selfLink: _, ...metadata } = object.metadata as KubeObject['metadata'] & { selfLink?: string };
  return { ...object, metadata };
}

/** What a dry run answers: upstream clears version and link that a client has sent when it stores an object, and a dry run stores nothing. */
export function unstored(object: KubeObject, sent: KubeObject): KubeObject {
  const { selfLink } = sent.metadata as { selfLink?: string };
  const resourceVersion = object.metadata.resourceVersion ?? sent.metadata.resourceVersion;
  if (!selfLink && !resourceVersion) return object;
  const metadata = { ...object.metadata, ...(selfLink ? { selfLink } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
  return { ...object, metadata };
}
