import type { KubeObject } from '#libs/kernel';
import { objectIn } from '../../defaults/draft';
import { age, nameOf, rowOf } from '../../printing/cell';
import { columnsAround } from '../../printing/columns';
import { invalidValue } from '../../status/field-error';
import { sortedMap } from '../../status/go-value';
import { semanticEqual } from '../../strategy/equality';
import { isDnsSubdomain } from '../../validation/formats';
import { goShape } from '../../validation/go-shapes';
import { bothRules, validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { immutableText, type Errors, type Loose } from '../../validation/values';
import type { KindDescription } from '../behaviour';
import { validateTemplateMetadata } from '../core/pods/validation/claim-template';
import { setClaimDefaults } from './resourceclaims';
import { validateClaim } from './validation/requests';

function validateTemplate(template: KubeObject, errors: Errors): void {
  validateMetadata(template.metadata, { namespaced: true, name: isDnsSubdomain }, errors);
  validateTemplateSpec(template.spec ?? {}, false, errors);
}

function validateTemplateUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  if (!semanticEqual(updated.spec, old.spec)) errors.push(invalidValue('spec', goTemplate(updated.spec), immutableText));
  validateTemplateSpec(updated.spec ?? {}, true, errors);
}

function validateTemplateSpec({ metadata = {}, spec }: Loose, stored: boolean, errors: Errors): void {
  validateTemplateMetadata(metadata, 'spec.metadata', errors);
  validateClaim(spec, stored, 'spec.spec', errors);
}

/** The metadata as on the wire, its maps sorted. */
function goTemplate({ metadata, spec }: Loose): Record<string, unknown> {
  const shown: Record<string, unknown> = { ...metadata };
  for (const key of ['labels', 'annotations']) if (shown[key]) shown[key] = sortedMap(shown[key] as Record<string, string>);
  return goShape('ResourceClaimTemplateSpec', { metadata: shown, spec });
}

export const resourceclaimtemplates: KindDescription = {
  name: 'resourceclaimtemplates.resource.k8s.io',
  served: true,
  deletionReturnsObject: true,
  formerVersions: ['resource.k8s.io/v1alpha3', 'resource.k8s.io/v1beta1', 'resource.k8s.io/v1beta2'],
  setDefaults: (template) => setClaimDefaults(objectIn(objectIn(template, 'spec') ?? {}, 'spec') ?? {}),
  validation: { create: validateTemplate, update: bothRules(validateTemplate, validateTemplateUpdate) },
  get columns() {
    return columnsAround();
  },
  row: rowOf((template, now) => [nameOf(template), age(template, now)]),
};
