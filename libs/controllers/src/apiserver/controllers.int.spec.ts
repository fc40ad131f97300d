import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#libs/kernel';
import { flowControlObjects, localApiServices } from '#libs/kube-api';
import type { Simulation } from '#libs/testing';
import { clusterWorld, makeNamespace } from '../cluster-world.fixture';
import { apiserverReconcilers } from './controllers';

const schemas = 'flowschemas.flowcontrol.apiserver.k8s.io';
const levels = 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io';
const apiservices = 'apiservices.apiregistration.k8s.io';
const addresses = 'ipaddresses.networking.k8s.io';
const slices = 'endpointslices.discovery.k8s.io';

async function world(): Promise<Simulation> {
  const cluster = await clusterWorld(apiserverReconcilers());
  await makeNamespace(cluster, 'web');
  return cluster;
}

const isProven = async (cluster: Simulation): Promise<void> =>
  expect(await cluster.verify()).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
const remove = (cluster: Simulation, resource: string, namespace: string | undefined, name: string) =>
  cluster.send({ verb: 'delete', target: { resource, namespace, name } });
const condition = (cluster: Simulation, resource: string, name: string): JsonObject | undefined =>
  (cluster.get(resource, undefined, name)?.status?.conditions as JsonObject[] | undefined)?.[0];
const countOf = (cluster: Simulation, resource: string): number => cluster.state.table(resource).objects.size;

describe('what an API server makes for itself', () => {
  it('is there once it runs, is not made again by the next start, and is proven', async () => {
    const cluster = await world();
    const own = flowControlObjects();
    expect(countOf(cluster, levels)).toBe(own.levels.length);
    expect(countOf(cluster, schemas)).toBe(own.schemas.length);
    expect(countOf(cluster, apiservices)).toBe(localApiServices().length);
    expect(cluster.get('servicecidrs.networking.k8s.io', undefined, 'kubernetes')).toMatchObject({
      spec: { cidrs: ['10.0.0.0/24'] },
      status: { conditions: [{ type: 'Ready', status: 'True', reason: '' }] },
    });
    expect(condition(cluster, schemas, 'probes')).toMatchObject({ type: 'Dangling', status: 'False', reason: 'Found' });
    expect(condition(cluster, apiservices, 'v1.apps')).toMatchObject({ type: 'Available', status: 'True', reason: 'Local' });
    const written = cluster.state.position;
    await cluster.restart();
    const changed = (await cluster.events()).filter(({ position, type }) => position > written && /Created|Updated/.test(type));
    expect(changed).toEqual([]);
    await isProven(cluster);
  });

  it('comes back where it is deleted or changed, unless somebody said that he looks after it', async () => {
    const cluster = await world();
    await remove(cluster, schemas, undefined, 'exempt');
    expect(cluster.get(schemas, undefined, 'exempt')).toBeDefined();
    const change = async (name: string, annotation: string): Promise<void> => {
      const level = cluster.get(levels, undefined, name) as unknown as { metadata: JsonObject; spec: { limited: JsonObject } };
      await cluster.put(levels, {
        ...level,
        metadata: { ...level.metadata, annotations: { 'apf.kubernetes.io/autoupdate-spec': annotation } },
        spec: { ...level.spec, limited: { ...level.spec.limited, nominalConcurrencyShares: 7 } },
      } as never);
    };
    await change('workload-low', 'true');
    await change('workload-high', 'false');
    const sharesOf = (name: string) => cluster.get(levels, undefined, name)?.spec.limited.nominalConcurrencyShares as number;
    expect([sharesOf('workload-low'), sharesOf('workload-high')]).toEqual([100, 7]);
    await isProven(cluster);
  });
});

