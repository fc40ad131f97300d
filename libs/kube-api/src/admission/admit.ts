import type { GroupResource, KubeObject } from '#libs/kernel';
import { forbiddenRequest, plainError } from '../status';
import type { Failure } from '../status';
import { admitToNamespace, requestedName } from './namespace-lifecycle';
import { isRefusal, keepPriority } from './priority';
import type { Refusal } from './priority';
import { admitRuntimeClass, ownOverheadOf } from './runtime-class';
import { admitServiceAccount } from './service-account';
import { withDefaultTolerations, withNotReadyTaint } from './tolerations';

/** What admission looks up, and the chance it needs. */
export interface AdmissionLookup {
  namespace(name: string): KubeObject | undefined;
  serviceAccount(namespace: string, name: string): KubeObject | undefined;
  runtimeClass?(name: string): KubeObject | undefined;
  /** Five characters for the name of a generated volume. */
  suffix(): string;
}

/**
 * Admission of a creation in upstream's order, as two halves around Priority, which is another app's to decide:
 * namespace, service account and taints before it; tolerations and runtime class after it.
 */
export function admitBeforePriority(resource: GroupResource, object: KubeObject, lookup: AdmissionLookup): KubeObject | Failure {
  const { namespace } = object.metadata;
  if (namespace) {
    const refused = admitToNamespace('create', resource, requestedName(object), namespace, (name) => lookup.namespace(name));
    if (refused) return refused;
  }
  if (resource === 'nodes') return withNotReadyTaint(object);
  if (resource !== 'pods') return object;
  return refusedAs(
    resource,
    object,
    admitServiceAccount(object, (ns, name) => lookup.serviceAccount(ns, name), lookup.suffix()),
  );
}

export function admitAfterPriority(resource: GroupResource, object: KubeObject, lookup: AdmissionLookup): KubeObject | Failure {
  if (resource !== 'pods') return object;
  if (object.spec?.runtimeClassName === '') return plainError('resource name may not be empty');
  return refusedAs(
    resource,
    object,
    admitRuntimeClass(withDefaultTolerations(object), (name) => lookup.runtimeClass?.(name)),
  );
}

/** What admission has to say of a new object that passed validation. */
export function admitValidated(resource: GroupResource, object: KubeObject, lookup: AdmissionLookup): Failure | undefined {
  if (resource !== 'pods') return undefined;
  const refusal = ownOverheadOf(object, (name) => lookup.runtimeClass?.(name));
  return refusal && forbiddenRequest(resource, requestedName(object), refusal.refusal);
}

/** Admission of an update of the object itself (subresources pass as they are). */
export function admitUpdate(resource: GroupResource, updated: KubeObject, old: KubeObject): KubeObject {
  return resource === 'pods' ? withDefaultTolerations(keepPriority(updated, old)) : updated;
}

/** A refusal as the 403 that the client gets. */
export function refusedAs(resource: GroupResource, object: KubeObject, verdict: KubeObject | Refusal): KubeObject | Failure {
  return isRefusal(verdict) ? forbiddenRequest(resource, requestedName(object), verdict.refusal) : verdict;
}
