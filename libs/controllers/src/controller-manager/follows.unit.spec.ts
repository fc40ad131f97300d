import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ClusterState, type FoldedAppend, type ObjectChange } from '#libs/cluster-state';
import { ofNoObject } from '#libs/control-loop';
import type { RecordedEvent } from '#libs/event-log';
import { objectKey, type KubeObject } from '#libs/kernel';
import { releaseKinds, type ResourceKind } from '#libs/kube-api';
import { apiserverReconcilers } from '../apiserver';
import { controllerManagerControllers } from './controllers';

const now = Date.parse('2026-01-01T00:00:00Z');
const controllers = [
  ...apiserverReconcilers(),
  ...controllerManagerControllers({
    apiserver: { ca: 'pem' },
    controllerManager: { nodes: { count: 3, cpu: '1', memory: '1Gi', pods: 10 } },
  }),
];
/** Definitions of kinds would have to be whole. */
const filled = releaseKinds.all.filter(({ kind }) => kind !== 'CustomResourceDefinition');
const declared = controllers.filter(({ follows }) => follows !== undefined);

/** An object that whatever may lead to others leads to: names, owners, labels of Services, a node, a class, finalizers, a deletion. */
function objectOf({ kind, namespaced }: ResourceKind): KubeObject {
  return {
    metadata: {
      name: 'kubernetes',
      ...(namespaced ? { namespace: 'default' } : {}),
      uid: `uid-${kind}`,
      resourceVersion: '1',
      deletionTimestamp: '2026-01-01T00:00:00Z',
      finalizers: ['kubernetes.io/pvc-protection'],
      labels: { 'kubernetes.io/service-name': 'kubernetes' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 'kubernetes', uid: 'uid-Service' }],
    },
    spec: {
      nodeName: 'kubernetes',
      volumeAttributesClassName: 'kubernetes',
      selector: { 'kubernetes.io/service-name': 'kubernetes' },
      service: { namespace: 'default', name: 'kubernetes' },
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'kubernetes' } }],
      names: {},
      group: 'example.com',
    },
    status: { phase: 'Succeeded', conditions: [] },
  } as unknown as KubeObject;
}

function appendsAbout(kind: ResourceKind): FoldedAppend[] {
  const object = objectOf(kind);
  const { name, namespace = '' } = object.metadata;
  const of = (type: ObjectChange['type'], before: KubeObject | undefined): FoldedAppend => {
    const resource = kind.groupResource;
    const change: ObjectChange = { type, resource, namespace, name, key: objectKey(namespace, name), before, object };
    const event = { id: 'e', type: 'Updated', data: {}, metadata: { actor: 'user:admin' } } as unknown as RecordedEvent;
    return { position: 2, stream: 's', events: [event], time: now, change };
  };
  return [of('ADDED', undefined), of('MODIFIED', { ...object, spec: {} }), of('DELETED', object)];
}

const decision: FoldedAppend = {
  position: 2,
  stream: 'decisions',
  events: ['QuotaRequested', 'SignatureAsked', 'PriorityRequested'].map(
    (type) => ({ id: type, type, data: { namespace: 'default', uid: 'u' }, metadata: { actor: 'user:admin' } }) as unknown as RecordedEvent,
  ),
  time: now,
};

describe('controllers that say which resources they follow', () => {
  it.each(declared)('$name has nothing to look at for anything else', (controller) => {
    const cluster = new ClusterState('local');
    for (const kind of filled) {
      const object = objectOf(kind);
      cluster.restore(kind.groupResource, objectKey(object.metadata.namespace, object.metadata.name), object);
    }
    const state = controller.initial(cluster, now);
    const isDue = (): string | undefined => controller.next(state, cluster, now);
    for (let due = isDue(); due !== undefined; due = isDue())
      controller.decided(state, cluster, due, undefined, { now, decision: 'd', ordinal: 0, chance: undefined as never });
    const others = releaseKinds.all.filter(({ groupResource }) => !controller.follows?.includes(groupResource));
    const shown = (): string => inspect(state, { depth: 8, maxArrayLength: 1_000 });
    const untouched = shown();
    const decisions = controller.follows?.includes(ofNoObject) ? [] : [decision];
    for (const append of [...decisions, ...others.flatMap(appendsAbout)]) controller.apply(state, append, cluster);
    expect(isDue()).toBeUndefined();
    expect(controller.nextWake(state, now)).toBeUndefined();
    expect(shown()).toBe(untouched);
  });

  it('are most of those there are', () => {
    expect(declared.length).toBeGreaterThan(controllers.length / 2);
  });
});
