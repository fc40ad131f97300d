import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, findKubectl, kubereel, run, RunningCluster, type Output } from './running-cluster';

const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { mode: 'fast', 'app.conf': 'a=1\nb=2\n' } };

const counting = 'i=0; while true; do echo tick $i; i=$((i+1)); sleep 1; done';
/** A server beside a program that counts. */
const box = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'box', labels: { app: 'box' } },
  spec: {
    containers: [
      {
        name: 'main',
        image: 'nginx:1.14.2',
        ports: [{ containerPort: 80 }],
        env: [
          { name: 'GREETING', value: 'hello' },
          { name: 'MODE', valueFrom: { configMapKeyRef: { name: 'settings', key: 'mode' } } },
          { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
        ],
        volumeMounts: [{ name: 'config', mountPath: '/config' }],
        lifecycle: { postStart: { exec: { command: ['sh', '-c', 'echo Hello from the postStart handler > /usr/share/message'] } } },
      },
      { name: 'side', image: 'busybox', command: ['sh', '-c', `touch /tmp/healthy; ${counting}`] },
    ],
    volumes: [{ name: 'config', configMap: { name: 'settings' } }],
  },
};

const pod = (name: string, container: object, more: object = {}, annotations: Record<string, string> = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, annotations },
  spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'app', image: 'busybox', ...container }], ...more },
});
const sh = (script: string): object => ({ command: ['sh', '-c', script] });

