import type { KubeObject } from '#libs/kernel';
import { validateLabelMap } from '../../selectors/object-selector';
import { duplicate, invalidValue } from '../../status/field-error';
import { isDnsLabel, isDnsSubdomain } from '../../validation/formats';
import { validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { validateTolerations } from '../core/pods/validation/scheduling';
import { validateContainerResources } from '../../validation/resources';
import type { Errors } from '../../validation/values';
import { isSet, listOf, validateImmutable } from '../../validation/values';

const noClaims: ReadonlySet<string> = new Set();

/** Upstream `ValidateRuntimeClass`. Overhead is held to the rules of a container's limits, and named as those. */
export function validateRuntimeClass(object: KubeObject, errors: Errors): void {
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
export function validateRuntimeClassUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateImmutable(updated.handler ?? '', old.handler ?? '', 'handler', errors);
}