describe('a flow schema', () => {
  it('is said to dangle as long as its priority level is not there', async () => {
    const cluster = await world();
    const spec = { priorityLevelConfiguration: { name: 'mine' }, matchingPrecedence: 50, rules: [] };
    await cluster.create(schemas, undefined, { metadata: { name: 'mine' }, spec });
    expect(condition(cluster, schemas, 'mine')).toMatchObject({
      status: 'True',
      reason: 'NotFound',
      message: 'This FlowSchema references the PriorityLevelConfiguration object named "mine" but there is no such object',
    });
    const level = { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } };
    await cluster.create(levels, undefined, { metadata: { name: 'mine' }, spec: level });
    expect(condition(cluster, schemas, 'mine')).toMatchObject({ status: 'False', reason: 'Found' });
    await remove(cluster, levels, undefined, 'mine');
    expect(condition(cluster, schemas, 'mine')).toMatchObject({ status: 'True' });
    await isProven(cluster);
  });
});

describe('the IPAddress of a cluster IP', () => {
  it('comes and goes with the Service that has it, and is repaired', async () => {
    const cluster = await world();
    const service = await cluster.create('services', 'web', { metadata: { name: 'shop' }, spec: { ports: [{ port: 80 }] } });
    const address = service.spec.clusterIP as string;
    expect(cluster.get(addresses, undefined, address)).toMatchObject({
      metadata: { labels: { 'ipaddress.kubernetes.io/ip-family': 'IPv4', 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' } },
      spec: { parentRef: { resource: 'services', namespace: 'web', name: 'shop' } },
    });
    await remove(cluster, addresses, undefined, address);
    expect(cluster.get(addresses, undefined, address)).toBeDefined();
    await remove(cluster, 'services', 'web', 'shop');
    expect(cluster.get(addresses, undefined, address)).toBeUndefined();
    await isProven(cluster);
  });

  it('is given back when the Service becomes a name for something else; addresses of others stay', async () => {
    const cluster = await world();
    const service = await cluster.create('services', 'web', { metadata: { name: 'shop' }, spec: { ports: [{ port: 80 }] } });
    await cluster.create(addresses, undefined, {
      metadata: { name: '10.9.9.9' },
      spec: { parentRef: { resource: 'services', namespace: 'web', name: 'none' } },
    });
    await cluster.put('services', {
      ...(cluster.get('services', 'web', 'shop') as object),
      spec: { type: 'ExternalName', externalName: 'shop.example.com' },
    } as never);
    expect(cluster.get(addresses, undefined, service.spec.clusterIP as string)).toBeUndefined();
    expect(cluster.get(addresses, undefined, '10.9.9.9')).toBeDefined();
    await isProven(cluster);
  });
});

describe('an APIService of a group version that definitions have served', () => {
  const definitions = 'customresourcedefinitions.apiextensions.k8s.io';
  const schema = { openAPIV3Schema: { type: 'object' } };
  const version = (name: string, served: boolean, storage: boolean) => ({ name, served, storage, schema });
  const define = (cluster: Simulation, plural: string, versions: object[]) =>
    cluster.create(definitions, undefined, {
      metadata: { name: `${plural}.example.com` },
      spec: { group: 'example.com', scope: 'Namespaced', names: { plural, kind: plural.toUpperCase() }, versions },
    } as never);
  const found = (cluster: Simulation, name: string) => cluster.get(apiservices, undefined, name);

  it('comes with the first of them, is available, and goes with the last', async () => {
    const cluster = await world();
    await define(cluster, 'gizmos', [version('v1', true, true), version('v2', true, false), version('v3', false, false)]);
    await define(cluster, 'gadgets', [version('v1', true, true)]);
    expect(found(cluster, 'v1.example.com')).toMatchObject({
      metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'true' } },
      spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 },
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
    });
    expect(found(cluster, 'v2.example.com')).toBeDefined();
    expect(found(cluster, 'v3.example.com')).toBeUndefined();
    await remove(cluster, definitions, undefined, 'gizmos.example.com');
    expect([found(cluster, 'v1.example.com') !== undefined, found(cluster, 'v2.example.com')]).toEqual([true, undefined]);
    await remove(cluster, definitions, undefined, 'gadgets.example.com');
    expect(found(cluster, 'v1.example.com')).toBeUndefined();
    await isProven(cluster);
  });

  it('is as the server wants it, but one that somebody else has made stands', async () => {
    const cluster = await world();
    const service = { namespace: 'web', name: 'api' };
    const spec = { group: 'example.com', version: 'v1', groupPriorityMinimum: 7, versionPriority: 7, service };
    await cluster.create(apiservices, undefined, { metadata: { name: 'v1.example.com' }, spec });
    await define(cluster, 'gizmos', [version('v1', true, true), version('v2', true, false)]);
    const own = found(cluster, 'v2.example.com') as object;
    await cluster.put(apiservices, { ...own, spec: { ...spec, version: 'v2', service: undefined } } as never);
    expect(found(cluster, 'v2.example.com')?.spec).toMatchObject({ groupPriorityMinimum: 1000, versionPriority: 100 });
    expect(found(cluster, 'v1.example.com')?.spec).toMatchObject({ service: { name: 'api' }, groupPriorityMinimum: 7 });
    // Who takes his away makes room for that of the server.
    await remove(cluster, apiservices, undefined, 'v1.example.com');
    expect(found(cluster, 'v1.example.com')?.spec).toMatchObject({ groupPriorityMinimum: 1000 });
    await isProven(cluster);
  });
});

