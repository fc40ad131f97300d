import type { JsonObject, KubeObject } from '#libs/kernel';
import { objectIn } from '../../defaults/draft';
import { age, labelText, nameOf, rowOf } from '../../printing/cell';
import { compileMapSelector, fieldsOf, labelSelectorString, nameField, namespaceField } from '../../selectors';
import { required } from '../../status/field-error';
import { isDnsSubdomain } from '../../validation/formats';
import { validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { entriesOf, isSet, validateNonNegative, type Errors } from '../../validation/values';
import { validateReplicaCounts } from '../apps/status-counts';
import { containerCells, warnAboutWorkload } from '../apps/workload';
import type { KindDescription } from '../behaviour';
import { defaultPodTemplate } from './pods/defaults';
import { warnAboutTemplate } from './pods/warnings';
import { validatePodTemplate, validateRunsForEver, validateTemplateLabels } from './pods/validation/pod-template';

/** The template's labels serve as selector, and as labels of the controller, where it has none. */
function setReplicationControllerDefaults(controller: JsonObject): void {
  const spec = objectIn(controller, 'spec') ?? {};
  controller['spec'] = spec;
  const labels = objectIn(objectIn(objectIn(spec, 'template') ?? {}, 'metadata') ?? {}, 'labels');
  if (labels) {
    const metadata = objectIn(controller, 'metadata') ?? {};
    if (entriesOf(spec['selector']).length === 0) spec['selector'] = { ...labels };
    if (entriesOf(metadata['labels']).length === 0) metadata['labels'] = { ...labels };
    controller['metadata'] = metadata;
  }
  spec['replicas'] ??= 1;
  defaultPodTemplate(spec);
}

function validateCreate(controller: KubeObject, errors: Errors): void {
  validateMetadata(controller.metadata, { namespaced: true, name: isDnsSubdomain }, errors);
  validateSpec(controller, errors);
}

/** Upstream checks the whole again at an update, and then what an update changes, so its findings come twice. */
function validateUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateCreate(updated, errors);
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateSpec(updated, errors);
}

function validateSpec({ spec = {} }: KubeObject, errors: Errors): void {
  validateNonNegative(spec.minReadySeconds, 'spec.minReadySeconds', errors);
  const isEmpty = entriesOf(spec.selector).length === 0;
  if (isEmpty) errors.push(required('spec.selector'));
  if (isSet(spec.replicas)) validateNonNegative(spec.replicas, 'spec.replicas', errors);
  else errors.push(required('spec.replicas'));
  if (!isSet(spec.template)) {
    errors.push(required('spec.template'));
    return;
  }
  const finds = compileMapSelector(spec.selector);
  if (!isEmpty) validateTemplateLabels(spec.template, (labels) => finds.matches(labels), 'spec.template', errors);
  validatePodTemplate(spec.template, 'spec.template', errors);
  validateRunsForEver(spec.template, 'ReplicationController', 'spec.template', errors);
}

const statusCounts = ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'];
const withinReplicas = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'];

function validateStatus(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateReplicaCounts(updated.status ?? {}, statusCounts, withinReplicas, 'readyReplicas', errors);
}

const row = rowOf((controller, now) => {
  const { replicas: desired = 0, selector, template } = controller.spec ?? {};
  const { replicas = 0, readyReplicas = 0 } = controller.status ?? {};
  return [nameOf(controller), desired, replicas, readyReplicas, age(controller, now), ...containerCells(template), labelText(selector)];
});

export const replicationcontrollers: KindDescription = {
  name: 'replicationcontrollers',
  served: true,
  generation: 'managed',
  dependants: 'orphaned',
  fields: fieldsOf(nameField, namespaceField, ['status.replicas', (controller) => String(controller.status?.replicas ?? 0)]),
  setDefaults: setReplicationControllerDefaults,
  strategy: { zeroStatus: { replicas: 0 }, scaleSelector: ({ spec }) => labelSelectorString(compileMapSelector(spec?.selector)) },
  validation: { create: validateCreate, update: validateUpdate, subresources: { status: validateStatus } },
  // Upstream looks at the template that was, when it looks whether a change is to be warned of.
  warn: (controller, old, warnings) => {
    if (!old) warnAboutWorkload(controller, old, warnings);
    else if (old.metadata.generation !== controller.metadata.generation)
      warnAboutTemplate(old.spec?.template ?? {}, 'spec.template', warnings);
  },
  row,
};
