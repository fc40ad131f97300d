import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, findKubectl, kubereel, run, RunningCluster, type Output } from './running-cluster';

const waitsFor = (service: string): string =>
  `until nslookup ${service}.$(cat /var/run/secrets/kubernetes.io/serviceaccount/namespace).svc.cluster.local; do echo waiting for ${service}; sleep 2; done`;

const myapp = `apiVersion: v1
kind: Pod
metadata:
  name: myapp-pod
  labels:
    app: myapp
spec:
  containers:
  - name: myapp-container
    image: busybox:1.28
    command: ['sh', '-c', 'echo The app is running! && sleep 3600']
  initContainers:
  - name: init-myservice
    image: busybox:1.28
    command: ['sh', '-c', "${waitsFor('myservice')}"]
  - name: init-mydb
    image: busybox:1.28
    command: ['sh', '-c', "${waitsFor('mydb')}"]
`;

const service = (name: string, targetPort: number): string => `---
apiVersion: v1
kind: Service
metadata:
  name: ${name}
spec:
  ports:
  - protocol: TCP
    port: 80
    targetPort: ${targetPort}
`;

const hello = `apiVersion: batch/v1
kind: Job
metadata:
  name: hello
spec:
  template:
    spec:
      containers:
      - name: hello
        image: busybox
        command: ['sh', '-c', 'echo "Hello, Kubernetes!" && sleep 3600']
      restartPolicy: OnFailure
`;

const gated = `apiVersion: v1
kind: Pod
metadata: {name: gated}
spec:
  readinessGates:
  - conditionType: "www.example.com/feature-1"
  containers: [{name: app, image: nginx:1.14.2}]
`;

const spread = (keys: string[], more = ''): string => `kind: Pod
apiVersion: v1
metadata: {name: mypod, labels: {foo: bar}}
spec:
  topologySpreadConstraints:
${keys.map((key) => `  - {maxSkew: 1, topologyKey: ${key}, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {foo: bar}}}`).join('\n')}
${more}
  containers: [{name: pause, image: "k8s.gcr.io/pause:3.1"}]
`;

const notInZoneC = `  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: NotIn, values: [zoneC]}]}]`;

