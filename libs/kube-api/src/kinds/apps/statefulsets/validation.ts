import type { KubeObject } from '#libs/kernel';
import { validateLabelMap, validateObjectSelector } from '../../../selectors/object-selector';
import { forbidden, invalidValue, required } from '../../../status/field-error';
import { semanticEqual } from '../../../strategy/equality';
import { isDnsLabel } from '../../../validation/formats';
import { goSelector, goShape } from '../../../validation/go-shapes';
import { validateAnnotations, validateMetadata, validateMetadataUpdate } from '../../../validation/metadata';
import {
  isSet,
  listOf,
  validateDnsLabel,
  validateNonNegative,
  validateSupported,
  type Errors,
  type Loose,
} from '../../../validation/values';
import { validatePodAnnotations } from '../../core/pods/validation/annotations';
import { validateClaimSpec } from '../../core/pods/validation/claim-template';
import { foundBy, validatePodTemplate, validateRunsForEver, validateTemplateLabels } from '../../core/pods/validation/pod-template';
import { validateCollisionCount, validateReplicaCounts } from '../status-counts';

/** What is not looked at again when a stored set is updated: fields that are for life, or were wrong before. */
interface SpecRules {
  serviceName: boolean;
  claims: boolean;
  template: boolean;
}

export function validateStatefulSet(set: KubeObject, errors: Errors): void {
  validateMetadata(set.metadata, { namespaced: true, name: isDnsLabel }, errors);
  validateSpec(set.spec ?? {}, { serviceName: true, claims: true, template: true }, errors);
}

/** All of the spec that an update may change. */
const changeable = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];
const fixedText =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', " +
  "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

export function validateStatefulSetUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  const before: Errors = [];
  validateSpec(old.spec ?? {}, { serviceName: false, claims: false, template: true }, before);
  validateSpec(updated.spec ?? {}, { serviceName: false, claims: false, template: before.length === 0 }, errors);
  const kept = Object.fromEntries(changeable.map((field) => [field, undefined]));
  if (!semanticEqual({ ...updated.spec, ...kept }, { ...old.spec, ...kept })) errors.push(forbidden('spec', fixedText));
}

const statusCounts = [
  'replicas',
  'readyReplicas',
  'currentReplicas',
  'updatedReplicas',
  'availableReplicas',
  'observedGeneration',
  'collisionCount',
];
const withinReplicas = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'];

export function validateStatefulSetStatus(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateReplicaCounts(updated.status ?? {}, statusCounts, withinReplicas, 'status.readyReplicas', errors);
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateCollisionCount(updated, old, errors);
}

function validateSpec(spec: Loose, rules: SpecRules, errors: Errors): void {
  const policy: string = spec.podManagementPolicy ?? '';
  if (policy === '') errors.push(required('spec.podManagementPolicy'));
  else if (policy !== 'OrderedReady' && policy !== 'Parallel') {
    errors.push(invalidValue('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'"));
  }
  validateStrategy(spec.updateStrategy ?? {}, 'spec.updateStrategy', errors);
  for (const moment of ['whenDeleted', 'whenScaled']) {
    const retention = spec.persistentVolumeClaimRetentionPolicy;
    if (isSet(retention)) {
      validateSupported(retention[moment], ['Retain', 'Delete'], `spec.persistentVolumeClaimRetentionPolicy.${moment}`, errors);
    }
  }
  if (rules.claims) {
    for (const [index, claim] of listOf(spec.volumeClaimTemplates).entries()) {
      validateClaimSpec(claim.spec ?? {}, `spec.volumeClaimTemplates[${index}].spec`, errors);
    }
  }
  validateNonNegative(spec.replicas, 'spec.replicas', errors);
  validateNonNegative(spec.minReadySeconds, 'spec.minReadySeconds', errors);
  validateNonNegative(spec.ordinals?.start, 'spec.ordinals.start', errors);
  if (rules.serviceName && spec.serviceName) validateDnsLabel(spec.serviceName, 'spec.serviceName', errors);
  validateSelectorAndTemplate(spec, rules, errors);
  validateRunsForEver(spec.template ?? {}, 'StatefulSet', 'spec.template', errors);
}

function validateStrategy(strategy: Loose, field: string, errors: Errors): void {
  const { type = '', rollingUpdate: rolling } = strategy;
  if (type === '') errors.push(required(field));
  else if (type === 'OnDelete') {
    if (!isSet(rolling)) return;
    const shown = goShape('RollingUpdateStatefulSetStrategy', rolling);
    errors.push(invalidValue(`${field}.rollingUpdate`, shown, "only allowed for updateStrategy 'RollingUpdate'"));
  } else if (type === 'RollingUpdate') validateNonNegative(rolling?.partition, `${field}.rollingUpdate.partition`, errors);
  else errors.push(invalidValue(field, goShape('StatefulSetUpdateStrategy', strategy), "must be 'RollingUpdate' or 'OnDelete'"));
}

function validateSelectorAndTemplate(spec: Loose, rules: SpecRules, errors: Errors): void {
  const { selector } = spec;
  if (!isSet(selector)) errors.push(required('spec.selector'));
  const found = isSet(selector) ? validateObjectSelector(selector, {}, 'spec.selector') : [];
  errors.push(...found);
  const isEmpty = isSet(selector) && Object.keys(selector.matchLabels ?? {}).length + listOf(selector.matchExpressions).length === 0;
  if (isEmpty) errors.push(invalidValue('spec.selector', goSelector(selector), 'empty selector is invalid for statefulset'));
  if (found.length > 0) {
    errors.push(invalidValue('spec.selector', goSelector(selector), ''));
    return;
  }
  const template = asPodsHaveIt(spec);
  if (!isEmpty) validateTemplateLabels(template, foundBy(selector), 'spec.template', errors);
  if (rules.template) validatePodTemplate(template, 'spec.template', errors);
  validateTemplateMetadata(template, 'spec.template', errors);
}

/** The controller names host and subdomain itself, and each claim becomes a volume in place of one with its name. */
function asPodsHaveIt({ template = {}, volumeClaimTemplates }: Loose): Loose {
  const { subdomain: _subdomain, hostname: _hostname, ...spec } = template.spec ?? {};
  const claims = listOf(volumeClaimTemplates).map(({ metadata }) => metadata?.name ?? '');
  if (claims.length === 0) return { ...template, spec };
  const names = [...new Set<string>(claims)];
  const volumes = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const others = listOf(spec.volumes).filter(({ name }) => !names.includes(name));
  return { ...template, spec: { ...spec, volumes: [...volumes, ...others] } };
}

/** What every template's metadata is checked for, once more: upstream does it again where the template itself is left out. */
function validateTemplateMetadata({ metadata = {}, spec = {} }: Loose, field: string, errors: Errors): void {
  errors.push(...validateLabelMap(metadata.labels, `${field}.labels`));
  validateAnnotations(metadata.annotations ?? undefined, `${field}.annotations`, errors);
  validatePodAnnotations(metadata.annotations ?? undefined, spec, `${field}.annotations`, errors);
}
