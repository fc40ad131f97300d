import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { applyDefaults } from '../../defaults';
import { printObjectTable } from '../../printing';
import { fieldErrorText } from '../../status';
import { prepareForCreate, prepareForUpdate } from '../../strategy';
import { validateCreate, validateUpdate, warningsOf } from '../../validation';
import { releaseKinds } from '../release';
import { defaultClassOf, isDefaultClass } from './default-class';

const now = Date.parse('2026-01-01T00:00:00Z');

function created(resource: string, fields: object, namespace?: string): KubeObject {
  const kind = releaseKinds.kindOf(resource);
  const object = { metadata: { name: 'x', namespace }, ...fields } as KubeObject;
  return prepareForCreate(kind, applyDefaults(kind, object), { now, uid: 'u' });
}

const errorsOf = (resource: string, object: KubeObject): string[] =>
  validateCreate(releaseKinds.kindOf(resource), object).map(fieldErrorText);

function updated(resource: string, old: KubeObject, fields: object, subresource?: 'status'): { object: KubeObject; errors: string[] } {
  const kind = releaseKinds.kindOf(resource);
  const object = prepareForUpdate(kind, applyDefaults(kind, { ...old, ...fields } as KubeObject), old, subresource, now + 5_000);
  return { object, errors: [...new Set(validateUpdate(kind, object, old, subresource).map(fieldErrorText))] };
}

const cellsOf = (resource: string, object: KubeObject): unknown[] => {
  const table = printObjectTable(releaseKinds.kindOf(resource), object, { now, includeObject: 'None' }) as unknown as {
    rows: { cells: unknown[] }[];
  };
  return table.rows[0]?.cells ?? [];
};

describe('a StorageClass', () => {
  const storageClass = created('storageclasses.storage.k8s.io', { provisioner: 'd.example' });

  it('deletes its volumes and makes them at once, unless it says otherwise', () => {
    expect(storageClass).toMatchObject({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });
    expect(errorsOf('storageclasses.storage.k8s.io', storageClass)).toEqual([]);
  });

  it('stays what it is, but for whether its volumes may grow', () => {
    const { errors } = updated('storageclasses.storage.k8s.io', storageClass, { allowVolumeExpansion: true });
    expect(errors).toEqual([]);
    expect(updated('storageclasses.storage.k8s.io', storageClass, { provisioner: 'other' }).errors).toEqual([
      'provisioner: Forbidden: updates to provisioner are forbidden.',
    ]);
  });

  it('has no term of its topologies twice, and none that is empty', () => {
    const term = { matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] };
    const same = { matchLabelExpressions: [{ key: 'zone', values: ['b', 'a'] }] };
    const withTerms = (...allowedTopologies: object[]) => created('storageclasses.storage.k8s.io', { provisioner: 'd', allowedTopologies });
    expect(errorsOf('storageclasses.storage.k8s.io', withTerms(term, same))).toEqual([
      'allowedTopologies[1].matchLabelExpressions: Duplicate value: ""',
    ]);
    expect(errorsOf('storageclasses.storage.k8s.io', withTerms({}))).toEqual([
      'allowedTopologies[0].matchLabelExpressions: Duplicate value: ""',
    ]);
    expect(errorsOf('storageclasses.storage.k8s.io', withTerms(...Array<object>(2_000).fill({})))).toHaveLength(100);
  });

  it('is the default one by its annotation: the newest of several, then the first by name', () => {
    const marked = (name: string, creationTimestamp: string) =>
      ({
        metadata: { name, creationTimestamp, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      }) as unknown as KubeObject;
    const older = marked('a', '2026-01-01T00:00:00Z');
    const newer = marked('c', '2026-01-02T00:00:00Z');
    expect(defaultClassOf([storageClass], isDefaultClass)).toBeUndefined();
    expect(defaultClassOf([older, newer, storageClass], isDefaultClass)).toBe(newer);
    const first = marked('b', '2026-01-02T00:00:00Z');
    expect(defaultClassOf([newer, first, older], isDefaultClass)).toBe(first);
    expect(cellsOf('storageclasses.storage.k8s.io', { ...newer, provisioner: 'p' })[0]).toBe('c (default)');
  });
});

