import { describe, expect, it } from 'vitest';
import {
  findGroupResource,
  findKind,
  findResource,
  findSubresource,
  isSubresourceServed,
  kindOf,
  parseApiVersion,
  resourceKinds,
} from './registry';

describe('resource kinds', () => {
  it('are found by path, by name and by kind', () => {
    const deployments = kindOf('deployments.apps');
    expect(deployments).toMatchObject({ group: 'apps', version: 'v1', kind: 'Deployment', singular: 'deployment', apiVersion: 'apps/v1' });
    expect(findResource('apps', 'v1', 'deployments')).toBe(deployments);
    expect(findKind('apps/v1', 'Deployment')).toBe(deployments);
    expect(findResource('apps', 'v2', 'deployments')).toBeUndefined();
    expect(findGroupResource('widgets')).toBeUndefined();
    expect(() => kindOf('widgets')).toThrow('no resource widgets');
  });

  it('prefer the first version of discovery where a resource has several', () => {
    expect(kindOf('horizontalpodautoscalers.autoscaling').version).toBe('v2');
    expect(findKind('autoscaling/v1', 'HorizontalPodAutoscaler')?.version).toBe('v1');
  });

  it('serves the first kinds and knows the others', () => {
    const names = resourceKinds.filter((kind) => kind.served).map((kind) => kind.groupResource);
    expect(names).toHaveLength(16);
    expect(kindOf('statefulsets.apps').served).toBe(false);
    expect(resourceKinds).toHaveLength(66);
  });

  it('gives subresources the group of their kind', () => {
    const pods = kindOf('pods');
    expect(findSubresource(pods, 'eviction')).toMatchObject({ group: 'policy', version: 'v1', kind: 'Eviction' });
    expect(findSubresource(pods, 'status')).toMatchObject({ group: '', version: 'v1', kind: 'Pod' });
    expect(findSubresource(kindOf('replicasets.apps'), 'scale')).toMatchObject({ group: 'autoscaling', version: 'v1', kind: 'Scale' });
    expect(isSubresourceServed(pods, 'log')).toBe(true);
    expect(isSubresourceServed(pods, 'exec')).toBe(false);
  });

  it('knows how kinds behave', () => {
    expect(kindOf('pods')).toMatchObject({ managesGeneration: true, hasStatus: true, gracefulDeletion: true, deletionReturnsObject: true });
    expect(kindOf('priorityclasses.scheduling.k8s.io')).toMatchObject({ generation: 'fixed', managesGeneration: false, hasStatus: false });
    expect(kindOf('leases.coordination.k8s.io')).toMatchObject({ createOnUpdate: true, allowUnconditionalUpdate: false });
    expect(kindOf('events.events.k8s.io').storage).toBe('events');
  });

  it('reads apiVersions', () => {
    expect(parseApiVersion('v1')).toEqual({ group: '', version: 'v1' });
    expect(parseApiVersion('apps/v1')).toEqual({ group: 'apps', version: 'v1' });
    expect(parseApiVersion('a/b/c')).toBeUndefined();
  });
});
