import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { resizeRefusal, withDefaultClass, withProtection } from './storage';

const claim = (storage: string, more: object = {}, phase = 'Bound') =>
  ({ metadata: { name: 'c' }, spec: { resources: { requests: { storage } }, ...more }, status: { phase } }) as unknown as KubeObject;
const fast = { metadata: { name: 'fast' }, allowVolumeExpansion: true } as unknown as KubeObject;

describe('admission of storage', () => {
  it('gives the default class to a claim that names none, be it an empty one', () => {
    const classOf = (given: KubeObject) => withDefaultClass(given, () => fast).spec?.storageClassName as unknown;
    expect(classOf(claim('1Gi'))).toBe('fast');
    expect(classOf(claim('1Gi', { storageClassName: '' }))).toBe('');
    const annotated = { ...claim('1Gi'), metadata: { name: 'c', annotations: { 'volume.beta.kubernetes.io/storage-class': 'slow' } } };
    expect(classOf(annotated as unknown as KubeObject)).toBeUndefined();
    expect(withDefaultClass(claim('1Gi'), () => undefined)).toEqual(claim('1Gi'));
  });

  it('lets only bound claims grow, of a class that allows it', () => {
    const refusal = (old: KubeObject, wanted: KubeObject, found: KubeObject | undefined = fast) =>
      resizeRefusal(wanted, old, () => found)?.refusal;
    const named = { storageClassName: 'fast' };
    expect(refusal(claim('1Gi', named), claim('2Gi', named))).toBeUndefined();
    expect(refusal(claim('2Gi', named), claim('1Gi', named))).toBeUndefined();
    expect(refusal(claim('1Gi', named, 'Pending'), claim('2Gi', named))).toBe('Only bound persistent volume claims can be expanded');
    const text = 'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
    expect(refusal(claim('1Gi'), claim('2Gi'))).toBe(text);
    expect(refusal(claim('1Gi', named), claim('2Gi', named), { metadata: { name: 'fast' } } as KubeObject)).toBe(text);
  });

  it('puts a finalizer on what is kept while it is used, once', () => {
    const kept = withProtection(claim('1Gi'), 'persistentvolumeclaims');
    expect(kept.metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
    expect(withProtection(kept, 'persistentvolumeclaims')).toBe(kept);
  });
});