describe('a CSIDriver', () => {
  it('counts its generation from its first change on', () => {
    const driver = created('csidrivers.storage.k8s.io', {});
    expect(driver.metadata.generation).toBeUndefined();
    expect(driver.spec).toMatchObject({ attachRequired: true, volumeLifecycleModes: ['Persistent'], seLinuxMount: false });
    const { object, errors } = updated('csidrivers.storage.k8s.io', driver, { spec: { ...driver.spec, podInfoOnMount: true } });
    expect(errors).toEqual([]);
    expect(object.metadata.generation).toBe(1);
  });
});

describe('a CSINode', () => {
  it('may get drivers and lose them, but not change what one says', () => {
    const driver = { name: 'd.example', nodeID: 'n', topologyKeys: ['zone'] };
    const node = created('csinodes.storage.k8s.io', { spec: { drivers: [driver] } });
    const change = (...drivers: object[]) => updated('csinodes.storage.k8s.io', node, { spec: { drivers } }).errors;
    expect(change(driver, { ...driver, name: 'other.example' })).toEqual([]);
    expect(change()).toEqual([]);
    expect(change({ ...driver, nodeID: 'm' })).toEqual([
      'spec.drivers: Invalid value: {"Name":"d.example","NodeID":"m","TopologyKeys":["zone"],"Allocatable":null}: field is immutable',
    ]);
    expect(cellsOf('csinodes.storage.k8s.io', node).slice(0, 2)).toEqual(['x', 1]);
  });
});

describe('a VolumeAttachment', () => {
  it('is attached by writes of its status alone, which change no metadata', () => {
    const spec = { attacher: 'd.example', nodeName: 'n', source: { persistentVolumeName: 'pv' } };
    const attachment = created('volumeattachments.storage.k8s.io', { spec, status: { attached: true } });
    expect(attachment.status).toEqual({ attached: false });
    const change = { metadata: { ...attachment.metadata, labels: { a: 'b' } }, status: { attached: true } };
    const { object, errors } = updated('volumeattachments.storage.k8s.io', attachment, change, 'status');
    expect(errors).toEqual([]);
    expect(object).toMatchObject({ metadata: attachment.metadata, status: { attached: true } });
    expect(object.metadata.labels).toBeUndefined();
  });

  it('carries a volume of its own only from a CSI driver', () => {
    const inlineVolumeSpec = { accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } };
    const spec = { attacher: 'd.example', nodeName: 'n', source: { inlineVolumeSpec } };
    expect(errorsOf('volumeattachments.storage.k8s.io', created('volumeattachments.storage.k8s.io', { spec }))).toEqual([
      'spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes',
    ]);
  });
});

describe('a CSIStorageCapacity', () => {
  it('warns about names of labels that nodes had once', () => {
    const capacity = created(
      'csistoragecapacities.storage.k8s.io',
      { storageClassName: 'c', nodeTopology: { matchLabels: { 'beta.kubernetes.io/os': 'linux' } } },
      'n',
    );
    expect(warningsOf(releaseKinds.kindOf('csistoragecapacities.storage.k8s.io'), capacity)).toEqual([
      expect.stringMatching(/^nodeTopology.matchLabels.beta.kubernetes.io\/os: deprecated since v1.14/),
    ]);
  });
});

