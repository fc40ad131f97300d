import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { coreEventOf, eventsViewOf } from '../decode';
import { releaseKinds } from '../kinds';
import { applyDefaults } from './apply-defaults';
import { defaultPullPolicy } from '../kinds/core/pods/image-tag';

const kindOf = (name: string) => releaseKinds.kindOf(name);

const metadata = { name: 'a' } as KubeObject['metadata'];
const pod = (spec: JsonObject): KubeObject => applyDefaults(kindOf('pods'), { metadata, spec } as KubeObject);

describe('pull policy', () => {
  it.each([
    ['nginx', 'Always'],
    ['nginx:latest', 'Always'],
    ['nginx:1.2', 'IfNotPresent'],
    ['reg:5000/a/b', 'Always'],
    ['reg:5000/a/b:latest@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef', 'Always'],
    ['a@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef', 'IfNotPresent'],
    ['Not/An/Image', 'IfNotPresent'],
    ['', 'IfNotPresent'],
    ['0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef', 'IfNotPresent'],
  ])('of %s is %s', (image, policy) => {
    expect(defaultPullPolicy(image)).toBe(policy);
  });
});

describe('pods', () => {
  it('copies container ports to the host network', () => {
    const { spec } = pod({
      hostNetwork: true,
      containers: [{ name: 'c', image: 'x', ports: [{ containerPort: 80 }, { containerPort: 1, hostPort: 2 }] }],
    });
    expect(spec.containers[0].ports).toEqual([
      { hostPort: 80, containerPort: 80, protocol: 'TCP' },
      { hostPort: 2, containerPort: 1, protocol: 'TCP' },
    ]);
  });

  it('fills probes, hooks and references', () => {
    const { spec } = pod({
      containers: [
        {
          name: 'c',
          livenessProbe: { grpc: { port: 1 } },
          readinessProbe: { httpGet: { port: 'web' }, periodSeconds: 0 },
          lifecycle: { postStart: { httpGet: { port: 1 } } },
          env: [
            { name: 'E', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
            { name: 'R', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
          ],
        },
      ],
    });
    const [container] = spec.containers;
    expect(container.livenessProbe).toEqual({
      grpc: { port: 1, service: '' },
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    });
    expect(container.readinessProbe).toMatchObject({ httpGet: { path: '/', port: 'web', scheme: 'HTTP' }, periodSeconds: 10 });
    expect(container.lifecycle.postStart.httpGet.path).toBe('/');
    expect(container.env[0].valueFrom.fieldRef.apiVersion).toBe('v1');
    expect(container.env[1].valueFrom.resourceFieldRef).toEqual({ resource: 'limits.cpu', divisor: '0' });
  });

  it('fills volumes', () => {
    const { spec } = pod({
      containers: [],
      volumes: [
        { name: 'none' },
        { name: 'path', hostPath: { path: '/x' } },
        { name: 'map', configMap: { name: 'm' } },
        {
          name: 'all',
          projected: {
            sources: [{ serviceAccountToken: { path: 't' } }, { downwardAPI: { items: [{ path: 'n', fieldRef: { fieldPath: 'x' } }] } }],
          },
        },
        { name: 'claim', ephemeral: { volumeClaimTemplate: { spec: {} } } },
        { name: 'rbd', rbd: { monitors: ['m'], image: 'i' } },
        { name: 'oci', image: { reference: 'x' } },
      ],
    });
    expect(spec.volumes).toEqual([
      { name: 'none', emptyDir: {} },
      { name: 'path', hostPath: { path: '/x', type: '' } },
      { name: 'map', configMap: { name: 'm', defaultMode: 420 } },
      {
        name: 'all',
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 3600, path: 't' } },
            { downwardAPI: { items: [{ path: 'n', fieldRef: { apiVersion: 'v1', fieldPath: 'x' } }] } },
          ],
          defaultMode: 420,
        },
      },
      { name: 'claim', ephemeral: { volumeClaimTemplate: { metadata: {}, spec: { resources: {}, volumeMode: 'Filesystem' } } } },
      { name: 'rbd', rbd: { monitors: ['m'], image: 'i', pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' } },
    ]);
  });

  it('derives requests from limits and pod requests from containers', () => {
    const { spec } = pod({
      resources: { limits: { cpu: '4', memory: '1Gi' } },
      initContainers: [
        { name: 'i', resources: { requests: { cpu: '3' } } },
        { name: 's', restartPolicy: 'Always', resources: { requests: { cpu: '1' } } },
      ],
      containers: [{ name: 'c', resources: { limits: { cpu: '500m' }, requests: { memory: '0.0001' } } }],
    });
    expect(spec.containers[0].resources).toEqual({ limits: { cpu: '500m' }, requests: { cpu: '500m', memory: '1m' } });
    expect(spec.resources.requests).toEqual({ cpu: '3', memory: '1m' });
  });

  it('aligns fields that say the same', () => {
    expect(pod({ containers: [], serviceAccount: 's' }).spec).toMatchObject({ serviceAccountName: 's', serviceAccount: 's' });
    const running = applyDefaults(kindOf('pods'), {
      metadata,
      spec: { containers: [] },
      status: { podIP: '1.1.1.1', podIPs: [{ ip: '2.2.2.2' }] },
    } as KubeObject);
    expect(running.status).toEqual({ podIP: '1.1.1.1', podIPs: [{ ip: '1.1.1.1' }] });
    const node = applyDefaults(kindOf('nodes'), { metadata, spec: { podCIDRs: ['10.0.0.0/24'] } } as KubeObject);
    expect(node.spec).toEqual({ podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24'] });
    const secret = applyDefaults(kindOf('secrets'), { metadata, stringData: { a: 'é' }, data: { a: 'AA==', b: 'AA==' } } as KubeObject);
    expect(secret).toEqual({ metadata, data: { a: 'w6k=', b: 'AA==' }, type: 'Opaque' });
  });
});

describe('services', () => {
  const service = (spec: JsonObject): JsonObject => applyDefaults(kindOf('services'), { metadata, spec } as KubeObject).spec;

  it('default by their type', () => {
    expect(service({ ports: [{ port: 80 }] })).toEqual({
      ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
    });
    expect(service({ type: 'LoadBalancer', sessionAffinity: 'ClientIP' })).toEqual({
      type: 'LoadBalancer',
      sessionAffinity: 'ClientIP',
      externalTrafficPolicy: 'Cluster',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
      allocateLoadBalancerNodePorts: true,
      internalTrafficPolicy: 'Cluster',
    });
    expect(service({ type: 'ExternalName', externalName: 'x' })).toEqual({
      type: 'ExternalName',
      externalName: 'x',
      sessionAffinity: 'None',
    });
  });
});

describe('defaulting', () => {
  it('leaves its argument alone', () => {
    const object = { metadata, spec: { containers: [{ name: 'c', image: 'x' }] } } as unknown as KubeObject;
    const before = JSON.stringify(object);
    applyDefaults(kindOf('pods'), object);
    expect(JSON.stringify(object)).toBe(before);
  });

  it('allocatable is capacity where it is not given', () => {
    const node = applyDefaults(kindOf('nodes'), { metadata, status: { capacity: { cpu: '0.0001', pods: '110' } } } as KubeObject);
    expect(node.status).toMatchObject({ capacity: { cpu: '1m', pods: '110' }, allocatable: { cpu: '1m', pods: '110' } });
  });

  it('names a namespace by label', () => {
    const namespace = applyDefaults(kindOf('namespaces'), { metadata, spec: {} } as KubeObject);
    expect(namespace).toMatchObject({ metadata: { labels: { 'kubernetes.io/metadata.name': 'a' } }, status: { phase: 'Active' } });
    expect(namespace.spec).toEqual({});
  });
});

describe('the two views of an event', () => {
  it('lead back to each other', () => {
    const core = {
      metadata,
      involvedObject: { name: 'p' },
      message: 'm',
      source: { component: 'c' },
      count: 2,
      reportingComponent: 'r',
    };
    const view = eventsViewOf(core as unknown as KubeObject);
    expect(view).toMatchObject({
      regarding: { name: 'p' },
      note: 'm',
      deprecatedSource: { component: 'c' },
      deprecatedCount: 2,
      reportingController: 'r',
    });
    expect(coreEventOf(view)).toMatchObject(core);
  });
});