describe('an APIService that another server answers', () => {
  it('is told what is missing before that server could be asked, one thing after the other', async () => {
    const cluster = await world();
    const available = () => condition(cluster, apiservices, 'v1.example.com');
    const service = { namespace: 'web', name: 'api' };
    await cluster.create(apiservices, undefined, {
      metadata: { name: 'v1.example.com' },
      spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10, service },
    });
    expect(available()).toMatchObject({
      type: 'Available',
      status: 'False',
      reason: 'ServiceNotFound',
      message: 'service/api in "web" is not present',
    });
    await cluster.create('services', 'web', { metadata: { name: 'api' }, spec: { ports: [{ port: 80 }] } });
    expect(available()).toMatchObject({ reason: 'ServicePortError', message: 'service/api in "web" is not listening on port 443' });
    await remove(cluster, 'services', 'web', 'api');
    const { spec } = await cluster.create('services', 'web', {
      metadata: { name: 'api' },
      spec: { ports: [{ name: 'https', port: 443 }] },
    });
    expect(available()).toMatchObject({ reason: 'EndpointsNotFound', message: 'cannot find endpointslices for service/api in "web"' });
    const metadata = { name: 'api-1', labels: { 'kubernetes.io/service-name': 'api' } };
    await cluster.create(slices, 'web', { metadata, addressType: 'IPv4', endpoints: [] });
    expect(available()).toMatchObject({
      reason: 'MissingEndpoints',
      message: 'endpointslices for service/api in "web" have no addresses with port name "https"',
    });
    await cluster.put(slices, {
      ...(cluster.get(slices, 'web', 'api-1') as object),
      endpoints: [{ addresses: ['10.1.0.5'], targetRef: { kind: 'Pod', namespace: 'web', name: 'api-0' } }],
      ports: [{ name: 'https', port: 8443, protocol: 'TCP' }],
    } as never);
    const url = `https://${spec.clusterIP}:443/apis/example.com/v1`;
    expect(available()).toMatchObject({
      reason: 'FailedDiscoveryCheck',
      message: `failing or missing response from ${url}: Get "${url}": dial tcp ${spec.clusterIP}:443: connect: connection refused`,
    });
    // One that is really served is asked by whoever can; what it answered before stands until then.
    const before = available();
    await cluster.put('services', {
      ...(cluster.get('services', 'web', 'api') as object),
      metadata: { ...cluster.get('services', 'web', 'api')?.metadata, annotations: { 'kubereel.dev/served-at': '127.0.0.1:8443' } },
    } as never);
    expect(available()).toEqual(before);
    await isProven(cluster);
  });
});
