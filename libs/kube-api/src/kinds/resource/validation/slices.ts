import type { KubeObject } from '#libs/kernel';
import { invalidValue, required, tooLong } from '../../../status/field-error';
import { byteLength, isDnsSubdomain } from '../../../validation/formats';
import { goShape } from '../../../validation/go-shapes';
import { validateMetadata, validateMetadataUpdate } from '../../../validation/metadata';
import {
  entriesOf,
  isSet,
  listOf,
  notPositiveText,
  validateDnsLabel,
  validateDnsSubdomain,
  validateImmutable,
  type Errors,
  type Loose,
} from '../../../validation/values';
import { validateNodeSelector } from '../../core/pods/validation/affinity';
import { byName, validateEntries, validateSet } from './lists';
import { qualifiedBytesMax, validateDriverName, validatePoolName, validateQualifiedDeviceName } from './names';

const devicesMax = 128;
const attributesAndCapacitiesMax = 32;
const attributeBytesMax = 64;

export function validateSlice(slice: KubeObject, errors: Errors): void {
  validateMetadata(slice.metadata, { namespaced: false, name: isDnsSubdomain }, errors);
  validateSliceSpec(slice.spec ?? {}, undefined, errors);
}

export function validateSliceUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateSliceSpec(updated.spec ?? {}, old.spec ?? {}, errors);
}

function validateSliceSpec(spec: Loose, old: Loose, errors: Errors): void {
  const { driver = '', pool = {} } = spec;
  validateDriverName(driver, 'spec.driver', errors);
  validatePool(pool, 'spec.pool', errors);
  if (old) {
    validateImmutable(pool.name ?? '', old.pool?.name ?? '', 'spec.pool.name', errors);
    validateImmutable(driver, old.driver ?? '', 'spec.driver', errors);
    validateImmutable(spec.nodeName, old.nodeName, 'spec.nodeName', errors);
  }
  validatePlace(spec, errors);
  validateSet(spec.devices, devicesMax, validateDevice, byName, 'spec.devices', errors);
}

function validatePool({ name = '', resourceSliceCount = 0, generation = 0 }: Loose, field: string, errors: Errors): void {
  validatePoolName(name, `${field}.name`, errors);
  if (resourceSliceCount <= 0) errors.push(invalidValue(`${field}.resourceSliceCount`, resourceSliceCount, notPositiveText));
  if (generation < 0) errors.push(invalidValue(`${field}.generation`, generation, 'must be greater than or equal to zero'));
}

const oneOf = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';

/** From where the devices can be reached: one node, some, or all. */
function validatePlace({ nodeName, nodeSelector, allNodes }: Loose, errors: Errors): void {
  const given: string[] = [];
  if (nodeName === '') errors.push(invalidValue('spec.nodeName', '', 'must be either unset or set to a non-empty string'));
  else if (isSet(nodeName)) {
    given.push('`nodeName`');
    validateDnsSubdomain(nodeName, 'spec.nodeName', errors);
  }
  if (isSet(nodeSelector)) {
    given.push('`nodeSelector`');
    validateNodeSelector(nodeSelector, 'spec.nodeSelector', errors);
    const terms = listOf(nodeSelector.nodeSelectorTerms);
    if (terms.length !== 1) {
      const shown = terms.length === 0 ? null : terms.map((term) => goShape('NodeSelectorTerm', term));
      errors.push(invalidValue('spec.nodeSelector.nodeSelectorTerms', shown, 'must have exactly one node selector term'));
    }
  }
  if (allNodes === true) given.push('`allNodes`');
  else if (isSet(allNodes)) errors.push(invalidValue('spec.allNodes', allNodes, 'must be either unset or set to true'));
  if (given.length === 0) errors.push(required('spec', oneOf));
  else if (given.length > 1) errors.push(invalidValue('spec', `{${given.join(', ')}}`, `${oneOf}, but multiple fields are set`));
}

function validateDevice(device: Loose, field: string, errors: Errors): void {
  const { name = '', attributes, capacity } = device ?? {};
  validateDnsLabel(name, `${field}.name`, errors);
  const count = entriesOf(attributes).length + entriesOf(capacity).length;
  if (count > attributesAndCapacitiesMax) {
    const text = `the total number of attributes and capacities must not exceed ${attributesAndCapacitiesMax}`;
    errors.push(invalidValue(field, count, text));
  }
  validateEntries(attributes, qualifiedBytesMax, validateQualifiedDeviceName, validateAttribute, `${field}.attributes`, errors);
  // Any amount will do.
  validateEntries(capacity, qualifiedBytesMax, validateQualifiedDeviceName, () => undefined, `${field}.capacity`, errors);
}

const number = '(0|[1-9]\\d*)';
const preRelease = '(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const build = '[0-9a-zA-Z-]+';
const semanticVersion = new RegExp(`^${number}\\.${number}\\.${number}(-${preRelease}(\\.${preRelease})*)?(\\+${build}(\\.${build})*)?$`);

function validateAttribute(attribute: Loose, field: string, errors: Errors): void {
  const { string, version } = attribute ?? {};
  const given = ['bool', 'int', 'string', 'version'].filter((type) => isSet(attribute?.[type]));
  if (isSet(string) && byteLength(string) > attributeBytesMax) errors.push(tooLong(`${field}.string`, attributeBytesMax));
  if (isSet(version)) {
    if (!semanticVersion.test(version)) {
      errors.push(invalidValue(`${field}.version`, version, 'must be a string compatible with semver.org spec 2.0.0'));
    }
    if (byteLength(version) > attributeBytesMax) errors.push(tooLong(`${field}.version`, attributeBytesMax));
  }
  if (given.length === 0) errors.push(required(field, 'exactly one value must be specified'));
  else if (given.length > 1) {
    errors.push(invalidValue(field, goShape('DeviceAttribute', attribute), 'exactly one value must be specified'));
  }
}
