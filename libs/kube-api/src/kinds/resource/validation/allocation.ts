import { duplicate, forbidden, invalidValue, required, tooLong, tooMany } from '../../../status/field-error';
import { canonicalAddress, parseCidr } from '../../../validation/addresses';
import { byteLength } from '../../../validation/formats';
import { goShape } from '../../../validation/go-shapes';
import { validateConditions } from '../../../validation/metadata';
import {
  immutableText,
  isSet,
  listOf,
  validateDnsLabel,
  validateRequiredSupported,
  type Errors,
  type Loose,
} from '../../../validation/values';
import { semanticEqual } from '../../../strategy/equality';
import { validateNodeSelector } from '../../core/pods/validation/affinity';
import { validateConfiguration, validateRawObject } from './configuration';
import { byItself, validateItems, validateSet } from './lists';
import { validateDriverName, validatePoolName } from './names';
import { configurationsMax, validateReference, validateReferences, type RequestNames } from './requests';

const consumersMax = 256;
const resultsMax = 32;
const conditionsMax = 8;
const dataBytesMax = 10 * 1024;
const interfaceNameBytesMax = 256;
const hardwareAddressBytesMax = 128;
const addressesMax = 16;

/** `driver/pool/device` */
export function deviceIdOf({ driver = '', pool = '', device = '' }: Loose): string {
  return `${driver}/${pool}/${device}`;
}

/** What upstream's texts show in place of a device's identity: its parts do not print. */
const shownDeviceId = { Driver: {}, Pool: {}, Device: {}, ShareID: {} };

/** Upstream `validateResourceClaimStatusUpdate`. */
export function validateClaimStatus(status: Loose, old: Loose, names: RequestNames, isDeleted: boolean, errors: Errors): void {
  const { allocation, reservedFor } = status;
  const byUid = ['.uid', ({ uid = '' }: Loose): string => uid] as const;
  validateSet(reservedFor, consumersMax, validateConsumer, byUid, 'status.reservedFor', errors);
  validateDevices(status.devices, allocation, errors);
  if (listOf(reservedFor).length > 0) {
    if (!isSet(allocation)) {
      errors.push(forbidden('status.reservedFor', 'may not be specified when `allocated` is not set'));
    } else if (
      isDeleted &&
      listOf(reservedFor).some((consumer) => !listOf(old.reservedFor).some((known) => semanticEqual(known, consumer)))
    ) {
      const text = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
      errors.push(forbidden('status.reservedFor', text));
    }
  }
  if (!isSet(allocation)) return;
  if (!isSet(old.allocation)) validateAllocation(allocation, names, errors);
  else if (!semanticEqual(allocation, old.allocation)) {
    errors.push(invalidValue('status.allocation', goShape('AllocationResult', allocation), immutableText));
  }
}

function validateConsumer(consumer: Loose, field: string, errors: Errors): void {
  for (const key of ['resource', 'name', 'uid']) if (!consumer?.[key]) errors.push(required(`${field}.${key}`));
}

function validateAllocation({ devices = {}, nodeSelector }: Loose, names: RequestNames, errors: Errors): void {
  const at = 'status.allocation';
  const result = (item: Loose, place: string): void => validateResult(item ?? {}, names, place, errors);
  validateItems(devices.results, resultsMax, result, `${at}.devices.results`, errors);
  const configuration = (item: Loose, place: string): void => {
    validateRequiredSupported(item?.source, ['FromClaim', 'FromClass'], `${place}.source`, errors);
    validateReferences(item?.requests, names, `${place}.requests`, errors);
    validateConfiguration(item ?? {}, false, place, errors);
  };
  // Those of the class and those of the claim.
  validateItems(devices.config, 2 * configurationsMax, configuration, `${at}.devices.config`, errors);
  if (isSet(nodeSelector)) validateNodeSelector(nodeSelector, `${at}.nodeSelector`, errors);
}

function validateResult(result: Loose, names: RequestNames, field: string, errors: Errors): void {
  validateReference(result.request ?? '', names, `${field}.request`, errors);
  validateDeviceIdentity(result, field, errors);
}

function validateDeviceIdentity({ driver = '', pool = '', device = '' }: Loose, field: string, errors: Errors): void {
  validateDriverName(driver, `${field}.driver`, errors);
  validatePoolName(pool, `${field}.pool`, errors);
  validateDnsLabel(device, `${field}.device`, errors);
}

/** What drivers say of the devices that the claim has. */
function validateDevices(devices: unknown, allocation: Loose, errors: Errors): void {
  const allocated = new Set(listOf(allocation?.devices?.results).map(deviceIdOf));
  const device = (item: Loose, place: string): void => validateDevice(item ?? {}, allocated, place, errors);
  validateItems(devices, undefined, device, 'status.devices', errors);
  const seen = new Set<string>();
  for (const [index, item] of listOf(devices).entries()) {
    const id = deviceIdOf(item);
    if (seen.has(id)) errors.push(duplicate(`status.devices[${index}].deviceID`, shownDeviceId));
    seen.add(id);
  }
}

function validateDevice(device: Loose, allocated: ReadonlySet<string>, field: string, errors: Errors): void {
  validateDeviceIdentity(device, field, errors);
  if (!allocated.has(deviceIdOf(device))) {
    errors.push(invalidValue(field, shownDeviceId, 'must be an allocated device in the claim'));
  }
  const conditions = listOf(device.conditions);
  if (conditions.length > conditionsMax) errors.push(tooMany(`${field}.conditions`, conditions.length, conditionsMax));
  validateConditions(conditions, `${field}.conditions`, errors);
  if (isSet(device.data)) validateRawObject(device.data, dataBytesMax, `${field}.data`, errors);
  if (isSet(device.networkData)) validateNetworkData(device.networkData, `${field}.networkData`, errors);
}

function validateNetworkData({ interfaceName = '', hardwareAddress = '', ips }: Loose, field: string, errors: Errors): void {
  if (byteLength(interfaceName) > interfaceNameBytesMax) errors.push(tooLong(`${field}.interfaceName`, interfaceNameBytesMax));
  if (byteLength(hardwareAddress) > hardwareAddressBytesMax) errors.push(tooLong(`${field}.hardwareAddress`, hardwareAddressBytesMax));
  validateSet(ips, addressesMax, validateInterfaceAddress, byItself, `${field}.ips`, errors);
}

/** An address with the length of its network. */
function validateInterfaceAddress(text: string | null, field: string, errors: Errors): void {
  const given = text ?? '';
  if (!parseCidr(given)) {
    errors.push(invalidValue(field, given, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)'));
    return;
  }
  const [address = '', prefix] = given.split('/');
  const canonical = `${canonicalAddress(address)}/${Number(prefix)}`;
  if (given !== canonical) errors.push(invalidValue(field, given, `must be in canonical form (${JSON.stringify(canonical)})`));
}
