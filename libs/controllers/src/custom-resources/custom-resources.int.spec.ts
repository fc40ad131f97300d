import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { Simulation } from '#libs/testing';
import { apiserverReconcilers } from '../apiserver';
import { clusterWorld } from '../cluster-world.fixture';

const resource = 'customresourcedefinitions.apiextensions.k8s.io';

const world = (): Promise<Simulation> => clusterWorld(apiserverReconcilers());

interface Wanted {
  group?: string;
  names?: object;
}

function definition(plural: string, kind: string, { group = 'example.com', names = {} }: Wanted = {}): object {
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind, ...names },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };
}

const create = (cluster: Simulation, ...wanted: Parameters<typeof definition>): Promise<KubeObject> =>
  cluster.create(resource, undefined, definition(...wanted) as never);

const found = (cluster: Simulation, name: string): KubeObject => cluster.get(resource, undefined, name) as KubeObject;

function conditions(cluster: Simulation, name: string): Record<string, string> {
  const all = found(cluster, name).status.conditions as { type: string; status: string; reason: string }[];
  return Object.fromEntries(all.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

async function isProven(cluster: Simulation): Promise<void> {
  expect(await cluster.verify()).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
}

describe('a definition of a custom kind', () => {
  it('gets its names and is established', async () => {
    const cluster = await world();
    const created = await create(cluster, 'gizmos', 'Gizmo', { names: { shortNames: ['gz'] } });
    expect(created.status).toEqual({ conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] });
    expect(found(cluster, 'gizmos.example.com').status.acceptedNames).toEqual({
      plural: 'gizmos',
      singular: 'gizmo',
      shortNames: ['gz'],
      kind: 'Gizmo',
      listKind: 'GizmoList',
    });
    expect(conditions(cluster, 'gizmos.example.com')).toEqual({
      NamesAccepted: 'True NoConflicts',
      Established: 'True InitialNamesAccepted',
    });
    await isProven(cluster);
  });

  it('waits for a name that another one of its group has, and gets it when that one gives it back', async () => {
    const cluster = await world();
    await create(cluster, 'gadgets', 'Gadget', { names: { shortNames: ['gd'] } });
    await create(cluster, 'gizmos', 'Gizmo', { names: { shortNames: ['gd', 'gz'] } });
    await create(cluster, 'gizmos', 'Gizmo', { group: 'other.com', names: { shortNames: ['gd'] } });
    expect(conditions(cluster, 'gizmos.example.com')).toEqual({
      NamesAccepted: 'False ShortNamesConflict',
      Established: 'False NotAccepted',
    });
    expect(found(cluster, 'gizmos.example.com').status.acceptedNames).toEqual({
      plural: 'gizmos',
      singular: 'gizmo',
      kind: 'Gizmo',
      listKind: 'GizmoList',
    });
    expect(conditions(cluster, 'gizmos.other.com')).toMatchObject({ Established: 'True InitialNamesAccepted' });
    const gadgets = found(cluster, 'gadgets.example.com');
    const { shortNames: _, ...names } = gadgets.spec.names as Record<string, unknown>;
    await cluster.put(resource, { ...gadgets, spec: { ...gadgets.spec, names } });
    expect(conditions(cluster, 'gizmos.example.com')).toEqual({
      NamesAccepted: 'True NoConflicts',
      Established: 'True InitialNamesAccepted',
    });
    await isProven(cluster);
  });
});

describe('a definition in a group of the community', () => {
  it('says whether its API has been approved', async () => {
    const cluster = await world();
    const annotated = { ...definition('gizmos', 'Gizmo', { group: 'toys.k8s.io' }) } as { metadata: object };
    const metadata = { ...annotated.metadata, annotations: { 'api-approved.kubernetes.io': 'unapproved, experimental' } };
    await cluster.create(resource, undefined, { ...annotated, metadata } as never);
    // Whoever was second to write the conditions looks again.
    await cluster.run(1_000);
    expect(found(cluster, 'gizmos.toys.k8s.io').status.conditions).toContainEqual({
      type: 'KubernetesAPIApprovalPolicyConformant',
      status: 'False',
      lastTransitionTime: expect.any(String) as string,
      reason: 'UnapprovedAnnotation',
      message: 'not approved: "unapproved, experimental"',
    });
    await isProven(cluster);
  });
});

describe('a definition that is deleted', () => {
  const name = 'gizmos.example.com';
  const remove = (cluster: Simulation): Promise<unknown> => cluster.send({ verb: 'delete', target: { resource, name } });

  it('is marked, and goes when no object of its kind is left', async () => {
    const cluster = await world();
    await create(cluster, 'gizmos', 'Gizmo');
    await remove(cluster);
    expect(cluster.get(resource, undefined, name)).toBeUndefined();
    await isProven(cluster);
  });

  it('takes the objects of its kind along, and waits for those that something holds', async () => {
    const cluster = await world();
    await create(cluster, 'gizmos', 'Gizmo');
    await cluster.create('namespaces', undefined, { metadata: { name: 'web' } });
    for (const gizmo of ['a', 'b']) await cluster.create('gizmos.example.com', 'web', { metadata: { name: gizmo } });
    await cluster.create('gizmos.example.com', 'web', { metadata: { name: 'held', finalizers: ['example.com/hold'] } });
    await remove(cluster);
    expect(cluster.list('gizmos.example.com').map(({ metadata }) => metadata.name)).toEqual(['held']);
    expect(conditions(cluster, name)).toMatchObject({ Terminating: 'True InstanceDeletionInProgress' });
    await cluster.patch('gizmos.example.com', 'web', 'held', { metadata: { finalizers: null } });
    expect(cluster.list('gizmos.example.com')).toEqual([]);
    expect(cluster.get(resource, undefined, name)).toBeUndefined();
    await isProven(cluster);
  });

  it('gives its names back', async () => {
    const cluster = await world();
    await create(cluster, 'gadgets', 'Gizmo');
    await create(cluster, 'gizmos', 'Gizmo');
    expect(conditions(cluster, name)).toMatchObject({ NamesAccepted: 'False ListKindConflict' });
    await cluster.send({ verb: 'delete', target: { resource, name: 'gadgets.example.com' } });
    expect(conditions(cluster, name)).toMatchObject({ NamesAccepted: 'True NoConflicts', Established: 'True InitialNamesAccepted' });
    await isProven(cluster);
  });

  it('stays as long as somebody else holds it, and says so that its objects are gone', async () => {
    const cluster = await world();
    const created = await create(cluster, 'gizmos', 'Gizmo');
    const held = found(cluster, created.metadata.name);
    await cluster.put(resource, { ...held, metadata: { ...held.metadata, finalizers: ['example.com/hold'] } });
    await remove(cluster);
    expect(found(cluster, name).metadata.finalizers).toEqual(['example.com/hold']);
    expect(conditions(cluster, name)).toMatchObject({ Terminating: 'False InstanceDeletionCompleted' });
    await cluster.patch(resource, undefined, name, { metadata: { finalizers: null } });
    expect(cluster.get(resource, undefined, name)).toBeUndefined();
    await isProven(cluster);
  });

  it('takes nothing along that the release keeps under the same name', async () => {
    const cluster = await world();
    const roles = 'clusterroles.rbac.authorization.k8s.io';
    await cluster.create(roles, undefined, { metadata: { name: 'kept' } });
    await cluster.create(resource, undefined, {
      metadata: { name: roles, annotations: { 'api-approved.kubernetes.io': 'unapproved' } },
      spec: {
        group: 'rbac.authorization.k8s.io',
        scope: 'Cluster',
        names: { plural: 'clusterroles', kind: 'ClusterRole' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
    expect(conditions(cluster, roles)).toMatchObject({ Established: 'True InitialNamesAccepted' });
    await cluster.send({ verb: 'delete', target: { resource, name: roles } });
    await cluster.run(1_000);
    expect(cluster.get(resource, undefined, roles)).toBeUndefined();
    expect(cluster.get(roles, undefined, 'kept')).toBeDefined();
    await isProven(cluster);
  });
});
