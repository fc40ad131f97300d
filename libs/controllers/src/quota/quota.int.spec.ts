import { describe, expect, it } from 'vitest';
import { why } from '#libs/audit';
import type { Controller, WriteResult } from '#libs/control-loop';
import { reconcilerController } from '#libs/control-loop';
import { fact } from '#libs/events';
import type { JsonObject, KubeObject } from '#libs/kernel';
import type { Simulation } from '#libs/testing';
import { clusterWorld, makeNamespace } from '../cluster-world.fixture';
import { quotaAdmission } from './quota-admission';
import { quotaController } from './quota-controller';

const quotas = 'resourcequotas';
const controllers = [reconcilerController(quotaAdmission), reconcilerController(quotaController)] as unknown as Controller[];

/** A cluster with the namespace `team` and a quota in it. */
async function limited(hard: JsonObject, spec: JsonObject = {}): Promise<Simulation> {
  const world = await clusterWorld(controllers);
  await makeNamespace(world, 'team');
  await world.create(quotas, 'team', { metadata: { name: 'q' }, spec: { hard, ...spec } });
  return world;
}

function podOf(name: string, fields: JsonObject = {}, resources: JsonObject = {}): KubeObject {
  return { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i', resources }], ...fields } } as unknown as KubeObject;
}

function post(world: Simulation, object: KubeObject, resource = 'pods'): Promise<WriteResult> {
  return world.write({ verb: 'create', resource, namespace: 'team', object });
}

async function posted(world: Simulation, object: KubeObject, resource = 'pods'): Promise<string> {
  const writing = post(world, object, resource);
  await world.executive.settle();
  return told(await writing);
}

function told(result: WriteResult): string {
  return result.kind === 'refused' ? String(result.status.message) : result.kind;
}

const usedOf = (world: Simulation): unknown => world.get(quotas, 'team', 'q')?.status?.used;

async function verified(world: Simulation): Promise<void> {
  const all = world.controllers;
  expect(await world.verify([...all])).toMatchObject({ differ: 0, notDerivable: 0, chain: [], differences: [] });
}

describe('a quota', () => {
  it('knows what is used as soon as it is there, and counts what comes and goes', async () => {
    const world = await limited({ pods: '2', 'requests.cpu': '1' });
    expect(usedOf(world)).toEqual({ pods: '0', 'requests.cpu': '0' });
    expect(await posted(world, podOf('a', {}, { requests: { cpu: '600m' } }))).toBe('written');
    expect(usedOf(world)).toEqual({ pods: '1', 'requests.cpu': '600m' });
    expect(await posted(world, podOf('b', {}, { requests: { cpu: '600m' } }))).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
    );
    expect(await posted(world, podOf('c'))).toBe('pods "c" is forbidden: failed quota: q: must specify requests.cpu for: c');
    await world.send({ verb: 'delete', target: { resource: 'pods', namespace: 'team', name: 'a' }, options: { gracePeriodSeconds: 0 } });
    expect(usedOf(world)).toEqual({ pods: '0', 'requests.cpu': '0' });
    await verified(world);
  });

  it('is never overspent, however many ask at once', async () => {
    const world = await limited({ pods: '3', 'count/pods': '5' });
    await world.create(quotas, 'team', { metadata: { name: 'r' }, spec: { hard: { pods: '4' } } });
    const answers = Array.from({ length: 12 }, (_, index) => post(world, podOf(`p${index}`)));
    await world.run(1_000);
    const results = await Promise.all(answers);
    expect(results.filter(({ kind }) => kind === 'written')).toHaveLength(3);
    for (const result of results)
      if (result.kind === 'refused') expect(told(result)).toMatch(/exceeded quota: q, requested: pods=1, used: pods=3, limited: pods=3$/);
    expect(usedOf(world)).toEqual({ 'count/pods': '3', pods: '3' });
    await verified(world);
  });

  it('keeps what was charged for a write that never came for a while, then gives it back', async () => {
    const world = await limited({ 'count/configmaps': '2' });
    const configMap = (name: string): KubeObject => ({ metadata: { name } }) as unknown as KubeObject;
    expect(await posted(world, configMap('a'), 'configmaps')).toBe('written');
    expect(await posted(world, configMap('a'), 'configmaps')).toBe('configmaps "a" already exists');
    await world.send({ verb: 'update', target: { resource: quotas, namespace: 'team', name: 'q' }, object: withHard(world, '3') });
    expect(usedOf(world)).toEqual({ 'count/configmaps': '2' });
    await world.run(130_000);
    expect(usedOf(world)).toEqual({ 'count/configmaps': '1' });
    await verified(world);
  });

  it('goes on where a killed process left it, and charges nothing twice', async () => {
    const world = await limited({ pods: '2' });
    await world.restart(world.controllers.filter(({ name }) => name !== 'resource-quota-admission'));
    const writing = post(world, podOf('a'));
    // Time stands still until somebody who could answer is there.
    await new Promise((resolve) => setImmediate(resolve));
    await world.add(reconcilerController(quotaAdmission) as unknown as Controller);
    await world.executive.settle();
    expect(told(await writing)).toBe('written');
    expect(usedOf(world)).toEqual({ pods: '1' });
    await world.restart();
    expect(await posted(world, podOf('b'))).toBe('written');
    expect(await posted(world, podOf('c'))).toContain('exceeded quota');
    await verified(world);
  });

  it('that has refused a pod is named by why, though the pod was never there', async () => {
    const world = await limited({ pods: '0' });
    await posted(world, podOf('a'));
    const object = { resource: 'pods', namespace: 'team', name: 'a' };
    const report = await why({ log: world.log, cluster: 'local', object, controllers: world.controllers, explainers: [] });
    expect(report?.standing).toEqual([
      'never there: it was refused: pods "a" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0',
    ]);
    expect(report?.moments.map(({ type }) => type)).toEqual(['QuotaRequested', 'QuotaRefused']);
    const other = { ...object, name: 'b' };
    expect(await why({ log: world.log, cluster: 'local', object: other, controllers: world.controllers, explainers: [] })).toBeUndefined();
  });

  it('refuses, and what is strange about the pod is told all the same', async () => {
    const world = await limited({ pods: '0' });
    const pod = podOf('a', { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } });
    const writing = post(world, pod);
    await world.executive.settle();
    expect(await writing).toMatchObject({
      kind: 'refused',
      warnings: [expect.stringContaining('spec.nodeSelector[beta.kubernetes.io/os]: deprecated') as string],
    });
  });

  it('says of a dry run what it would say, and charges nothing', async () => {
    const world = await limited({ pods: '1' });
    const dryRun = (name: string): Promise<WriteResult> =>
      world.send({ verb: 'create', resource: 'pods', namespace: 'team', object: podOf(name), options: { dryRun: true } });
    expect(told(await dryRun('a'))).toBe('dry-run');
    expect(usedOf(world)).toEqual({ pods: '0' });
    expect(await posted(world, podOf('a'))).toBe('written');
    expect(told(await dryRun('b'))).toContain('exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1');
  });

  it('of a scope counts what is in the scope', async () => {
    const selector = { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] };
    const world = await limited({ pods: '0' }, { scopeSelector: selector });
    await world.create('priorityclasses.scheduling.k8s.io', undefined, { metadata: { name: 'high' }, value: 1000 });
    expect(await posted(world, podOf('a', { priorityClassName: 'high' }))).toContain('exceeded quota: q');
    expect(await posted(world, podOf('b'))).toBe('written');
    expect(usedOf(world)).toEqual({ pods: '0' });
  });

  it('has to be there where the server is configured so', async () => {
    const world = await clusterWorld(controllers);
    await makeNamespace(world, 'team');
    await world.create('priorityclasses.scheduling.k8s.io', undefined, { metadata: { name: 'high' }, value: 1000 });
    const matchScopes = [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }];
    const limitedResources = [{ resource: 'pods', matchContains: [], matchScopes }];
    await world.record('cluster-lifecycle', [fact('AdmissionConfigured', { enabled: [], disabled: [], limitedResources })]);
    await world.executive.settle();
    expect(await posted(world, podOf('a'))).toBe('written');
    expect(await posted(world, podOf('b', { priorityClassName: 'high' }))).toBe(
      'insufficient quota to match these scopes: [{PriorityClass In [high]}]',
    );
    const scopeSelector = { matchExpressions: matchScopes };
    await world.create(quotas, 'team', { metadata: { name: 'q' }, spec: { hard: { pods: '1' }, scopeSelector } });
    expect(await posted(world, podOf('b', { priorityClassName: 'high' }))).toBe('written');
    expect(await posted(world, podOf('c', { priorityClassName: 'high' }))).toContain('exceeded quota: q');
  });

  it('is charged for what an update takes more', async () => {
    const world = await limited({ 'services.nodeports': '1', services: '5' });
    const service = (type: string): KubeObject =>
      ({
        metadata: { name: 's' },
        spec: {
          type,
          ports: [
            { port: 80, name: 'a' },
            { port: 81, name: 'b' },
          ],
        },
      }) as unknown as KubeObject;
    expect(await posted(world, service('ClusterIP'), 'services')).toBe('written');
    const present = world.get('services', 'team', 's') as KubeObject;
    const target = { resource: 'services', namespace: 'team', name: 's' };
    const update = (ports: unknown[]): Promise<WriteResult> =>
      world.send({ verb: 'update', target, object: { ...present, spec: { ...present.spec, type: 'NodePort', ports } } as KubeObject });
    const ports = present.spec?.ports as unknown[];
    expect(told(await update(ports))).toContain(
      'requested: services.nodeports=2, used: services.nodeports=0, limited: services.nodeports=1',
    );
    expect(told(await update(ports.slice(0, 1)))).toBe('written');
    expect(usedOf(world)).toEqual({ services: '1', 'services.nodeports': '1' });
    await verified(world);
  });
});

function withHard(world: Simulation, configmaps: string): KubeObject {
  const quota = world.get(quotas, 'team', 'q') as KubeObject;
  return { ...quota, spec: { ...quota.spec, hard: { 'count/configmaps': configmaps } } } as KubeObject;
}
