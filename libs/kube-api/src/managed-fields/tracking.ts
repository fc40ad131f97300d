import type { JsonObject, KubeObject } from '#libs/kernel';
import { zeroStruct } from '../decode';
import type { OwnedFields } from '../kinds/behaviour';
import type { ResourceKind } from '../kinds/resource-kind';
import { shownAs } from '../kinds/shown-as';
import { definition } from '../schema';
import { everything, except, only, type FieldFilter } from './field-filter';
import type { OtherForm, Tracking } from './track-update';
import { typeOf, type ValueType } from './value-type';

const filters = new WeakMap<ResourceKind, Map<string, FieldFilter>>();

/** What writers of a kind's objects own, through the object itself or a subresource. */
export function filterOf(kind: ResourceKind, subresource: string | undefined): FieldFilter {
  const way = subresource ?? 'object';
  let known = filters.get(kind);
  if (!known) filters.set(kind, (known = new Map()));
  let filter = known.get(way);
  if (!filter) known.set(way, (filter = filterBy(ownedFields(kind, way))));
  return filter;
}

export function ownedFields({ strategy, hasStatus }: ResourceKind, way: string): OwnedFields {
  const own = strategy.owns?.[way as 'object'];
  if (own) return own;
  if (!hasStatus) return { except: [] };
  return { except: way === 'status' ? ['spec'] : way === 'object' ? ['status'] : [] };
}

function filterBy(owned: OwnedFields): FieldFilter {
  if ('only' in owned) return only(...owned.only);
  return owned.except.length === 0 ? everything : except(...owned.except);
}

/**
 * @param kind in the version that is written
 * @param forms of the kind's objects: versions of its group count, not those of another group that shows the same objects
 */
export function trackingOf(kind: ResourceKind, subresource: string | undefined, forms: readonly ResourceKind[] = []): Tracking {
  const { apiVersion } = kind;
  const others = forms
    .filter((form) => form.groupResource === kind.groupResource && form !== kind)
    .map((form) => otherForm(kind, form, subresource));
  return { type: applyTypeOf(kind), apiVersion, others, filter: filterOf(kind, subresource) };
}

function applyTypeOf({ form, schema }: ResourceKind): ValueType {
  return form?.applyType ?? typeOf(schema);
}

function otherForm(kind: ResourceKind, form: ResourceKind, subresource: string | undefined): OtherForm {
  return {
    apiVersion: form.apiVersion,
    type: applyTypeOf(form),
    filter: filterOf(form, subresource),
    from: (object) => inForm(kind, form, object),
    back: (object) => inForm(form, kind, object),
  };
}

/** An object of one version of its kind as another one shows it, with the kind and version that it names. */
function inForm(from: ResourceKind, to: ResourceKind, object: JsonObject): JsonObject {
  const { kind, apiVersion: _, ...bare } = object;
  const given = { ...bare, metadata: bare.metadata ?? {} } as unknown as KubeObject;
  const shown = shownAs(to, from.conversion ? from.conversion.toStorage(given) : given) as unknown as JsonObject;
  return kind === undefined ? shown : { kind: to.kind, apiVersion: to.apiVersion, ...shown };
}

const scaleVersion = 'autoscaling/v1';

export function scaleTracking(): Tracking {
  return {
    type: typeOf(definition('autoscaling.v1.Scale')),
    apiVersion: scaleVersion,
    others: [],
    filter: everything,
  };
}

/** An object as owners see it: without what is told of them. */
export function bare(object: KubeObject): JsonObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata } as unknown as JsonObject;
}

type LookOf = Pick<ResourceKind, 'schema' | 'kind' | 'apiVersion'>;

const emptyObjects = new WeakMap<LookOf, JsonObject>();

/** An object of the kind that nobody has written anything in. */
export function emptyObject(look: LookOf): JsonObject {
  let empty = emptyObjects.get(look);
  if (!empty) {
    const { schema, kind, apiVersion } = look;
    empty = { kind, apiVersion, metadata: {}, ...(schema ? zeroStruct(schema) : {}) };
    emptyObjects.set(look, empty);
  }
  return empty;
}
