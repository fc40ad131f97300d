import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, findKubectl, kubereel, run, RunningCluster, type Output } from './running-cluster';

const pod = (name: string, annotations: object, containers: object[], labels: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels, annotations },
  spec: { nodeName: 'node-1', terminationGracePeriodSeconds: 1, containers },
});
const two = [
  { name: 'app', image: 'nginx' },
  { name: 'side', image: 'proxy' },
];
const own = {
  'kubereel.dev/app.cpu': '250m',
  'kubereel.dev/app.memory': '512Mi',
  'kubereel.dev/side.cpu': '20m',
  'kubereel.dev/side.memory': '32Mi',
};

const binary = findKubectl('1.33') ?? findKubectl('1.27');
if (!binary) console.warn('\n*** no kubectl on PATH or beside it: THE TESTS OF kubectl top ARE SKIPPED ***\n');

for (const flags of [[], ['--split']]) {
  describe.skipIf(!binary)(`usage in a cluster of up ${flags.join(' ')}`, { timeout: 180_000 }, () => {
    let cluster: RunningCluster;
    const folder = mkdtempSync(join(tmpdir(), 'kubereel-top-'));
    const kubectl = (args: string[], input?: string): Promise<Output> =>
      run(binary as string, args, { env: { KUBECONFIG: cluster.kubeconfig, HOME: folder }, input });
    const ok = async (args: string[], input?: string): Promise<string> => {
      const { code, stdout, stderr } = await kubectl(args, input);
      expect(code, `kubectl ${args.join(' ')}: ${stderr}`).toBe(0);
      return stdout;
    };
    /** Without the spaces that fill columns. */
    const rows = async (...args: string[]): Promise<string[]> =>
      (await ok(args)).split('\n').map((line) => line.trim().replace(/ {2,}/g, ' ')).filter((line) => line !== ''); // prettier-ignore

    beforeAll(async () => {
      cluster = await RunningCluster.start(RunningCluster.temporaryFolder(), '--nodes', '2,cpu=4,memory=8Gi', '--clock', 'x20', ...flags);
      await ok(['wait', '--for=condition=Ready', 'node', '--all', '--timeout=60s']);
      await ok(['apply', '-f', '-'], JSON.stringify(pod('web', own, two, { app: 'web' })));
      await ok(['apply', '-f', '-'], JSON.stringify(pod('idle', {}, [{ name: 'app', image: 'nginx' }])));
      await ok(['wait', '--for=condition=Ready', 'pod', '--all', '--timeout=60s']);
      await eventually('all is measured', async () => {
        const { stdout } = await kubectl(['top', 'pods', '--no-headers']);
        return stdout.trim().split('\n').length === 2 || undefined;
      });
    });
    afterAll(async () => {
      await cluster?.stop();
      cluster?.remove();
      rmSync(folder, { recursive: true, force: true });
    });

    it('is what kubectl top shows: of nodes, pods, containers, by labels and names', async () => {
      expect(await rows('top', 'nodes')).toEqual([
        'NAME CPU(cores) CPU(%) MEMORY(bytes) MEMORY(%)',
        'node-1 270m 6% 545Mi 6%',
        'node-2 0m 0% 0Mi 0%',
      ]);
      expect(await rows('top', 'node', 'node-2', '--no-headers')).toEqual(['node-2 0m 0% 0Mi 0%']);
      expect(await rows('top', 'pods')).toEqual(['NAME CPU(cores) MEMORY(bytes)', 'idle 0m 1Mi', 'web 270m 544Mi']);
      expect(await rows('top', 'pods', '--containers', '-l', 'app=web')).toEqual([
        'POD NAME CPU(cores) MEMORY(bytes)',
        'web app 250m 512Mi',
        'web side 20m 32Mi',
      ]);
      expect(await rows('top', 'pod', 'idle', '--no-headers')).toEqual(['idle 0m 1Mi']);
      expect(await rows('top', 'pods', '-A', '--field-selector', 'metadata.name=web', '--no-headers')).toEqual(['default web 270m 544Mi']);
      expect((await kubectl(['top', 'pod', 'nobody'])).stderr).toBe('Error from server (NotFound): pods "nobody" not found\n');
    });

    it('is an API as a metrics-server registers it', async () => {
      expect((await rows('get', 'apiservices', 'v1beta1.metrics.k8s.io', '--no-headers'))[0]).toMatch(/kube-system\/metrics-server True/);
      expect(await rows('api-resources', '--api-group', 'metrics.k8s.io', '--no-headers')).toEqual([
        'nodes metrics.k8s.io/v1beta1 false NodeMetrics',
        'pods metrics.k8s.io/v1beta1 true PodMetrics',
      ]);
      expect(await rows('get', 'podmetrics')).toEqual(['NAME CPU MEMORY WINDOW', 'idle 0 1Mi 15s', 'web 270m 544Mi 15s']);
      const list = JSON.parse(await ok(['get', '--raw', '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods?labelSelector=app%3Dweb']));
      expect(list).toEqual({
        kind: 'PodMetricsList',
        apiVersion: 'metrics.k8s.io/v1beta1',
        metadata: {},
        items: [
          {
            metadata: { name: 'web', namespace: 'default', creationTimestamp: expect.any(String), labels: { app: 'web' } },
            timestamp: expect.stringMatching(/:(00|15|30|45)Z$/),
            window: '15s',
            containers: [
              { name: 'app', usage: { cpu: '250m', memory: '512Mi' } },
              { name: 'side', usage: { cpu: '20m', memory: '32Mi' } },
            ],
          },
        ],
      });
      expect((await kubectl(['delete', 'podmetrics', 'web'])).stderr).toContain('MethodNotAllowed');
      const reader = ['--as', 'reader', '--as-group', 'readers'];
      expect((await kubectl(['top', 'pods', ...reader])).stderr).toContain('pods.metrics.k8s.io is forbidden');
      await ok(['create', 'rolebinding', 'readers', '--clusterrole', 'view', '--group', 'readers']);
      expect(await rows('top', 'pods', '--no-headers', ...reader)).toEqual(['idle 0m 1Mi', 'web 270m 544Mi']);
    });

    it("is what a node's kubelet says at /stats/summary and /metrics/resource", async () => {
      const { node, pods } = JSON.parse(await ok(['get', '--raw', '/api/v1/nodes/node-1/proxy/stats/summary']));
      expect(node).toMatchObject({ nodeName: 'node-1', cpu: { usageNanoCores: 270_000_000 }, memory: { workingSetBytes: 571_473_920 } });
      // eslint-disable-next-line @typescript-eslint/no-explicit-any
      const web = pods.find((each: any) => each.podRef.name === 'web');
      expect(web.containers).toMatchObject([
        { name: 'app', cpu: { usageNanoCores: 250_000_000 }, memory: { workingSetBytes: 536_870_912 } },
        { name: 'side', cpu: { usageNanoCores: 20_000_000 }, memory: { workingSetBytes: 33_554_432 } },
      ]);
      const text = await ok(['get', '--raw', '/api/v1/nodes/https:node-1:10250/proxy/metrics/resource']);
      expect(text).toMatch(/^container_memory_working_set_bytes\{container="side",namespace="default",pod="web"\} 33554432 \d{13}$/m);
      expect(text).toMatch(/^# TYPE pod_cpu_usage_seconds_total counter$/m);
      expect(await ok(['get', '--raw', '/api/v1/nodes/node-2/proxy/healthz'])).toBe('ok');
      expect((await kubectl(['get', '--raw', '/api/v1/nodes/node-2/proxy/nothing'])).code).not.toBe(0);
    });

    it('of a node that cannot be heard is not known, and a pod of its comes back with it', async () => {
      const environment = { KUBECONFIG: cluster.kubeconfig, HOME: folder };
      await kubereel(['node', 'fail', 'node-1'], environment);
      await eventually('node-1 is not measured', async () => (await rows('top', 'nodes', '--no-headers')).includes('node-1 <unknown> <unknown> <unknown> <unknown>') || undefined); // prettier-ignore
      expect((await kubectl(['top', 'pods'])).stderr).toBe('error: metrics not available yet\n');
      await kubereel(['node', 'recover', 'node-1'], environment);
      expect(await rows('top', 'pods', '--no-headers')).toHaveLength(2);
    });

    it('a log of all that is proven', async () => {
      await cluster.stop();
      const { code, stdout } = await kubereel(['verify', '--data', cluster.folder]);
      expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('all agree') });
    });
  });
}
