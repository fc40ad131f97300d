import type { KubeObject } from '#libs/kernel';
import { age, countOf, nameOf, rowOf } from '../../printing/cell';
import { columnsAround } from '../../printing/columns';
import { duplicate, invalidValue, required } from '../../status/field-error';
import { semanticEqual } from '../../strategy/equality';
import { byteLength, isDnsSubdomain } from '../../validation/formats';
import { goShape } from '../../validation/go-shapes';
import { validateMetadata } from '../../validation/metadata';
import { immutableText, listOf, validateNonNegative, validateQualifiedName, type Errors, type Loose } from '../../validation/values';
import type { KindDescription } from '../behaviour';
import { validateCsiDriverName } from '../core/volumes/sources';

const nodeIdBytesMax = 256;

function validateNode(node: KubeObject, errors: Errors): void {
  validateMetadata(node.metadata, { namespaced: false, name: isDnsSubdomain }, errors);
  const names = new Set<string>();
  for (const [index, driver] of listOf(node.spec?.drivers).entries()) validateDriver(driver, names, `spec.drivers[${index}]`, errors);
}

function validateDriver(driver: Loose, names: Set<string>, field: string, errors: Errors): void {
  const { name = '', nodeID = '', allocatable, topologyKeys } = driver;
  validateCsiDriverName(name, `${field}.name`, errors);
  if (nodeID === '') errors.push(required(`${field}.nodeID`));
  if (byteLength(nodeID) > nodeIdBytesMax) {
    errors.push(invalidValue(`${field}.nodeID`, nodeID, `must be ${nodeIdBytesMax} characters or less`));
  }
  validateNonNegative(allocatable?.count, `${field}.allocatable.count`, errors);
  if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
  names.add(name);
  const keys = new Set<string>();
  for (const key of listOf(topologyKeys)) {
    if (key === '') errors.push(required(field));
    if (keys.has(key)) errors.push(duplicate(field, key));
    keys.add(key);
    validateQualifiedName(key, field, errors);
  }
}

/** Drivers come and go; what one of them says of the node stays. Upstream checks the whole twice at an update. */
function validateNodeUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateNode(updated, errors);
  validateNode(updated, errors);
  for (const before of listOf(old.spec?.drivers)) {
    for (const driver of listOf(updated.spec?.drivers)) {
      if (driver.name !== before.name || semanticEqual(driver, before)) continue;
      errors.push(invalidValue('spec.drivers', goShape('CSINodeDriver', driver), immutableText));
    }
  }
}

export const csinodes: KindDescription = {
  name: 'csinodes.storage.k8s.io',
  served: true,
  conditionalUpdateOnly: true,
  deletionReturnsObject: true,
  formerVersions: ['storage.k8s.io/v1beta1'],
  validation: { create: validateNode, update: validateNodeUpdate },
  get columns() {
    return columnsAround(['Drivers', 'integer', 'Drivers indicates the number of CSI drivers registered on the node']);
  },
  row: rowOf((node, now) => [nameOf(node), countOf(node.spec?.drivers), age(node, now)]),
};
