import type { KubeObject } from '#libs/kernel';
import { forbidden, invalidValue } from '../../../status/field-error';
import { semanticEqual } from '../../../strategy/equality';
import { isLabelValue } from '../../../validation/formats';
import { goShape } from '../../../validation/go-shapes';
import { jsonDiff } from '../../../validation/text-diff';
import { immutableText, isSet, listOf, validateImmutable, type Errors, type Loose } from '../../../validation/values';
import { persistentSources } from './sources';
import { validateMountOptions, validateVolume } from './validation';

/** Upstream checks the whole twice at an update, and then what an update may not change. */
export function validateVolumeUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  const allowInvalidValues = hasInvalidValues(old.spec?.nodeAffinity?.required);
  validateVolume(updated, errors, allowInvalidValues);
  validateMountOptions(updated, errors);
  validateVolume(updated, errors, allowInvalidValues);
  validateSourceKept(updated.spec ?? {}, old.spec ?? {}, errors);
  validateImmutable(updated.spec?.volumeMode, old.spec?.volumeMode, 'volumeMode', errors);
  if (isSet(old.spec?.nodeAffinity)) validateAffinityKept(updated.spec?.nodeAffinity, old.spec?.nodeAffinity, errors);
  if (isSet(old.spec?.volumeAttributesClassName) && !isSet(updated.spec?.volumeAttributesClassName)) {
    errors.push(forbidden('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden'));
  }
}

function hasInvalidValues(selector: Loose): boolean {
  return listOf(selector?.nodeSelectorTerms).some((term) =>
    listOf(term.matchExpressions).some(({ values }) => listOf(values).some((value) => isLabelValue(value).length > 0)),
  );
}

/** Where the data is stays; the secret for growing may come later. */
function validateSourceKept(updated: Loose, old: Loose, errors: Errors): void {
  const before = sourceOf(old);
  let after = sourceOf(updated);
  if (isSet(before.csi) && !isSet(before.csi.controllerExpandSecretRef) && isSet(after.csi?.controllerExpandSecretRef)) {
    after = { ...after, csi: { ...after.csi, controllerExpandSecretRef: undefined } };
  }
  if (semanticEqual(after, before)) return;
  const diff = jsonDiff(goShape('PersistentVolumeSource', before), goShape('PersistentVolumeSource', after));
  errors.push(forbidden('spec.persistentvolumesource', `spec.persistentvolumesource is immutable after creation\n${diff}`));
}

function sourceOf(spec: Loose): Loose {
  return Object.fromEntries(persistentSources.map(([key]) => [key, spec[key]]));
}

/** Labels of nodes that have got another name since. */
const renamedLabels: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
};

/** The nodes that reach the volume stay; their labels may take their new names. */
function validateAffinityKept(updated: Loose, old: Loose, errors: Errors): void {
  if (semanticEqual(updated, old) || semanticEqual(updated, withNamesOf(updated, old))) return;
  const shown = isSet(updated) ? goShape('VolumeNodeAffinity', updated) : null;
  errors.push(invalidValue('nodeAffinity', shown, `${immutableText}, except for updating from beta label to GA`));
}

/** The old terms, under the new names of labels where the update has them. */
function withNamesOf(updated: Loose, old: Loose): Loose {
  const renamed = (term: Loose, index: number, list: 'matchExpressions' | 'matchFields') => {
    const wanted = listOf(listOf(updated?.required?.nodeSelectorTerms)[index]?.[list]);
    return term[list]?.map((expression: Loose, position: number) => {
      const name = renamedLabels[expression.key];
      return name !== undefined && wanted[position]?.key === name ? { ...expression, key: name } : expression;
    });
  };
  const nodeSelectorTerms = listOf(old?.required?.nodeSelectorTerms).map((term, index) => ({
    ...term,
    matchExpressions: renamed(term, index, 'matchExpressions'),
    matchFields: renamed(term, index, 'matchFields'),
  }));
  return { ...old, required: { ...old?.required, nodeSelectorTerms } };
}
