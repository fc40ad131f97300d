import { isObject, type Json, type JsonObject } from '#libs/kernel';
import { listIn, objectIn } from '../../defaults/draft';

/**
 * Fields of features that are off by default in the recorded release (DRAConsumableCapacity, DRADeviceBindingConditions, DRADeviceTaints,
 * DRAExtendedResource, DRAPartitionableDevices): accepted, and dropped without a word.
 */
function without(holder: JsonObject, ...keys: string[]): void {
  for (const key of keys) delete holder[key];
}

/** `distinctAttribute` of a constraint, though of such a feature, stays: upstream drops it from a copy. */
export function dropFromClaim(claim: JsonObject): void {
  for (const request of listIn(objectIn(claim, 'devices') ?? {}, 'requests')) {
    const exactly = objectIn(request, 'exactly');
    if (exactly) delete exactly['capacity'];
    for (const alternative of listIn(request, 'firstAvailable')) delete alternative['capacity'];
  }
}

export function dropFromClaimStatus(status: JsonObject): void {
  const allocation = objectIn(status, 'allocation');
  if (allocation) {
    delete allocation['allocationTimestamp'];
    for (const result of listIn(objectIn(allocation, 'devices') ?? {}, 'results')) {
      without(result, 'bindingConditions', 'bindingFailureConditions', 'shareID', 'consumedCapacity');
    }
  }
  for (const device of listIn(status, 'devices')) delete device['shareID'];
}

export function dropFromSlice(spec: JsonObject): void {
  without(spec, 'sharedCounters', 'perDeviceNodeSelection');
  for (const device of listIn(spec, 'devices')) {
    without(device, 'taints', 'consumesCounters', 'nodeName', 'nodeSelector', 'allNodes');
    without(device, 'bindingConditions', 'bindingFailureConditions', 'bindsToNode', 'allowMultipleAllocations');
    for (const capacity of Object.values<Json | undefined>(objectIn(device, 'capacity') ?? {})) {
      if (isObject(capacity)) delete capacity['requestPolicy'];
    }
  }
}
