import type { KubeObject } from '#libs/kernel';
import { wireFormOf } from '../decode';
import { applyDefaults } from '../defaults';
import type { ResourceKind } from '../kinds';

/** Upstream's defaults of the kind, filled in. */
export function defaulted(kind: ResourceKind, object: KubeObject): KubeObject {
  return applyDefaults({ group: kind.group, version: kind.version, kind: kind.kind }, object);
}

/** The object with exactly the fields that the API shows, without kind and apiVersion (the wire adds them). */
export function shaped(kind: ResourceKind, object: KubeObject): KubeObject {
  const { kind: _kind, apiVersion: _version, ...bare } = wireFormOf({ group: kind.group, version: kind.version, kind: kind.kind }, object);
  return bare as KubeObject;
}