describe('a PersistentVolume', () => {
  const spec = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/x' } };

  it('dates the changes of its phase, unless their writer did', () => {
    const volume = created('persistentvolumes', { spec });
    expect(volume.status).toEqual({ phase: 'Pending', lastPhaseTransitionTime: '2026-01-01T00:00:00Z' });
    const after = (status: object) => updated('persistentvolumes', volume, { status }, 'status').object.status;
    expect(after({ phase: 'Bound' })).toEqual({ phase: 'Bound', lastPhaseTransitionTime: '2026-01-01T00:00:05Z' });
    expect(after({ phase: 'Pending' })).toEqual(volume.status);
    const dated = { phase: 'Bound', lastPhaseTransitionTime: '2026-02-02T00:00:00Z' };
    expect(after(dated)).toEqual(dated);
  });

  it('keeps where its data is, and shows what an update would change', () => {
    const volume = created('persistentvolumes', { spec });
    const { errors } = updated('persistentvolumes', volume, { spec: { ...volume.spec, hostPath: { path: '/y', type: '' } } });
    expect(errors).toEqual([
      expect.stringMatching(/^spec.persistentvolumesource: Forbidden: .*\n@@ [\s\S]*\n-  "Path": "\/x",\n\+  "Path": "\/y",/),
    ]);
  });

  it('may name the labels of its nodes by their new names', () => {
    const affinity = (key: string) => ({
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: ['a'] }] }] } },
    });
    const volume = created('persistentvolumes', { spec: { ...spec, ...affinity('failure-domain.beta.kubernetes.io/zone') } });
    const change = (key: string) => updated('persistentvolumes', volume, { spec: { ...volume.spec, ...affinity(key) } }).errors;
    expect(change('topology.kubernetes.io/zone')).toEqual([]);
    expect(change('topology.kubernetes.io/region')).toEqual([
      expect.stringMatching(/^nodeAffinity: Invalid value: .*except for updating from beta/),
    ]);
  });

  it('has one source', () => {
    const two = created('persistentvolumes', { spec: { ...spec, nfs: { server: 's', path: '/' } } });
    expect(errorsOf('persistentvolumes', two)).toEqual(['spec.nfs: Forbidden: may not specify more than 1 volume type']);
    const { hostPath: _, ...without } = spec;
    expect(errorsOf('persistentvolumes', created('persistentvolumes', { spec: without }))).toEqual([
      'spec: Required value: must specify a volume type',
    ]);
  });
});

describe('a PersistentVolumeClaim', () => {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const claimOf = (more: object) => created('persistentvolumeclaims', { spec: { ...spec, ...more } }, 'n');

  it('says in both fields what it is filled from, and drops what the older one does not know', () => {
    const snapshot = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' };
    expect(claimOf({ dataSource: snapshot }).spec).toMatchObject({ dataSource: snapshot, dataSourceRef: snapshot });
    const populator = { apiGroup: 'example.com', kind: 'Filler', name: 's' };
    expect(claimOf({ dataSource: populator }).spec?.dataSource).toBeUndefined();
    expect(claimOf({ dataSourceRef: populator }).spec).toMatchObject({ dataSource: populator });
  });

  it('is given a volume once, and a class where it had none', () => {
    const claim = claimOf({});
    const change = (old: KubeObject, more: object) => updated('persistentvolumeclaims', old, { spec: { ...old.spec, ...more } });
    expect(change(claim, { volumeName: 'pv', storageClassName: 'fast' }).errors).toEqual([]);
    const { object } = change(claim, { volumeName: 'pv' });
    expect(change(object, { volumeName: 'other' }).errors).toEqual([
      expect.stringMatching(/^spec: Forbidden: spec is immutable after creation/),
    ]);
  });

  it('may ask for more once it is bound, and never for less than it has', () => {
    const bound = { ...claimOf({}), status: { phase: 'Bound', capacity: { storage: '1Gi' } } } as unknown as KubeObject;
    const asking = (storage: string) =>
      updated('persistentvolumeclaims', bound, { spec: { ...bound.spec, resources: { requests: { storage } } } }).errors;
    expect(asking('2Gi')).toEqual([]);
    expect(asking('1Mi')).toEqual(['spec.resources.requests.storage: Forbidden: field can not be less than status.capacity']);
  });
});
