import type { KubeObject } from '#libs/kernel';
import { count, raiseTo, addTo, type ResourceList } from '../resources';
import { deviceClassMark } from './tracked';

interface DeviceRequest {
  deviceClassName?: string;
  allocationMode?: string;
  count?: number;
}

/** Whoever asks for all devices of a class may be given so many (upstream `AllocationResultsMaxSize`). */
const devicesMax = 32;

/** Of alternatives the one counts that asks for the most devices of a class. */
export function deviceClaimDemand({ spec }: KubeObject): ResourceList {
  const { requests = [] } = (spec?.devices ?? {}) as { requests?: { exactly?: DeviceRequest; firstAvailable?: DeviceRequest[] }[] };
  const usage: ResourceList = new Map([['count/resourceclaims.resource.k8s.io', count(1)]]);
  for (const { exactly, firstAvailable = [] } of requests) {
    const most: ResourceList = new Map();
    const alternatives = firstAvailable.length > 0 ? firstAvailable : exactly ? [exactly] : [];
    for (const request of alternatives) raiseTo(most, devicesOf(request));
    addTo(usage, most);
  }
  return usage;
}

/** A mode that is not known counts for nothing. */
function devicesOf({ deviceClassName = '', allocationMode, count: asked = 0 }: DeviceRequest): ResourceList {
  const devices = allocationMode === 'ExactCount' ? asked : allocationMode === 'All' ? devicesMax : 0;
  return new Map([[`${deviceClassName}${deviceClassMark}`, count(devices)]]);
}
