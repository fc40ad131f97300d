import type { GroupResource, KubeObject } from '#libs/kernel';
import { findGroupResource } from '../kinds';
import { invalid, invalidValue, tooLong } from '../status';
import type { Failure, FieldError } from '../status';
import type { UpdatedSubresource } from '../strategy';
import { validateConfigMap, validateConfigMapUpdate, validateSecret, validateSecretUpdate } from '../kinds/core/configuration-validation';
import { validateEvent, validateEventUpdate } from '../kinds/events/validation';
import { byteLength, isPathSegmentName } from './formats';
import { validateCommonUpdate, validateMetadata, validateMetadataUpdate } from './metadata';
import { validateNode, validateNodeUpdate } from '../kinds/core/nodes/validation';
import { validatePodCreate, validatePodStatusUpdate } from '../kinds/core/pods/validation/pod';
import { validateEphemeralContainersUpdate, validateResize } from '../kinds/core/pods/validation/pod-subresources';
import { validatePodUpdate } from '../kinds/core/pods/validation/pod-update';
import {
  validateDisruptionBudget,
  validateDisruptionBudgetStatus,
  validatePriorityClass,
  validatePriorityClassUpdate,
} from '../kinds/policy/poddisruptionbudgets';
import { validateRuntimeClass, validateRuntimeClassUpdate } from '../kinds/node/runtimeclasses';
import { validateService } from '../kinds/core/services/validation';
import { validateServiceStatusUpdate, validateServiceUpdate } from '../kinds/core/services/validation-of-updates';
import * as small from './small-kinds';
import type { Errors } from './values';
import { validateWorkload, validateWorkloadStatusUpdate, validateWorkloadUpdate } from '../kinds/apps/workload-validation';

type CreateRule = (object: KubeObject, errors: Errors) => void;
type UpdateRule = (updated: KubeObject, old: KubeObject, errors: Errors) => void;

interface KindRules {
  create: CreateRule;
  update: UpdateRule;
  subresources?: Partial<Record<UpdatedSubresource, UpdateRule>>;
}

const both =
  (create: CreateRule, update: UpdateRule): UpdateRule =>
  (updated, old, errors) => {
    create(updated, errors);
    update(updated, old, errors);
  };

const metadataUpdate: UpdateRule = (updated, old, errors) => validateMetadataUpdate(updated.metadata, old.metadata, errors);
const named = small.validateNamed(true);

const rules: Record<GroupResource, KindRules> = {
  pods: {
    create: validatePodCreate,
    update: validatePodUpdate,
    subresources: { status: validatePodStatusUpdate, ephemeralcontainers: validateEphemeralContainersUpdate, resize: validateResize },
  },
  nodes: { create: validateNode, update: both(validateNode, validateNodeUpdate), subresources: { status: validateNodeUpdate } },
  namespaces: {
    create: small.validateNamespace,
    update: small.validateNamespaceUpdate,
    subresources: { status: small.validateNamespaceStatusUpdate, finalize: small.validateNamespaceFinalize },
  },
  configmaps: { create: validateConfigMap, update: validateConfigMapUpdate },
  secrets: { create: validateSecret, update: validateSecretUpdate },
  services: { create: validateService, update: validateServiceUpdate, subresources: { status: validateServiceStatusUpdate } },
  serviceaccounts: {
    create: named,
    update: (updated, old, errors) => {
      metadataUpdate(updated, old, errors);
      named(updated, errors);
    },
  },
  events: {
    create: (event, errors) => validateEvent(event, false, errors),
    update: (updated, old, errors) => validateEventUpdate(updated, old, false, errors),
  },
  'events.events.k8s.io': {
    create: (event, errors) => validateEvent(event, true, errors),
    update: (updated, old, errors) => validateEventUpdate(updated, old, true, errors),
  },
  'leases.coordination.k8s.io': { create: small.validateLease, update: small.validateLeaseUpdate },
  'priorityclasses.scheduling.k8s.io': { create: validatePriorityClass, update: validatePriorityClassUpdate },
  'runtimeclasses.node.k8s.io': { create: validateRuntimeClass, update: both(validateRuntimeClass, validateRuntimeClassUpdate) },
  'poddisruptionbudgets.policy': {
    create: validateDisruptionBudget,
    update: (updated, _, errors) => validateDisruptionBudget(updated, errors),
    subresources: { status: (updated, _, errors) => validateDisruptionBudgetStatus(updated, errors) },
  },
  'deployments.apps': workloadRules('Deployment'),
  'replicasets.apps': workloadRules('ReplicaSet'),
};

function workloadRules(kind: 'Deployment' | 'ReplicaSet'): KindRules {
  return {
    create: (object, errors) => validateWorkload(kind, object, errors),
    update: (updated, old, errors) => validateWorkloadUpdate(kind, updated, old, errors),
    subresources: { status: (updated, old, errors) => validateWorkloadStatusUpdate(kind, updated, old, errors) },
  };
}

const nameOnly: KindRules = { create: () => undefined, update: metadataUpdate };

function rulesOf(resource: GroupResource): KindRules {
  return Object.hasOwn(rules, resource) ? (rules[resource] as KindRules) : nameOnly;
}

/** Our own rule: upstream lets a core Event have any name that fits into a request. The store's streams are named after objects. */
const nameBytesMax = 16_384;

/**
 * What is wrong with a new object, defaulted and prepared (`prepareForCreate`). The kind's rules come first; only an object
 * that passes them is checked by those of every object.
 */
export function validateCreate(resource: GroupResource, object: KubeObject): FieldError[] {
  const errors: Errors = [];
  rulesOf(resource).create(object, errors);
  if (errors.length > 0) return errors;
  const namespaced = findGroupResource(resource)?.namespaced ?? true;
  validateMetadata(object.metadata, { namespaced, name: isPathSegmentName, qualifiedFinalizers: false }, errors);
  if (byteLength(object.metadata.name ?? '') > nameBytesMax) errors.push(tooLong('metadata.name', nameBytesMax));
  return errors;
}

/** What is wrong with an update (`prepareForUpdate`), of the object or through a subresource. */
export function validateUpdate(
  resource: GroupResource,
  updated: KubeObject,
  old: KubeObject,
  subresource?: UpdatedSubresource,
): FieldError[] {
  const errors: Errors = [];
  validateCommonUpdate(updated, old, findGroupResource(resource)?.namespaced ?? true, errors);
  const kind = rulesOf(resource);
  const rule = subresource === undefined || subresource === 'scale' ? kind.update : (kind.subresources?.[subresource] ?? metadataUpdate);
  rule(updated, old, errors);
  return errors;
}

/** `Kind.group` as answers name it; both APIs of events are the core one's. */
export function qualifiedKind(resource: GroupResource): string {
  const kind = findGroupResource(findGroupResource(resource)?.storage ?? resource);
  if (!kind) return '';
  return kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
}

/** The 422 for what validation found. */
export function refuseInvalid(resource: GroupResource, name: string, errors: readonly FieldError[]): Failure {
  return invalid(qualifiedKind(resource), name, errors);
}

/** A PUT without resourceVersion of a kind that does not allow overwriting. */
export function refuseUnconditionalUpdate(resource: GroupResource, name: string): Failure {
  return refuseInvalid(resource, name, [invalidValue('metadata.resourceVersion', 0, 'must be specified for an update')]);
}
