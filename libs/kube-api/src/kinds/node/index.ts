import type { KubeObject } from '#libs/kernel';
import { validateLabelMap } from '../../selectors/object-selector';
import { duplicate, invalidValue } from '../../status/field-error';
import { isDnsLabel, isDnsSubdomain } from '../../validation/formats';
import { bothRules, validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { oldNodeLabels } from '../../validation/old-node-labels';
import { validateTolerations } from '../core/pods/validation/scheduling';
import { validateContainerResources } from '../../validation/resources';
import type { Errors } from '../../validation/values';
import { isSet, listOf, validateImmutable } from '../../validation/values';
import { age, nameOf, rowOf } from '../../printing/cell';
import type { KindDescription } from '../behaviour';

const noClaims: ReadonlySet<string> = new Set();

/** Upstream `ValidateRuntimeClass`. Overhead is held to the rules of a container's limits, and named as those. */
function validateRuntimeClass(object: KubeObject, errors: Errors): void {
  validateMetadata(object.metadata, { namespaced: false, name: isDnsSubdomain }, errors);
  for (const text of isDnsLabel(object.handler ?? '')) errors.push(invalidValue('handler', object.handler ?? '', text));
  if (isSet(object.overhead)) validateContainerResources({ limits: object.overhead.podFixed }, noClaims, 'overhead', errors);
  if (!isSet(object.scheduling)) return;
  const { nodeSelector, tolerations } = object.scheduling;
  errors.push(...validateLabelMap(nodeSelector, 'scheduling.nodeSelector'));
  validateTolerations(tolerations, 'scheduling.tolerations.tolerations', errors);
  validateUniqueTolerations(tolerations, 'scheduling.tolerations', errors);
}

function validateUniqueTolerations(tolerations: unknown, field: string, errors: Errors): void {
  const seen = new Set<string>();
  for (const [index, toleration] of listOf(tolerations).entries()) {
    const { key = '', operator = '', value = '', effect = '' } = toleration;
    const name = JSON.stringify([key, operator, value, effect]);
    // Shown as Go's struct of it, whose fields have no names in JSON.
    const shown = { Key: key, Operator: operator, Value: value, Effect: effect, TolerationSeconds: toleration.tolerationSeconds ?? null };
    if (seen.has(name)) errors.push(duplicate(`${field}[${index}]`, shown));
    seen.add(name);
  }
}

/** A handler is what nodes have installed: another one is another class. */
function validateRuntimeClassUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateImmutable(updated.handler ?? '', old.handler ?? '', 'handler', errors);
}

function warnAboutRuntimeClass(object: KubeObject, warnings: string[]): void {
  for (const key of Object.keys(object.scheduling?.nodeSelector ?? {}))
    if (Object.hasOwn(oldNodeLabels, key)) warnings.push(`scheduling.nodeSelector: ${oldNodeLabels[key]}`);
}

const runtimeclasses: KindDescription = {
  name: 'runtimeclasses.node.k8s.io',
  served: true,
  createOnUpdate: true,
  conditionalUpdateOnly: true,
  formerVersions: ['node.k8s.io/v1beta1', 'node.k8s.io/v1alpha1'],
  validation: { create: validateRuntimeClass, update: bothRules(validateRuntimeClass, validateRuntimeClassUpdate) },
  warn: (object, _old, warnings) => warnAboutRuntimeClass(object, warnings),
  row: rowOf((object, now) => [nameOf(object), object.handler ?? '', age(object, now)]),
};

export const nodeKinds: readonly KindDescription[] = [runtimeclasses];
