import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, findKubectl, kubereel, run, RunningCluster, type Output } from './running-cluster';

const highPriorityClass = `apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata:
  name: high-priority
value: 1000000
globalDefault: false
description: "This priority class should be used for XYZ service pods only."
`;
const nonPreemptingClass = `apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata:
  name: high-priority-nonpreempting
value: 1000000
preemptionPolicy: Never
globalDefault: false
description: "This priority class will not cause other pods to be preempted."
`;
const nginx = `apiVersion: v1
kind: Pod
metadata:
  name: nginx
  labels:
    env: test
spec:
  containers:
  - name: nginx
    image: nginx
    imagePullPolicy: IfNotPresent
  priorityClassName: high-priority
`;

function pod(name: string, cpu: string, more = ''): string {
  return `apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {app: ${name.replace(/-\d+$/, '')}}, annotations: {kubereel.dev/on-term: takes 5s}}
spec:
  ${more}
  containers:
  - {name: app, image: "registry.example/app:1", resources: {requests: {cpu: "${cpu}"}}}
`;
}

const web = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: app, image: "registry.example/app:1", resources: {requests: {cpu: 100m}}}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 3, selector: {matchLabels: {app: web}}}
`;

for (const minor of ['1.33', '1.27']) {
  const binary = findKubectl(minor);
  if (!binary) console.warn(`\n*** kubectl ${minor} is not on PATH or beside it: ITS TESTS ARE SKIPPED ***\n`);

  describe.skipIf(!binary)(`kubectl ${minor}`, { timeout: 120_000 }, () => {
    let cluster: RunningCluster;
    const files = mkdtempSync(join(tmpdir(), 'kubereel-manifests-'));

    const kubectl = (...args: string[]): Promise<Output> =>
      run(binary as string, args, { env: { KUBECONFIG: cluster.kubeconfig, HOME: files } });
    const ok = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await kubectl(...args);
      expect(stderr, args.join(' ')).not.toContain('rror');
      expect(code, `kubectl ${args.join(' ')}: ${stderr}`).toBe(0);
      return stdout.trim();
    };
    const apply = (text: string): Promise<string> => {
      const file = join(files, `${Math.abs(text.length)}-${text.slice(0, 40).replace(/\W/g, '')}.yaml`);
      writeFileSync(file, text);
      return ok('apply', '-f', file);
    };
    const field = (object: string, path: string): Promise<string> => ok('get', object, '-o', `jsonpath={${path}}`);

    beforeAll(async () => {
      cluster = await RunningCluster.start(RunningCluster.temporaryFolder());
      await eventually(
        'three nodes are Ready',
        async () => (await kubectl('get', 'nodes', '--no-headers')).stdout.split('\n').filter((line) => / Ready /.test(line)).length === 3,
      );
    });
    afterAll(async () => {
      await cluster?.stop();
      cluster?.remove();
    });

    it('shows nodes that look real', async () => {
      const wide = await ok('get', 'nodes', '-o', 'wide');
      expect(wide).toMatch(/node-1\s+Ready\s+\S+\s+\S+\s+v1\.34\.4\s+\d+\.\d+\.\d+\.\d+\s+<none>\s+\S+/);
      expect(await ok('describe', 'node', 'node-1')).toContain('KubeletReady');
    });

    it('applies the documented PriorityClass and Pod examples', async () => {
      expect(await apply(highPriorityClass)).toBe('priorityclass.scheduling.k8s.io/high-priority created');
      await apply(nonPreemptingClass);
      expect(await apply(nginx)).toBe('pod/nginx created');
      expect(await field('pod/nginx', '.spec.priority')).toBe('1000000');
      expect(await ok('get', 'priorityclasses')).toMatch(/high-priority-nonpreempting\s+1000000\s+false/);
      await ok('wait', '--for=condition=Ready', 'pod/nginx', '--timeout=30s');
      expect(await ok('logs', 'nginx')).toContain('simulated');
      await ok('delete', 'pod', 'nginx', '--wait=true', '--timeout=60s');
    });

    it('applies on the server: conflicts with others, takes over from them, and shows who owns what', async () => {
      const file = join(files, 'owned.yaml');
      const owned = (x: string): string =>
        JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owned' }, data: { x } });
      writeFileSync(file, owned('1'));
      expect(await ok('apply', '--server-side', '-f', file)).toBe('configmap/owned serverside-applied');
      writeFileSync(file, owned('2'));
      const refused = await kubectl('apply', '--server-side', '--field-manager', 'other', '-f', file);
      expect(refused.stderr).toContain('Apply failed with 1 conflict: conflict with "kubectl": .data.x');
      await ok('apply', '--server-side', '--field-manager', 'other', '--force-conflicts', '-f', file);
      expect(await field('configmap/owned', '.data.x')).toBe('2');
      const shown = await ok('get', 'configmap', 'owned', '-o', 'yaml', '--show-managed-fields');
      expect(shown).toMatch(/fieldsV1:\s+f:data:\s+f:x: {}\s+manager: other\s+operation: Apply/);
      expect(shown).not.toContain('manager: kubectl');
    });

    it('preempts: grace for the victims, a nomination, events on both, then the binding', async () => {
      await apply(Array.from({ length: 6 }, (_, i) => pod(`low-${i}`, '2')).join('---\n'));
      await ok('wait', '--for=condition=Ready', 'pod', '-l', 'app=low', '--timeout=30s');
      await apply(pod('vip', '4', 'priorityClassName: high-priority'));
      const nominated = await eventually(
        'vip is nominated',
        async () => (await field('pod/vip', '.status.nominatedNodeName')) || undefined,
      );
      expect(nominated).toMatch(/^node-[123]$/);
      const going = JSON.parse(await ok('get', 'pods', '-l', 'app=low', '-o', 'json')).items.filter(
        (item: { metadata: { deletionTimestamp?: string } }) => item.metadata.deletionTimestamp,
      );
      expect(going).toHaveLength(2);
      expect(going[0].metadata.deletionGracePeriodSeconds).toBe(30);
      expect(await field('pod/vip', '.spec.nodeName')).toBe('');
      expect(await ok('get', 'pods', '-o', 'wide')).toMatch(/low-\d\s+1\/1\s+Terminating/);
      await ok('wait', '--for=condition=Ready', 'pod/vip', '--timeout=60s');
      expect(await field('pod/vip', '.spec.nodeName')).toBe(nominated);
      const victim = going[0].metadata.name as string;
      expect(
        await ok(
          'get',
          'events',
          '--field-selector',
          `involvedObject.name=${victim},reason=Preempted`,
          '-o',
          'jsonpath={.items[*].message}',
        ),
      ).toMatch(/^Preempted by pod [0-9a-f-]{36} on node node-/);
      expect(
        await ok('get', 'events', '--field-selector', `involvedObject.name=${victim},reason=Killing`, '-o', 'jsonpath={.items[*].message}'),
      ).toBe('Stopping container app');
      const described = await ok('describe', 'pod', 'vip');
      expect(described).toContain('FailedScheduling');
      expect(described).toContain(`Successfully assigned default/vip to ${nominated}`);
      const whyVictim = await kubereel(['why', `pod/${victim}`, '--data', cluster.folder]);
      expect(whyVictim.stdout).toMatch(new RegExp(`vip \\(1000000\\) preempts .*${victim}.* on ${nominated}`));
      const whyPreemptor = await kubereel(['why', 'pod/vip', '--data', cluster.folder]);
      expect(whyPreemptor.stdout).toMatch(/preemption: room could be made on 3 nodes; node-[123] chosen: /);
      expect(whyPreemptor.stdout).toMatch(new RegExp(`→ ${nominated} +removes low-\\d`));
    });

    it('leaves everyone alone for a class that never preempts', async () => {
      await apply(pod('polite', '4', 'priorityClassName: high-priority-nonpreempting'));
      const message = await eventually(
        'polite was tried',
        async () => (await field('pod/polite', '.status.conditions[0].message')) || undefined,
      );
      expect(message).toContain('not eligible due to preemptionPolicy=Never.');
      await ok('delete', 'pod', 'polite', 'vip', '--timeout=60s');
      await ok('delete', 'pod', '-l', 'app=low', '--grace-period=0', '--force');
    });

    it('drains a node against a budget', async () => {
      await apply(web);
      await ok('rollout', 'status', 'deployment/web', '--timeout=60s');
      await eventually('the budget has been counted', async () => (await field('pdb/web', '.status.currentHealthy')) === '3');
      const node = await ok('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[0].spec.nodeName}');
      const refused = await kubectl('drain', node, '--timeout=3s', '--ignore-daemonsets');
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
      await ok('patch', 'pdb', 'web', '--type=merge', '-p', '{"spec":{"minAvailable":2}}');
      const drained = await kubectl('drain', node, '--timeout=60s', '--ignore-daemonsets');
      expect(drained.code, drained.stderr).toBe(0);
      expect(drained.stdout).toContain(`node/${node} drained`);
      expect(await ok('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[*].spec.nodeName}')).not.toContain(node);
      await ok('uncordon', node);
      expect(await ok('get', 'pdb')).toMatch(/web\s+2\s+N\/A\s+1/);
    });

    it('reads the past', async () => {
      const version = (await cluster.get('/api/v1/pods')).body.metadata.resourceVersion as string;
      await ok('delete', 'deployment', 'web');
      const server = cluster.ready()?.url as string;
      const past = await ok('--server', `${server}/at/${version}`, 'get', 'deployments');
      expect(past).toMatch(/web\s+\d\/3/);
    });
  });
}