for (const minor of ['1.33', '1.27']) {
  const binary = findKubectl(minor);
  if (!binary) console.warn(`\n*** kubectl ${minor} is not on PATH or beside it: ITS TESTS ARE SKIPPED ***\n`);

  describe.skipIf(!binary)(`looking at pods with kubectl ${minor}`, { timeout: 120_000 }, () => {
    let cluster: RunningCluster;
    const folder = mkdtempSync(join(tmpdir(), 'kubereel-looks-'));
    const kubectl = (args: string[], input?: string): Promise<Output> =>
      run(binary as string, args, { env: { KUBECONFIG: cluster.kubeconfig, HOME: folder }, input });
    const ok = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await kubectl(args);
      expect(code, `kubectl ${args.join(' ')}: ${stderr}`).toBe(0);
      return stdout.trimEnd();
    };
    const apply = async (...objects: object[]): Promise<void> => {
      const { code, stderr } = await kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
      expect(code, stderr).toBe(0);
    };
    const exec = (...command: string[]): Promise<string> => ok('exec', 'box', '-c', 'main', '--', ...command);
    /** `STATUS RESTARTS` as get shows them. */
    const shown = async (name: string): Promise<string> => {
      const [, ready = '', status = '', restarts = ''] = (await ok('get', 'pod', name, '--no-headers')).split(/ +/);
      return `${ready} ${status} ${restarts}`;
    };
    const comes = (name: string, expected: RegExp): Promise<unknown> =>
      eventually(`${name} is ${expected}`, async () => expected.test(await shown(name)));

    beforeAll(async () => {
      cluster = await RunningCluster.start(RunningCluster.temporaryFolder());
      await eventually('a node is Ready', async () => (await kubectl(['get', 'nodes', '--no-headers'])).stdout.includes(' Ready '));
      await apply(settings, box);
      await ok('wait', '--for=condition=Ready', 'pod/box', '--timeout=60s');
    });
    afterAll(async () => {
      await cluster?.stop();
      cluster?.remove();
      rmSync(folder, { recursive: true });
    });

    it('exec runs simple commands, and passes on what they end with', async () => {
      expect(await exec('echo', 'hi', 'there')).toBe('hi there');
      expect(await exec('hostname')).toBe('box');
      expect(await exec('cat', '/config/mode', '/config/app.conf')).toBe('fasta=1\nb=2');
      const env = await exec('env');
      expect(env).toMatch(/^PATH=\S+\nHOSTNAME=box\nGREETING=hello\nMODE=fast\nNODE=node-\d\n/);
      expect(env).toContain('\nKUBERNETES_SERVICE_HOST=10.0.0.1\n');
      expect(env).toContain('\nKUBERNETES_PORT_443_TCP=tcp://10.0.0.1:443\n');
      expect(await exec('sh', '-c', 'echo $GREETING from $(hostname)')).toBe('hello from box');
      const codes = [['true'], ['false'], ['sh', '-c', 'exit 4'], ['cat', '/nothing']].map((command) =>
        kubectl(['exec', 'box', '-c', 'main', '--', ...command]),
      );
      expect((await Promise.all(codes)).map(({ code }) => code)).toEqual([0, 1, 4, 1]);
      expect((await codes[3])?.stderr).toBe("cat: can't open '/nothing': No such file or directory\ncommand terminated with exit code 1\n");
      expect((await kubectl(['exec', '-i', 'box', '-c', 'main', '--', 'sh'], 'echo piped\nexit 5\n')).code).toBe(5);
    });

    it('exec finds what the container itself has written, and says what it cannot run', async () => {
      expect(await exec('cat', '/usr/share/message')).toBe('Hello from the postStart handler');
      expect(await ok('exec', 'box', '-c', 'side', '--', 'ls', '/tmp')).toBe('healthy');
      expect((await kubectl(['exec', 'box', '-c', 'main', '--', 'nosuch'])).stderr).toMatch(
        /failed to exec in container: failed to start exec "[0-9a-f]{64}": OCI runtime exec failed: exec failed: unable to start container process: exec: "nosuch": executable file not found in \$PATH: unknown\n$/,
      );
      expect((await kubectl(['exec', 'box', '-c', 'none', '--', 'true'])).stderr).toContain('container none is not valid for pod box');
      expect((await kubectl(['exec', 'none', '--', 'true'])).stderr).toContain('pods "none" not found');
    });

    it('containers of a pod reach each other by localhost', async () => {
      expect(await ok('exec', 'box', '-c', 'side', '--', 'wget', '-qO-', 'localhost')).toContain(
        'container main of pod default/box is simulated',
      );
      expect((await kubectl(['exec', 'box', '-c', 'side', '--', 'wget', '-qO-', 'localhost:81'])).code).toBe(1);
    });

    it('attach shows what comes, logs what came', async () => {
      await eventually('it counts', async () => (await ok('logs', 'box', '-c', 'side')).includes('tick 2'));
      await apply(pod('short', sh('echo begun; sleep 10; echo done'), { restartPolicy: 'Never' }));
      await eventually('it has begun', async () => (await kubectl(['logs', 'short'])).stdout.includes('begun'));
      const attached = ok('attach', 'short');
      expect(await attached).toMatch(/^done$/m);
      expect(await attached).not.toContain('begun');
      expect(await ok('logs', 'short')).toBe('begun\ndone');
      expect(await ok('logs', 'box', '--all-containers', '--prefix', '--tail=1')).toMatch(
        /^\[pod\/box\/main\] .* nothing runs in it.*\n\[pod\/box\/side\] tick \d+$/,
      );
      expect(await ok('logs', '-l', 'app=box', '-c', 'side', '--tail=2')).toMatch(/^tick \d+\ntick \d+$/);
      const recent = (await ok('logs', 'box', '-c', 'side', '--since=2s')).split('\n');
      expect(recent.length).toBeLessThanOrEqual(3);
      expect((await kubectl(['logs', 'box', '-c', 'side', '-p'])).stderr).toContain(
        'previous terminated container "side" in pod "box" not found',
      );
    });

    it('debug: a container in the pod, which stays there and as it is', async () => {
      const command = ['debug', 'box', '--image=busybox', '-c', 'helper', '--target=main', '-i', '--', 'sh', '-c', 'hostname; exit 3'];
      expect((await kubectl(command)).stdout).toMatch(/^box$/m);
      const state = '{.status.ephemeralContainerStatuses[0].state.terminated.exitCode}';
      await ok('wait', `--for=jsonpath=${state}=3`, 'pod/box', '--timeout=60s');
      expect(await ok('describe', 'pod', 'box')).toMatch(
        /\nEphemeral Containers:\n {2}helper:\n(?: {4}.*\n)+? {4}State: +Terminated\n {6}Reason: +Error\n/,
      );
      const change = { spec: { ephemeralContainers: [{ name: 'helper', image: 'alpine' }] } };
      const patched = await cluster.call('PATCH', '/api/v1/namespaces/default/pods/box/ephemeralcontainers', change, {
        'content-type': 'application/strategic-merge-patch+json',
      });
      expect(patched.code).toBe(422);
      expect(patched.body.message).toContain('existing ephemeral containers "helper" may not be changed');
      const edited = await kubectl([
        'patch',
        'pod',
        'box',
        '-p',
        JSON.stringify({ spec: { ephemeralContainers: [{ name: 'more', image: 'a' }] } }),
      ]);
      expect(edited.stderr).toContain('pod updates may not change fields other than');
    });

    it('debug: a copy of the pod, and a pod on a node', async () => {
      await ok('debug', 'box', '--image=busybox', '--copy-to=copied', '--share-processes', '-c', 'helper', '--', 'sleep', '600');
      await ok('wait', '--for=condition=Ready', 'pod/copied', '--timeout=60s');
      expect(
        await ok('get', 'pod', 'copied', '-o', 'jsonpath={.spec.shareProcessNamespace} {.spec.containers[*].name} {.metadata.labels}'),
      ).toBe('true main side helper');
      const onNode = await kubectl(['debug', 'node/node-2', '--image=busybox', '-i', '--', 'sh', '-c', 'hostname; cat /etc/hostname']);
      expect(onNode.stdout + onNode.stderr).toContain('with container debugger on node node-2.');
      expect(onNode.stdout).toMatch(/^node-2\nnode-2$/m);
      await ok('delete', 'pod', 'copied', '--now');
    });

    it('get and describe show each state', async () => {
      await apply(
        pod('completes', sh('echo well > /dev/termination-log'), { restartPolicy: 'Never' }),
        pod('fails', sh('echo no disk > /dev/termination-log; exit 3'), { restartPolicy: 'Never' }),
        pod('crashes', sh('exit 1')),
        pod(
          'no-image',
          { image: 'nowhere.example/app:1' },
          {},
          { 'kubereel.dev/images': 'nowhere.example/app:1 absent; always fails NotFound "no such image"' },
        ),
        pod('no-config', { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'absent', key: 'a' } } }] }),
        pod('no-volume', { volumeMounts: [{ name: 'v', mountPath: '/v' }] }, { volumes: [{ name: 'v', configMap: { name: 'absent' } }] }),
        pod('too-big', { resources: { requests: { cpu: '100' } } }),
        pod('eats', { image: 'nginx' }, { restartPolicy: 'Never' }, { 'kubereel.dev/runs': '1s oom' }),
        pod('not-ready', {
          image: 'nginx',
          readinessProbe: { exec: { command: ['cat', '/tmp/ready'] }, periodSeconds: 1 },
          ...sh('sleep 600'),
        }),
        pod('init-fails', {}, { initContainers: [{ name: 'first', image: 'busybox', ...sh('exit 2') }] }),
        pod('too-long', sh('sleep 600'), { activeDeadlineSeconds: 2 }),
      );
      await Promise.all([
        comes('completes', /^0\/1 Completed 0$/),
        comes('fails', /^0\/1 Error 0$/),
        comes('crashes', /^0\/1 CrashLoopBackOff [12]$/),
        comes('no-image', /^0\/1 (ErrImagePull|ImagePullBackOff) 0$/),
        comes('no-config', /^0\/1 CreateContainerConfigError 0$/),
        comes('no-volume', /^0\/1 ContainerCreating 0$/),
        comes('too-big', /^0\/1 Pending 0$/),
        comes('eats', /^0\/1 OOMKilled 0$/),
        comes('not-ready', /^0\/1 Running 0$/),
        comes('init-fails', /^0\/1 Init:CrashLoopBackOff [12]$/),
        comes('too-long', /^0\/1 Completed 0$/),
      ]);
      const described = async (name: string, ...texts: (string | RegExp)[]): Promise<void> => {
        await eventually(`what describes ${name}`, async () => {
          const text = await ok('describe', 'pod', name);
          return texts.every((each) => (typeof each === 'string' ? text.includes(each) : each.test(text)));
        });
      };
      await described('completes', /Status: +Succeeded/, /State: +Terminated\n +Reason: +Completed\n +Message: +well\n+ +Exit Code: +0/);
      await described('fails', /Status: +Failed/, /State: +Terminated\n +Reason: +Error\n +Message: +no disk\n+ +Exit Code: +3/);
      await described(
        'crashes',
        /State: +Waiting\n +Reason: +CrashLoopBackOff\n +Last State: +Terminated\n +Reason: +Error\n +Exit Code: +1/,
        'Back-off restarting failed container app in pod crashes_default',
      );
      await described('no-image', 'Failed to pull image "nowhere.example/app:1"', 'Back-off pulling image "nowhere.example/app:1"');
      await described('no-config', /Reason: +CreateContainerConfigError/, 'Error: configmap "absent" not found');
      await described('no-volume', 'MountVolume.SetUp failed for volume "v" : configmap "absent" not found');
      await described('too-big', /Warning +FailedScheduling .* 3 Insufficient cpu/);
      await described('eats', /Reason: +OOMKilled\n +Exit Code: +137/);
      await described('not-ready', /Ready +False/, /Warning +Unhealthy .*Readiness probe failed: cat: can't open '\/tmp\/ready'/);
      await described('init-fails', /Init Containers:\n {2}first:\n(?: {4}.*\n)+? {4}State: +Waiting\n +Reason: +CrashLoopBackOff/);
      await described('too-long', /Reason: +DeadlineExceeded\nMessage: +Pod was active on the node longer than the specified deadline/);
      expect(await ok('events', '--for', 'pod/no-config', '--types=Warning')).toMatch(
        /Warning +Failed +Pod\/no-config +Error: configmap "absent" not found/,
      );
      expect(await ok('get', 'events', '--field-selector', 'involvedObject.name=too-big', '--no-headers')).toContain('FailedScheduling');
    });

    it('wait waits for what comes', async () => {
      const waited = ok('wait', '--for=jsonpath={.status.phase}=Running', 'pod/no-config', '--timeout=60s');
      await apply({ ...settings, metadata: { name: 'absent' }, data: { a: '1' } });
      expect(await waited).toBe('pod/no-config condition met');
      const gone = ok('wait', '--for=delete', 'pod/not-ready', '--timeout=60s');
      await ok('delete', 'pod', 'not-ready', '--wait=false');
      expect(await gone).toBe('pod/not-ready condition met');
      expect((await kubectl(['wait', '--for=condition=Ready', 'pod/too-big', '--timeout=1s'])).stderr).toContain(
        'timed out waiting for the condition on pods/too-big',
      );
    });

    it('leaves a log that proves', async () => {
      await cluster.stop();
      const { code, stdout, stderr } = await kubereel(['verify', '--data', cluster.folder]);
      expect(code, stdout + stderr).toBe(0);
    });
  });
}