for (const minor of ['1.33', '1.27']) {
  const binary = findKubectl(minor);
  if (!binary) console.warn(`\n*** kubectl ${minor} is not on PATH or beside it: ITS TESTS ARE SKIPPED ***\n`);

  describe.skipIf(!binary)(`the guide to pods, by kubectl ${minor}`, { timeout: 120_000 }, () => {
    let cluster: RunningCluster;
    const folder = mkdtempSync(join(tmpdir(), 'kubereel-guide-'));
    const kubectl = (...args: string[]): Promise<Output> =>
      run(binary as string, args, { env: { KUBECONFIG: cluster.kubeconfig, HOME: folder } });
    const ok = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await kubectl(...args);
      expect(code, `kubectl ${args.join(' ')}: ${stderr}`).toBe(0);
      return stdout.trim();
    };
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const field = (object: string, path: string): Promise<string> => ok('get', object, '-o', `jsonpath={${path}}`);
    const nodeOf = (pod: string): Promise<string> => field(`pod/${pod}`, '.spec.nodeName');

    beforeAll(async () => {
      cluster = await RunningCluster.start(RunningCluster.temporaryFolder(), '--nodes', '5');
      await eventually(
        'five nodes are Ready',
        async () => (await kubectl('get', 'nodes', '--no-headers')).stdout.split('\n').filter((line) => / Ready /.test(line)).length === 5,
      );
    });
    afterAll(async () => {
      await cluster?.stop();
      cluster?.remove();
      rmSync(folder, { recursive: true });
    });

    it('init containers wait for two Services, one after the other; then the pod runs', async () => {
      const pod = file('myapp.yaml', myapp);
      expect(await ok('apply', '-f', pod)).toBe('pod/myapp-pod created');
      await eventually('the first waits', async () =>
        (await kubectl('logs', 'myapp-pod', '-c', 'init-myservice')).stdout.includes('waiting'),
      );
      expect(await ok('get', '-f', pod)).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE\nmyapp-pod +0\/1 +Init:0\/2 +0 +\d+s$/);
      const described = await ok('describe', '-f', pod);
      expect(described).toMatch(/^Name: +myapp-pod\nNamespace: +default\n/);
      expect(described).toMatch(/\nLabels: +app=myapp\n/);
      expect(described).toMatch(/\nStatus: +Pending\n/);
      expect(described).toMatch(/\n {2}init-myservice:\n(?: {4}.*\n)+? {4}State: +Running\n/);
      for (const name of ['init-mydb', 'myapp-container'])
        expect(described).toMatch(
          new RegExp(`\\n  ${name}:\\n(?:    .*\\n)+?    State: +Waiting\\n      Reason: +PodInitializing\\n    Ready: +False\\n`),
        );
      const events = described.slice(described.indexOf('\nEvents:'));
      expect(events).toMatch(/Normal +Scheduled +\S+ +default-scheduler +Successfully assigned default\/myapp-pod to node-\d/);
      expect(events).toMatch(/Normal +Pulling +\S+ +kubelet +Pulling image "busybox:1.28"/);
      expect(events).toMatch(/Normal +Pulled +\S+ +kubelet +Successfully pulled image "busybox:1.28"/);
      expect(events).toMatch(/Normal +Created +\S+ +kubelet +Created container: init-myservice/);
      expect(events).toMatch(/Normal +Started +\S+ +kubelet +Started container init-myservice/);
      expect((await kubectl('logs', 'myapp-pod', '-c', 'init-mydb')).stderr).toContain(
        'container "init-mydb" in pod "myapp-pod" is waiting to start: PodInitializing',
      );

      const services = file('services.yaml', service('myservice', 9376) + service('mydb', 9377));
      expect(await ok('apply', '-f', services)).toBe('service/myservice created\nservice/mydb created');
      await ok('wait', '--for=condition=Ready', '-f', pod, '--timeout=60s');
      expect(await ok('get', '-f', pod, '--no-headers')).toMatch(/^myapp-pod +1\/1 +Running +0 +\d+s$/);
      expect(await ok('logs', 'myapp-pod', '-c', 'init-mydb')).toContain('mydb.default.svc.cluster.local');
      expect(await ok('logs', 'myapp-pod')).toBe('The app is running!');
      await ok('delete', '-f', pod, '--now');
    });

    it('a Job starts one container, which says hello and pauses', async () => {
      await ok('apply', '-f', file('hello.yaml', hello));
      await ok('wait', '--for=jsonpath={.status.ready}=1', 'job/hello', '--timeout=60s');
      expect(await ok('logs', 'job/hello')).toBe('Hello, Kubernetes!');
      expect(await ok('get', 'pods', '-l', 'job-name=hello', '--no-headers')).toMatch(/^hello-\w{5} +1\/1 +Running +0 /);
      await ok('delete', 'job', 'hello');
    });

    it('a pod with a readiness gate is ready once somebody says so', async () => {
      await ok('apply', '-f', file('gated.yaml', gated));
      const condition = (type: string): Promise<string> => field('pod/gated', `.status.conditions[?(@.type=="${type}")].status`);
      await ok('wait', '--for=condition=ContainersReady', 'pod/gated', '--timeout=60s');
      expect(await condition('Ready')).toBe('False');
      expect(await ok('get', 'pod', 'gated', '-o', 'wide', '--no-headers')).toMatch(/^gated +1\/1 +Running .* 0\/1$/);
      const said = { status: { conditions: [{ type: 'www.example.com/feature-1', status: 'True' }] } };
      await ok('patch', 'pod', 'gated', '--subresource=status', '-p', JSON.stringify(said));
      await ok('wait', '--for=condition=Ready', 'pod/gated', '--timeout=60s');
      expect(await ok('get', 'pod', 'gated', '-o', 'wide', '--no-headers')).toMatch(/ 1\/1$/);
      await ok('delete', 'pod', 'gated', '--now');
    });

    it('a pod is replaced by another under its name; by force it is gone at once', async () => {
      const slow = ['--image=nginx', '--annotations=kubereel.dev/on-term=ignore'];
      await ok('run', 'same', ...slow);
      await ok('wait', '--for=condition=Ready', 'pod/same', '--timeout=60s');
      const first = await field('pod/same', '.metadata.uid');
      await ok('delete', 'pod', 'same', '--wait=false');
      expect(await ok('get', 'pod', 'same', '--no-headers')).toMatch(/^same +1\/1 +Terminating /);
      expect(await ok('describe', 'pod', 'same')).toMatch(/\nStatus: +Terminating \(lasts .*\)\nTermination Grace Period: +30s\n/);
      expect((await kubectl('run', 'same', ...slow)).stderr).toContain('already exists');
      const forced = await kubectl('delete', 'pod', 'same', '--grace-period=0', '--force');
      expect(forced.stderr).toContain('Immediate deletion does not wait for confirmation that the running resource has been terminated.');
      await ok('run', 'same', ...slow);
      expect(await field('pod/same', '.metadata.uid')).not.toBe(first);
      await ok('delete', 'pod', 'same', '--now');
    });

    it('pods are spread over zones and nodes as the constraints say', async () => {
      for (const [number, zone] of ['zoneA', 'zoneA', 'zoneB', 'zoneB'].entries())
        await ok('label', 'node', `node-${number + 1}`, `node=node${number + 1}`, `zone=${zone}`);
      const held = (name: string, node: string): string =>
        `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "${name}", "labels": {"foo": "bar"}}, "spec": {"nodeName": "${node}", "containers": [{"name": "c", "image": "nginx"}]}}`;
      for (const number of [1, 2, 3]) await ok('apply', '-f', file(`p${number}.json`, held(`p${number}`, `node-${number}`)));
      const place = async (text: string): Promise<string> => {
        await ok('apply', '-f', file('mypod.yaml', text));
        await ok('wait', '--for=condition=PodScheduled', 'pod/mypod', '--timeout=60s');
        const node = await nodeOf('mypod');
        await ok('delete', 'pod', 'mypod', '--now');
        return node;
      };
      expect(await place(spread(['zone']))).toMatch(/^node-[34]$/);
      expect(await place(spread(['node']))).toBe('node-4');
      expect(await place(spread(['zone', 'node']))).toBe('node-4');
      // A zone that the pod may not go to does not count.
      await ok('label', 'node', 'node-5', 'node=node5', 'zone=zoneC');
      expect(await place(spread(['zone'], notInZoneC))).toMatch(/^node-[34]$/);
      expect(await place(spread(['zone']))).toBe('node-5');
      // Two constraints that no node meets: three nodes, pods 2 and 3 as in the second picture.
      await ok('delete', 'pod', 'p2', 'p3', '--now');
      await ok('label', 'node', 'node-4', 'node-5', 'node-', 'zone-');
      for (const [name, node] of [
        ['p2', 'node-1'],
        ['p3', 'node-2'],
        ['p4', 'node-3'],
        ['p5', 'node-3'],
      ] as const)
        await ok('apply', '-f', file(`${name}.json`, held(name, node)));
      await ok('apply', '-f', file('mypod.yaml', spread(['zone', 'node'])));
      await ok('wait', '--for=condition=PodScheduled=false', 'pod/mypod', '--timeout=60s');
      expect(await ok('describe', 'pod', 'mypod')).toContain("node(s) didn't match pod topology spread constraints");
      expect(await nodeOf('mypod')).toBe('');
      await ok('delete', 'pod', 'mypod', 'p1', 'p2', 'p3', 'p4', 'p5', '--now');
    });

    it('leaves a log that proves', async () => {
      await cluster.stop();
      const { code, stdout, stderr } = await kubereel(['verify', '--data', cluster.folder]);
      expect(code, stdout + stderr).toBe(0);
    });
  });
}
