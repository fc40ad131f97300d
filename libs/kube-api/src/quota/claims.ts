import { parseQuantity, type JsonObject, type KubeObject, type Quantity } from '#libs/kernel';
import { storageClassOf } from '../kinds/core/volumes/storage-class';
import { count, type ResourceList } from '../resources';
import type { Demand } from './demand';
import { storageClassMark } from './tracked';

/** A claim counts for itself and for its storage class; its size is what it asks for or, if that is more, what it was given. */
export function claimDemand(claim: KubeObject): Demand {
  const usage: ResourceList = new Map([
    ['persistentvolumeclaims', count(1)],
    ['count/persistentvolumeclaims', count(1)],
  ]);
  const size = sizeOf(claim);
  if (size) usage.set('requests.storage', size);
  const storageClass = storageClassOf(claim);
  if (storageClass !== '') {
    usage.set(`${storageClass}${storageClassMark}persistentvolumeclaims`, count(1));
    if (size) usage.set(`${storageClass}${storageClassMark}requests.storage`, size);
  }
  const classes = attributesClassesOf(claim);
  return { usage, traits: classes.length > 0 ? { volumeAttributesClasses: classes } : {} };
}

const whole = 1_000_000_000n;

function sizeOf({ spec, status }: KubeObject): Quantity | undefined {
  const { requests } = (spec?.resources ?? {}) as { requests?: JsonObject };
  const asked = parseQuantity(requests?.storage);
  if (!asked) return undefined;
  const given = parseQuantity((status?.allocatedResources as JsonObject | undefined)?.storage);
  return inWholeBytes(given && given.nano > asked.nano ? given : asked);
}

function inWholeBytes({ nano, format }: Quantity): Quantity {
  return { nano: ((nano + whole - 1n) / whole) * whole, format };
}

function attributesClassesOf({ spec, status }: KubeObject): string[] {
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    (status?.modifyVolumeStatus as JsonObject | undefined)?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.filter((name): name is string => typeof name === 'string' && name !== ''))].sort();
}
