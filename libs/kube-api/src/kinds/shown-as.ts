import type { KubeObject } from '#libs/kernel';
import type { ResourceKind } from './resource-kind';

/** A stored object as this version of its kind shows it. Who owns its fields is told by a text of its own, which no conversion looks into. */
export function shownAs({ conversion, shown: show }: Pick<ResourceKind, 'conversion' | 'shown'>, object: KubeObject): KubeObject {
  if (!conversion) return show ? show(object) : object;
  const { managedFields, ...metadata } = object.metadata;
  const shown = conversion.fromStorage({ ...object, metadata });
  return managedFields === undefined ? shown : { ...shown, metadata: { ...shown.metadata, managedFields } };
}

/** A stored object, saying which version it is in where that matters: where a webhook converts it. */
export function inItsVersion({ form }: Pick<ResourceKind, 'form'>, stored: KubeObject): KubeObject {
  return form?.webhook?.named(stored) ?? stored;
}
