import { describe, expect, it } from 'vitest';
import { ClusterState, type FoldedAppend, type ObjectChange } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import { objectKey, type KubeObject } from '#libs/kernel';
import { releaseKinds } from '#libs/kube-api';
import { kubeletControllers } from './kubelet-controllers';
import { stageResource } from './kwok/staged-pod';
import { usageOfMany, usageOfOne } from './kwok/resource-usage';

const now = Date.parse('2026-01-01T00:00:00Z');
/** Definitions of kinds would have to be whole. */
const kinds = releaseKinds.all.filter(({ kind }) => kind !== 'CustomResourceDefinition');
const resources = [...kinds.map(({ groupResource }) => groupResource), stageResource, usageOfOne, usageOfMany];

/** The same name everywhere: whoever goes from one object to another finds it. */
function objectOf(resource: string): KubeObject {
  return {
    metadata: {
      name: 'here',
      namespace: 'default',
      uid: `uid-${resource}`,
      resourceVersion: '1',
      annotations: { 'kubereel.dev/memory': '1Gi' },
    },
    spec: { nodeName: 'here', containers: [{ name: 'c' }] },
    status: { phase: 'Running', startTime: '2026-01-01T00:00:00Z', conditions: [], containerStatuses: [] },
  } as unknown as KubeObject;
}

function appendsAbout(resource: string): FoldedAppend[] {
  const object = objectOf(resource);
  const of = (type: ObjectChange['type'], before?: KubeObject): FoldedAppend => {
    const change: ObjectChange = { type, resource, namespace: 'default', name: 'here', key: objectKey('default', 'here'), before, object };
    const event = { id: 'e', type: 'Updated', data: {}, metadata: { actor: 'user:admin' } } as unknown as RecordedEvent;
    return { position: 2, stream: 's', events: [event], time: now, change };
  };
  return [of('ADDED'), of('MODIFIED', { ...object, spec: {} }), of('DELETED', object)];
}

describe('controllers of the kubelets', () => {
  it.each(kubeletControllers({ heartbeats: true }))('$name has nothing to look at for what it does not follow', (controller) => {
    const cluster = new ClusterState('local');
    for (const resource of resources)
      cluster.restore(resource, objectKey(resource === 'nodes' ? undefined : 'default', 'here'), objectOf(resource));
    const state: unknown = controller.initial(cluster, now);
    const isDue = (): string | undefined => controller.next(state, cluster, now);
    const context = { now, decision: 'd', ordinal: 0, chance: undefined as never };
    for (let due = isDue(); due !== undefined; due = isDue()) controller.decided(state, cluster, due, undefined, context);
    // A pod of which a program waits is looked at for what it may wait for.
    (state as { waiting?: Set<string> }).waiting?.add('default/here');
    const { follows } = controller;
    const others = resources.filter((resource) => follows && !follows.includes(resource));
    for (const append of others.flatMap(appendsAbout)) controller.apply(state, append, cluster);
    expect(isDue()).toBeUndefined();
    expect(controller.nextWake(state, now)).toBeUndefined();
  });
});
