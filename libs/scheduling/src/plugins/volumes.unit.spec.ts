import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { prepareBinding } from '../binding';
import { attempt, defaultProfile, makeCache, makeNode, makeObject, makePod, verdicts } from '../cluster.fixture';
import type { Cluster } from '../cluster.fixture';
import { createProfiles } from '../config/profiles';

const nodes = [makeNode('a'), makeNode('b')];
const host = 'kubernetes.io/hostname';
const notReached = "VolumeBinding: node(s) didn't match PersistentVolume's node affinity";
const notFound = "VolumeBinding: node(s) didn't find available persistent volumes to bind";

function claim(name: string, spec: object, more: object = {}): KubeObject {
  return makeObject(
    'PersistentVolumeClaim',
    name,
    {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
      status: { phase: 'Pending' },
      ...more,
    },
    'default',
  );
}

function bound(name: string, volumeName: string, spec: object = {}): KubeObject {
  const object = claim(name, { volumeName, ...spec });
  return { ...object, metadata: { ...object.metadata, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } } };
}

function volume(name: string, node: string | undefined, spec: object = {}): KubeObject {
  const nodeAffinity = node && { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: host, operator: 'In', values: [node] }] }] } };
  return makeObject('PersistentVolume', name, {
    spec: { capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce'], storageClassName: 'late', nodeAffinity, ...spec },
    status: { phase: 'Available' },
  });
}

const late = (provisioner = 'kubernetes.io/no-provisioner') =>
  makeObject('StorageClass', 'late', { provisioner, volumeBindingMode: 'WaitForFirstConsumer' });
const using = (...names: string[]) =>
  makePod('p', { volumes: names.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) });

function cluster(claims: KubeObject[], volumes: KubeObject[] = [], more: Record<string, KubeObject[]> = {}): Cluster {
  return { nodes, objects: { persistentvolumeclaims: claims, persistentvolumes: volumes, storageclasses: [late()], ...more } };
}

