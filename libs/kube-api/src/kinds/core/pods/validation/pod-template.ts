import { compileObjectSelector, validateLabelMap, type ObjectSelector } from '../../../../selectors/object-selector';
import { forbidden, invalidValue, unsupported } from '../../../../status/field-error';
import { sortedMap } from '../../../../status/go-value';
import { validateAnnotations } from '../../../../validation/metadata';
import { isSet, listOf, type Errors, type Loose } from '../../../../validation/values';
import { validatePodAnnotations, validateProfilesAgree } from './annotations';
import { validatePodSpec } from './pod-spec';

/** Upstream `ValidatePodTemplateSpec`. */
export function validatePodTemplate(template: Loose, field: string, errors: Errors): void {
  const spec: Loose = template.spec ?? {};
  const annotations = template.metadata?.annotations ?? undefined;
  errors.push(...validateLabelMap(template.metadata?.labels, `${field}.labels`));
  validateAnnotations(annotations, `${field}.annotations`, errors);
  validatePodAnnotations(annotations, spec, `${field}.annotations`, errors);
  validatePodSpec(spec, { isPod: false }, `${field}.spec`, errors);
  validateProfilesAgree(annotations, spec, `${field}.spec`, errors);
  if (listOf(spec.ephemeralContainers).length > 0) {
    errors.push(forbidden(`${field}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'));
  }
}

/** Pods of the template are those that the selector finds. */
export function validateTemplateLabels(template: Loose, finds: (labels: Labels) => boolean, field: string, errors: Errors): void {
  const labels: Labels = template.metadata?.labels ?? undefined;
  if (finds(labels)) return;
  errors.push(invalidValue(`${field}.metadata.labels`, labels ? sortedMap(labels) : null, '`selector` does not match template `labels`'));
}

type Labels = Record<string, string> | undefined;

export const foundBy =
  (selector: ObjectSelector | null | undefined) =>
  (labels: Labels): boolean =>
    compileObjectSelector(selector).matches(labels);

/** Pods that are to run for ever. @param kind as the text names it, which is not everywhere the kind that is meant */
export function validateRunsForEver(template: Loose, kind: string, field: string, errors: Errors): void {
  const { restartPolicy, activeDeadlineSeconds } = template.spec ?? {};
  if (restartPolicy !== 'Always') errors.push(unsupported(`${field}.spec.restartPolicy`, restartPolicy ?? '', ['Always']));
  if (isSet(activeDeadlineSeconds)) {
    errors.push(forbidden(`${field}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`));
  }
}
