import type { JsonObject } from './json';

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** `metadata` as stored: `resourceVersion` is filled by the fold from the log position, never by a writer. */
export interface ObjectMeta {
  name: string;
  generateName?: string;
  namespace?: string;
  uid: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: JsonObject[] | ManagedFields;
}

/** Who owns which fields, where it is found out when somebody asks: `JSON.stringify` does. */
export interface ManagedFields {
  /** Undefined: nobody owns anything. */
  toJSON(): JsonObject[] | undefined;
  /** The same as text; empty where nobody owns anything. */
  readonly json: string;
}

/**
 * Any API object. `spec` and `status` are loosely typed on purpose: kinds are data here (see kube-api's schemas), and the
 * code that knows a kind narrows what it reads.
 */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  spec?: any;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  status?: any;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  [field: string]: any;
}

/** `resource` or `resource.group`: `pods`, `deployments.apps`. The name under which tables and streams are kept. */
export type GroupResource = string;

/** `namespace/name`, or `/name` for cluster-scoped objects: etcd's key order within a resource. */
export type ObjectKey = string;

export function objectKey(namespace: string | undefined, name: string): ObjectKey {
  return `${namespace ?? ''}/${name}`;
}

export function keyOf(object: KubeObject): ObjectKey {
  return objectKey(object.metadata.namespace, object.metadata.name);
}

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}
