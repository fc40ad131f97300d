import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { prepareBinding } from '../../binding';
import { attempt, defaultProfile, makeCache, makeNode, makeObject, makePod, verdicts } from '../../cluster.fixture';
import type { Cluster } from '../../cluster.fixture';
import { createProfiles } from '../../config/profiles';
import { Listers } from '../../framework/listers';
import { podInfoOf } from '../../framework/pod-info';
import { DynamicResources } from './dynamic-resources';

const nodes = [makeNode('a'), makeNode('b')];
const pod = makePod('p', { resourceClaims: [{ name: 'gpu', resourceClaimName: 'c' }] });
const request = { name: 'r', exactly: { deviceClassName: 'gpus', count: 2 } };
const claim = (status: object = {}) => makeObject('ResourceClaim', 'c', { spec: { devices: { requests: [request] } }, status }, 'default');
const slice = (node: string, count: number) =>
  makeObject('ResourceSlice', `s-${node}`, {
    spec: {
      nodeName: node,
      driver: 'gpu.example.com',
      pool: { name: node },
      devices: Array.from({ length: count }, (_d, i) => ({ name: `gpu-${i}` })),
    },
  });

function cluster(resourceclaims: KubeObject[], resourceslices: KubeObject[] = [], selectors: object[] = []): Cluster {
  return {
    nodes,
    objects: { resourceclaims, resourceslices, deviceclasses: [makeObject('DeviceClass', 'gpus', { spec: { selectors } })] },
  };
}

describe('DynamicResources', () => {
  it('holds a pod back until its claims exist', () => {
    const context = { listers: new Listers(), isPreempting: () => false };
    const plugin = new DynamicResources();
    expect(plugin.preEnqueue(podInfoOf(pod), context)?.reasons).toEqual(['resourceclaim.resource.k8s.io "c" not found']);
    context.listers.table('resourceclaims').set(claim());
    expect(plugin.preEnqueue(podInfoOf(pod), context)).toBeUndefined();
  });

  it('adds its words to every failure of a pod without claims', () => {
    const result = attempt({ nodes }, makePod('q', { cpu: '9' }));
    expect(result.kind === 'unschedulable' && result.message).toBe(
      '0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
    );
  });

  it('wants enough free devices on the node, and writes what it took', () => {
    const made = cluster([claim()], [slice('a', 1), slice('b', 3)]);
    expect(verdicts(made, pod)).toEqual({ a: 'DynamicResources: cannot allocate all claims', b: 'fits' });
    const result = attempt(made, pod);
    const prepared = result.kind === 'bound' && prepareBinding(makeCache(made).snapshot(), pod, result, defaultProfile(createProfiles()));
    expect(prepared).toMatchObject({
      writes: [
        {
          resource: 'resourceclaims',
          name: 'c',
          patch: {
            status: {
              allocation: { devices: { results: [{ device: 'gpu-0', pool: 'b' }, { device: 'gpu-1' }] } },
              reservedFor: [{ uid: pod.metadata.uid }],
            },
          },
        },
      ],
    });
  });

  it('does not give a device twice', () => {
    const taken = makeObject(
      'ResourceClaim',
      'other',
      {
        spec: {},
        status: { allocation: { devices: { results: [{ driver: 'gpu.example.com', pool: 'b', device: 'gpu-0', request: 'r' }] } } },
      },
      'default',
    );
    expect(verdicts(cluster([claim(), taken], [slice('b', 2)]), pod).b).toBe('DynamicResources: cannot allocate all claims');
  });

  it('goes where an allocated claim can be used, and gives the claim up when nobody uses it', () => {
    const nodeSelector = { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['gone'] }] }] };
    const made = cluster([claim({ allocation: { nodeSelector } })]);
    const result = attempt(made, pod);
    expect(result).toMatchObject({
      kind: 'unschedulable',
      postFilter: { writes: [{ name: 'c', patch: { status: { allocation: null } } }] },
    });
    expect(result.kind === 'unschedulable' && result.message).toContain(
      '2 resourceclaim not available on the node. deallocation of ResourceClaim completed',
    );
  });

  it('selects by driver, and says so when asked for more', () => {
    const byDriver = (driver: string) => [{ cel: { expression: `device.driver == "${driver}"` } }];
    expect(verdicts(cluster([claim()], [slice('b', 2)], byDriver('gpu.example.com')), pod).b).toBe('fits');
    expect(verdicts(cluster([claim()], [slice('b', 2)], byDriver('other')), pod).b).toContain('cannot allocate');
    expect(attempt(cluster([claim()], [slice('b', 2)], [{ cel: { expression: 'device.capacity > 1' } }]), pod)).toMatchObject({
      kind: 'error',
      reason: 'SchedulerError',
    });
  });
});