describe('volumes', () => {
  it('a missing claim, one being deleted and an unbound immediate one stop the pod before any node', () => {
    const message = (made: Cluster) => {
      const result = attempt(made, using('c'));
      return result.kind === 'unschedulable' && result.message;
    };
    expect(message(cluster([]))).toBe('0/2 nodes are available: persistentvolumeclaim "c" not found. not found');
    const deleted = bound('c', 'v');
    expect(
      message(cluster([{ ...deleted, metadata: { ...deleted.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }], [volume('v', 'a')])),
    ).toContain('is being deleted');
    expect(message(cluster([claim('c', { storageClassName: 'fast' })]))).toContain('pod has unbound immediate PersistentVolumeClaims');
    expect(message(cluster([claim('c', { storageClassName: 'late', volumeName: 'v' })], [volume('v', 'a')]))).toContain(
      'unbound immediate',
    );
  });

  it('a bound volume must be reachable and exist', () => {
    expect(verdicts(cluster([bound('c', 'v')], [volume('v', 'a')]), using('c'))).toEqual({ a: 'fits', b: notReached });
  });

  it('an unbound claim takes the smallest volume that fits on the node, and is bound to it', () => {
    const made = cluster(
      [claim('c', { storageClassName: 'late' })],
      [volume('big', 'a'), volume('small', 'a', { capacity: { storage: '2Gi' } }), volume('tiny', 'a', { capacity: { storage: '1Mi' } })],
    );
    expect(verdicts(made, using('c'))).toEqual({ a: 'fits', b: notFound });
    const snapshot = makeCache(made).snapshot();
    const result = attempt(made, using('c'));
    const prepared = result.kind === 'bound' && prepareBinding(snapshot, using('c'), result, defaultProfile(createProfiles()));
    expect(prepared).toMatchObject({
      kind: 'prepared',
      writes: [{ resource: 'persistentvolumes', name: 'small', patch: { spec: { claimRef: { name: 'c' } } } }],
    });
  });

  it('an unbound claim may be provisioned where the class allows', () => {
    const allowed = { ...late('csi.example.com'), allowedTopologies: [{ matchLabelExpressions: [{ key: host, values: ['b'] }] }] };
    const made = cluster([claim('c', { storageClassName: 'late' })], [], { storageclasses: [allowed] });
    expect(verdicts(made, using('c'))).toEqual({ a: notFound, b: 'fits' });
  });

  it('storage capacity counts for drivers that say so', () => {
    const csidrivers = [makeObject('CSIDriver', 'csi.example.com', { spec: { storageCapacity: true } })];
    const csistoragecapacities = [
      makeObject(
        'CSIStorageCapacity',
        'x',
        { storageClassName: 'late', capacity: '10Gi', nodeTopology: { matchLabels: { [host]: 'a' } } },
        'default',
      ),
    ];
    const made = cluster([claim('c', { storageClassName: 'late' })], [], {
      storageclasses: [late('csi.example.com')],
      csidrivers,
      csistoragecapacities,
    });
    expect(verdicts(made, using('c'))).toEqual({ a: 'fits', b: 'VolumeBinding: node(s) did not have enough free storage' });
  });

  it('a claim of ReadWriteOncePod is for one pod in the whole cluster', () => {
    const made = cluster([bound('c', 'v', { accessModes: ['ReadWriteOncePod'] })], [volume('v', undefined)]);
    const other = {
      ...using('c'),
      metadata: { ...using('c').metadata, name: 'other', uid: 'u-other' },
      spec: { ...using('c').spec, nodeName: 'a', priority: -1 },
    };
    const result = verdicts({ ...made, pods: [other] }, using('c'));
    expect(result.b).toContain('ReadWriteOncePod access mode already in-use');
  });

  it('an in-line disk is for one node, unless all only read it', () => {
    const withDisk = (name: string, readOnly: boolean, nodeName?: string) =>
      makePod(name, { nodeName, volumes: [{ name: 'd', gcePersistentDisk: { pdName: 'disk', readOnly } }] });
    const used = { nodes, pods: [withDisk('x', true, 'a')] };
    expect(verdicts(used, withDisk('p', true)).a).toBe('fits');
    expect(verdicts(used, withDisk('p', false)).a).toBe('VolumeRestrictions: node(s) had no available disk');
  });

  it('a node takes as many volumes of a driver as its CSINode says, each counted once', () => {
    const csinodes = [makeObject('CSINode', 'a', { spec: { drivers: [{ name: 'd', allocatable: { count: 1 } }] } })];
    const csi = (handle: string) => ({ csi: { driver: 'd', volumeHandle: handle } });
    const made = cluster([bound('c', 'v'), bound('e', 'w')], [volume('v', undefined, csi('1')), volume('w', undefined, csi('2'))], {
      csinodes,
    });
    const holder = {
      ...using('c'),
      metadata: { ...using('c').metadata, name: 'h', uid: 'u-h' },
      spec: { ...using('c').spec, nodeName: 'a' },
    };
    expect(verdicts({ ...made, pods: [holder] }, using('e')).a).toBe('NodeVolumeLimits: node(s) exceed max volume count');
    expect(verdicts({ ...made, pods: [holder] }, using('c')).a).toBe('fits');
    const volumeattachments = [
      makeObject('VolumeAttachment', 'va', { spec: { nodeName: 'a', attacher: 'd', source: { persistentVolumeName: 'v' } } }),
    ];
    expect(verdicts({ ...made, objects: { ...made.objects, volumeattachments } }, using('e')).a).toContain('exceed max volume count');
  });

  it('a volume labelled with zones is used there; a node without any zone label takes all', () => {
    const zone = 'topology.kubernetes.io/zone';
    const labelled = volume('v', undefined);
    labelled.metadata.labels = { [zone]: 'x__y' };
    const zoned = [makeNode('x', { labels: { [zone]: 'x' } }), makeNode('z', { labels: { [zone]: 'z' } }), makeNode('none')];
    expect(verdicts({ ...cluster([bound('c', 'v')], [labelled]), nodes: zoned }, using('c'))).toEqual({
      x: 'fits',
      z: 'VolumeZone: node(s) had no available volume zone',
      none: 'fits',
    });
  });
});
