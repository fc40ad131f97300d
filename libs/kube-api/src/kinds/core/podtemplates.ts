import type { KubeObject } from '#libs/kernel';
import { labelText, nameOf, rowOf } from '../../printing/cell';
import { isDnsSubdomain } from '../../validation/formats';
import { validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import type { Errors } from '../../validation/values';
import { containerCells } from '../apps/workload';
import type { KindDescription } from '../behaviour';
import { defaultPodTemplate } from './pods/defaults';
import { validatePodTemplate } from './pods/validation/pod-template';
import { warnAboutTemplate } from './pods/warnings';

function validateCreate(object: KubeObject, errors: Errors): void {
  validateMetadata(object.metadata, { namespaced: true, name: isDnsSubdomain }, errors);
  validatePodTemplate(object.template ?? {}, 'template', errors);
}

function validateUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validatePodTemplate(updated.template ?? {}, 'template', errors);
}

export const podtemplates: KindDescription = {
  name: 'podtemplates',
  served: true,
  generation: 'managed',
  deletionReturnsObject: true,
  setDefaults: defaultPodTemplate,
  validation: { create: validateCreate, update: validateUpdate },
  warn: (object, old, warnings) => {
    if (old && old.metadata.generation === object.metadata.generation) return;
    warnAboutTemplate(object.template ?? {}, 'template', warnings);
  },
  row: rowOf((object) => [nameOf(object), ...containerCells(object.template), labelText(object.template?.metadata?.labels)]),
};
