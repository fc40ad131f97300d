import { describe, expect, it } from 'vitest';
import { reconcilerController, type Controller } from '#libs/control-loop';
import type { KubeObject } from '#libs/kernel';
import { policyObjects } from '#libs/kube-api';
import type { Simulation } from '#libs/testing';
import { clusterWorld, makeNamespace } from '../cluster-world.fixture';
import { bootstrapRoles } from './bootstrap-roles';
import { roleAggregation } from './role-aggregation';

const rbac = 'rbac.authorization.k8s.io';
const [roles, bindings] = [`clusterroles.${rbac}`, `clusterrolebindings.${rbac}`];
const role = (cluster: Simulation, name: string): KubeObject => cluster.get(roles, undefined, name) as KubeObject;
const rule = (verb: string, resource: string) => ({ verbs: [verb], apiGroups: [''], resources: [resource] });

const isProven = async (cluster: Simulation): Promise<void> =>
  expect(await cluster.verify()).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });

/** A cluster that has its policy, as one has before its controllers run. */
async function world(): Promise<Simulation> {
  const cluster = await clusterWorld([reconcilerController(bootstrapRoles) as unknown as Controller]);
  await makeNamespace(cluster, 'kube-system');
  await makeNamespace(cluster, 'kube-public');
  for (const { resource, object } of policyObjects()) await cluster.create(resource, object.metadata.namespace, object);
  return cluster;
}

describe('the roles and bindings that a server makes for itself', () => {
  it('are looked after at each start, and at no other time', async () => {
    const cluster = await world();
    await cluster.put(roles, { ...role(cluster, 'system:basic-user'), rules: [rule('get', 'pods')] } as never);
    await cluster.send({ verb: 'delete', target: { resource: bindings, name: 'system:discovery' } });
    expect(role(cluster, 'system:basic-user').rules).toEqual([rule('get', 'pods')]);
    expect(cluster.get(bindings, undefined, 'system:discovery')).toBeUndefined();
    await cluster.restart();
    await cluster.run(1_000);
    expect(role(cluster, 'system:basic-user').rules).toEqual([
      rule('get', 'pods'),
      { verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: ['selfsubjectaccessreviews'] },
      { verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: ['selfsubjectrulesreviews'] },
      { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
    ]);
    expect(cluster.get(bindings, undefined, 'system:discovery')).toMatchObject({
      subjects: [{ kind: 'Group', name: 'system:authenticated' }],
    });
    const written = cluster.state.position;
    await cluster.restart();
    await cluster.run(1_000);
    const changed = (await cluster.events()).filter(({ position, type }) => position > written && /Created|Updated|Deleted/.test(type));
    expect(changed).toEqual([]);
    await isProven(cluster);
  });

  it('stay as somebody wants them who has said so', async () => {
    const cluster = await world();
    const own = role(cluster, 'system:basic-user');
    const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
    await cluster.put(roles, { ...own, metadata: { ...own.metadata, annotations }, rules: [] } as never);
    await cluster.restart();
    await cluster.run(1_000);
    expect(role(cluster, 'system:basic-user').rules ?? []).toEqual([]);
  });

  it('get lost subjects and labels back; a binding to another role is made anew', async () => {
    const cluster = await world();
    const binding = cluster.get(bindings, undefined, 'system:basic-user') as KubeObject;
    const { labels: _, ...metadata } = binding.metadata;
    await cluster.put(bindings, { ...binding, metadata, subjects: [{ kind: 'User', apiGroup: rbac, name: 'ann' }] } as never);
    const old = cluster.get(bindings, undefined, 'cluster-admin') as KubeObject;
    await cluster.send({ verb: 'delete', target: { resource: bindings, name: 'cluster-admin' } });
    await cluster.create(bindings, undefined, {
      metadata: { name: 'cluster-admin' },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'view' },
    } as never);
    await cluster.restart();
    await cluster.run(1_000);
    expect(cluster.get(bindings, undefined, 'system:basic-user')).toMatchObject({
      metadata: { labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' } },
      subjects: [{ name: 'ann' }, { name: 'system:authenticated' }],
    });
    expect(cluster.get(bindings, undefined, 'cluster-admin')).toMatchObject({ roleRef: old.roleRef, subjects: old.subjects });
    await isProven(cluster);
  });

  it('are not made where a cluster has none', async () => {
    const cluster = await clusterWorld([reconcilerController(bootstrapRoles) as unknown as Controller]);
    expect(cluster.state.table(roles).objects.size).toBe(0);
  });
});

describe('an aggregated ClusterRole', () => {
  const labelled = (name: string, value: string, ...rules: object[]) => ({ metadata: { name, labels: { team: value } }, rules });
  const aggregated = (...values: string[]) => ({
    metadata: { name: 'all' },
    aggregationRule: { clusterRoleSelectors: values.map((team) => ({ matchLabels: { team } })) },
    rules: [rule('delete', 'nodes')],
  });

  it('has the rules of those that its selectors find, each once, in the order of selectors and names', async () => {
    const cluster = await clusterWorld([reconcilerController(roleAggregation) as unknown as Controller]);
    await cluster.create(roles, undefined, labelled('b', 'red', rule('get', 'pods'), rule('list', 'pods')) as never);
    await cluster.create(roles, undefined, labelled('a', 'red', rule('list', 'pods')) as never);
    await cluster.create(roles, undefined, labelled('c', 'blue', rule('get', 'pods'), rule('get', 'secrets')) as never);
    await cluster.create(roles, undefined, aggregated('blue', 'red') as never);
    expect(role(cluster, 'all').rules).toEqual([rule('get', 'pods'), rule('get', 'secrets'), rule('list', 'pods')]);
    await cluster.send({ verb: 'delete', target: { resource: roles, name: 'c' } });
    expect(role(cluster, 'all').rules).toEqual([rule('list', 'pods'), rule('get', 'pods')]);
    expect(JSON.parse(JSON.stringify(role(cluster, 'all').metadata.managedFields))).toContainEqual(
      expect.objectContaining({ manager: 'clusterrole-aggregation-controller', operation: 'Apply' }),
    );
    await isProven(cluster);
  });

  it('keeps the rules that somebody gave it while nothing is found', async () => {
    const cluster = await clusterWorld([reconcilerController(roleAggregation) as unknown as Controller]);
    await cluster.create(roles, undefined, aggregated('green') as never);
    expect(role(cluster, 'all').rules).toEqual([rule('delete', 'nodes')]);
    await isProven(cluster);
  });
});
