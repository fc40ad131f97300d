import { describe, expect, it } from 'vitest';
import { verify } from '#libs/audit';
import { ClusterRuntime, VirtualClock, Writer } from '#libs/control-loop';
import { createMemoryLog } from '#libs/event-log';
import { bootstrapCluster } from './bootstrap-cluster';

const log = createMemoryLog();
const clock = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'));
const start = (writer: string): Promise<ClusterRuntime> => ClusterRuntime.start({ log, cluster: 'local', clock, writer, seed: 's' });
const creationTimestamp = '2026-01-01T00:00:00Z';

describe('what a new cluster begins with', () => {
  it('is made by the one write path, complete, and once though two servers make it', async () => {
    const [one, two] = await Promise.all([start('one'), start('two')]);
    await Promise.all(
      [one, two].map((runtime) =>
        bootstrapCluster(runtime, new Writer(runtime), { ca: 'PEM', port: 7443, host: 'a-host', address: '192.0.2.7' }),
      ),
    );
    const names = [...one.state.resources()].flatMap((table) => [...table.objects.keys()].map((key) => `${table.resource} ${key}`)).sort();
    expect(names).toEqual([
      'configmaps kube-system/extension-apiserver-authentication',
      'configmaps kube-system/kube-apiserver-legacy-service-account-token-tracking',
      'endpoints default/kubernetes',
      'endpointslices.discovery.k8s.io default/kubernetes',
      'flowschemas.flowcontrol.apiserver.k8s.io /catch-all',
      'flowschemas.flowcontrol.apiserver.k8s.io /exempt',
      'flowschemas.flowcontrol.apiserver.k8s.io /probes',
      'ipaddresses.networking.k8s.io /10.0.0.1',
      expect.stringMatching(/^leases\.coordination\.k8s\.io kube-system\/apiserver-[a-z2-7]{26}$/),
      'namespaces /default',
      'namespaces /kube-node-lease',
      'namespaces /kube-public',
      'namespaces /kube-system',
      'priorityclasses.scheduling.k8s.io /system-cluster-critical',
      'priorityclasses.scheduling.k8s.io /system-node-critical',
      'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io /catch-all',
      'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io /exempt',
      'services default/kubernetes',
    ]);
    expect(one.state.get('namespaces', undefined, 'default')).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'default' }, creationTimestamp },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
    expect(one.state.get('priorityclasses.scheduling.k8s.io', undefined, 'system-node-critical')).toMatchObject({
      metadata: { generation: 1, creationTimestamp },
      value: 2_000_001_000,
      preemptionPolicy: 'PreemptLowerPriority',
    });
    expect(one.state.get('services', 'default', 'kubernetes')).toMatchObject({
      metadata: { labels: { component: 'apiserver', provider: 'kubernetes' }, creationTimestamp },
      spec: {
        ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 7443 }],
        clusterIP: '10.0.0.1',
        clusterIPs: ['10.0.0.1'],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
      },
      status: { loadBalancer: {} },
    });
    const types: string[] = [];
    for await (const page of log.readAll()) types.push(...page.map(({ type }) => type));
    expect(types.filter((type) => type === 'ClusterCreated')).toHaveLength(1);
    expect(types.filter((type) => type === 'Created')).toHaveLength(names.length);
    expect((await verify({ log, cluster: 'local', controllers: [] })).chain).toEqual([]);
  });

  it('tells servers of aggregated APIs of its front proxy, also in a cluster of before', async () => {
    const told = (runtime: ClusterRuntime) =>
      runtime.state.get('configmaps', 'kube-system', 'extension-apiserver-authentication')?.data as unknown as Record<string, string>;
    const later = await start('later');
    expect(told(later)).toMatchObject({ 'client-ca-file': 'PEM', 'requestheader-client-ca-file': 'PEM' });
    await bootstrapCluster(later, new Writer(later), { ca: 'PEM', frontProxyCa: 'FRONT', port: 7443 });
    expect(told(later)).toMatchObject({ 'client-ca-file': 'PEM', 'requestheader-client-ca-file': 'FRONT' });
    const { position } = later.state;
    await bootstrapCluster(later, new Writer(later), { ca: 'PEM', frontProxyCa: 'FRONT', port: 7443 });
    expect(later.state.position).toBe(position);
    expect((await verify({ log, cluster: 'local', controllers: [] })).findings).toEqual([]);
  });

  it('of a resumed cluster it says how long that stood still, though another process writes meanwhile', async () => {
    clock.advanceTo(clock.now() + 60_000);
    const { now, at } = { now: clock.now(), at: Date.parse(creationTimestamp) };
    const holder = { name: 'server', host: 'h', pid: 1, machine: 'm' };
    const election = { holder, isDead: () => true, changed: () => undefined };
    const server = await ClusterRuntime.start({ log, cluster: 'local', clock, writer: 'server', seed: 's', election });
    const other = await start('other');
    await Promise.all([bootstrapCluster(server, new Writer(server)), other.begin()]);
    const resumed = [];
    for await (const page of log.readAll()) resumed.push(...page.filter(({ type }) => type === 'ClusterResumed'));
    expect(resumed.map(({ data }) => data)).toEqual([{ from: at, to: now }]);
    expect((await verify({ log, cluster: 'local', controllers: [] })).findings).toEqual([]);
  });
});
