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
