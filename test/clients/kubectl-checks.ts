import { strict as assert } from 'node:assert';
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import { join } from 'node:path';
import { eventually, plainEnvironment, run, type Output } from '../e2e/running-cluster';
import type { Surroundings } from './client';

/** One kubectl, on one cluster. */
export class Kubectl {
  constructor(
    private readonly binary: string,
    readonly surroundings: Surroundings,
  ) {}

  private get env(): Record<string, string> {
    return { KUBECONFIG: this.surroundings.cluster.kubeconfig, HOME: this.surroundings.folder, KUBECTL_EXTERNAL_DIFF: 'diff -u -N' };
  }

  try(...args: string[]): Promise<Output> {
    return run(this.binary, args, { env: this.env });
  }

  /** Its output, trimmed. @throws Error when it fails */
  async ok(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.try(...args);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
    return stdout.trim();
  }

  async okWithInput(input: string, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(this.binary, args, { env: this.env, input });
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
    return stdout.trim();
  }

  /** A manifest in a file. */
  file(manifest: unknown): string {
    const text = JSON.stringify(manifest);
    const path = join(this.surroundings.folder, `${createHash('sha1').update(text).digest('hex')}.json`);
    writeFileSync(path, text);
    return path;
  }

  field(object: string, path: string, ...more: string[]): Promise<string> {
    return this.ok('get', object, '-o', `jsonpath={${path}}`, ...more);
  }

  /** One that goes on; what it printed so far is in `lines`. */
  start(...args: string[]): { lines: string[]; child: ChildProcess; ended: Promise<number | null> } {
    const child = spawn(this.binary, args, { env: { ...plainEnvironment(), ...this.env }, stdio: ['ignore', 'pipe', 'pipe'] });
    const lines: string[] = [];
    let rest = '';
    child.stdout.on('data', (chunk: Buffer) => {
      const parts = (rest + chunk.toString()).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { lines, child, ended };
  }
}

const configMap = (name: string, data: Record<string, string>, labels?: Record<string, string>): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels },
  data,
});
const deployment = (name: string, replicas: number): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          { name: 'app', image: 'registry.example/app:1', ports: [{ containerPort: 8080 }], resources: { requests: { cpu: '50m' } } },
        ],
      },
    },
  },
});

/** What a user of kubectl does, command by command. */
export const checks: Record<string, (kubectl: Kubectl) => Promise<void>> = {
  'it knows the server and what it serves': async (kubectl) => {
    assert.match(await kubectl.ok('version'), /Server Version: .*v1\.34\.4/);
    assert.match(await kubectl.ok('api-resources'), /deployments +deploy +apps\/v1 +true +Deployment/);
    assert.match(await kubectl.ok('api-versions'), /^storage\.k8s\.io\/v1$/m);
    assert.match(await kubectl.ok('explain', 'deployment.spec.replicas'), /FIELD: +replicas <integer>/);
    assert.match(await kubectl.ok('get', 'nodes'), /node-1 +Ready +<none> +\S+ +v1\.34\.4/);
    assert.equal(await kubectl.ok('auth', 'can-i', 'create', 'pods'), 'yes');
    assert.match(await kubectl.ok('cluster-info'), /Kubernetes control plane.* is running at/);
  },
  'apply creates, changes, leaves alone, and diff shows what it would do': async (kubectl) => {
    const first = kubectl.file(configMap('applied', { a: '1', b: '1' }));
    assert.equal(await kubectl.ok('apply', '-f', first), 'configmap/applied created');
    assert.equal(await kubectl.ok('apply', '-f', first), 'configmap/applied unchanged');
    const second = kubectl.file(configMap('applied', { a: '2' }));
    const diff = await kubectl.try('diff', '-f', second);
    assert.equal(diff.code, 1, diff.stderr);
    assert.match(diff.stdout, /^- +a: "1"$/m);
    assert.match(diff.stdout, /^\+ +a: "2"$/m);
    assert.equal(await kubectl.ok('apply', '-f', second, '--dry-run=server'), 'configmap/applied configured (server dry run)');
    assert.equal(await kubectl.ok('apply', '-f', second), 'configmap/applied configured');
    assert.equal(await kubectl.field('cm/applied', '.data'), '{"a":"2"}');
  },
  'apply --server-side refuses what another manager owns, and takes it over by force': async (kubectl) => {
    const owned = (x: string): string => kubectl.file(configMap('owned', { x }));
    assert.equal(await kubectl.ok('apply', '--server-side', '-f', owned('1')), 'configmap/owned serverside-applied');
    const refused = await kubectl.try('apply', '--server-side', '--field-manager=other', '-f', owned('2'));
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /conflict with "kubectl": \.data\.x/);
    await kubectl.ok('apply', '--server-side', '--field-manager=other', '--force-conflicts', '-f', owned('2'));
    assert.equal(await kubectl.field('cm/owned', '.data.x'), '2');
  },
  'apply --prune removes what is no longer in the set': async (kubectl) => {
    const set = (...names: string[]): string =>
      kubectl.file({ apiVersion: 'v1', kind: 'List', items: names.map((name) => configMap(name, {}, { set: 'pruned' })) });
    await kubectl.ok('apply', '-f', set('kept', 'dropped'));
    const pruned = await kubectl.ok('apply', '-f', set('kept'), '--prune', '-l', 'set=pruned', '--prune-allowlist=core/v1/ConfigMap');
    assert.match(pruned, /^configmap\/dropped pruned$/m);
    assert.equal(await kubectl.ok('get', 'cm', '-l', 'set=pruned', '-o', 'name'), 'configmap/kept');
  },
  'patches of all three kinds, labels and annotations': async (kubectl) => {
    await kubectl.ok('create', 'configmap', 'patched', '--from-literal=a=1');
    await kubectl.ok('patch', 'cm', 'patched', '-p', '{"data":{"b":"2"}}');
    await kubectl.ok('patch', 'cm', 'patched', '--type=merge', '-p', '{"data":{"a":null}}');
    await kubectl.ok('patch', 'cm', 'patched', '--type=json', '-p', '[{"op":"add","path":"/data/c","value":"3"}]');
    assert.equal(await kubectl.field('cm/patched', '.data'), '{"b":"2","c":"3"}');
    assert.equal(await kubectl.ok('patch', 'cm', 'patched', '-p', '{"data":{"b":"2"}}'), 'configmap/patched patched (no change)');
    await kubectl.ok('label', 'cm', 'patched', 'tier=gold');
    const taken = await kubectl.try('label', 'cm', 'patched', 'tier=silver');
    assert.match(taken.stderr, /already has a value \(gold\)/);
    await kubectl.ok('annotate', 'cm', 'patched', 'note=seen');
    assert.equal(await kubectl.field('cm/patched', '.metadata.annotations.note'), 'seen');
    assert.equal(await kubectl.ok('get', 'cm', '-l', 'tier in (gold, silver)', '-o', 'name'), 'configmap/patched');
  },
  'lists come in pages, and columns as they are named': async (kubectl) => {
    const items = Array.from({ length: 25 }, (_, i) => configMap(`paged-${String(i).padStart(2, '0')}`, {}, { paged: 'yes' }));
    await kubectl.ok('create', '-f', kubectl.file({ apiVersion: 'v1', kind: 'List', items }));
    const names = (await kubectl.ok('get', 'cm', '-l', 'paged', '--chunk-size=10', '-o', 'name')).split('\n');
    assert.deepEqual(
      names,
      items.map((_, i) => `configmap/paged-${String(i).padStart(2, '0')}`),
    );
    assert.equal((await kubectl.ok('get', 'cm', '-l', 'paged', '--chunk-size=10', '--no-headers')).split('\n').length, 25);
    assert.equal(
      await kubectl.ok('get', 'cm', 'paged-03', '--no-headers', '-o', 'custom-columns=N:.metadata.name,L:.metadata.labels.paged'),
      'paged-03   yes',
    );
    assert.match(await kubectl.ok('delete', 'cm', '-l', 'paged'), /configmap "paged-24" deleted/);
    assert.equal(await kubectl.ok('get', 'cm', '-l', 'paged', '-o', 'name'), '');
  },
  'a deployment rolls out, scales, is changed and rolled back': async (kubectl) => {
    await kubectl.ok('apply', '-f', kubectl.file(deployment('web', 2)));
    assert.match(await kubectl.ok('rollout', 'status', 'deployment/web', '--timeout=60s'), /successfully rolled out/);
    await kubectl.ok('scale', 'deployment/web', '--replicas=3', '--current-replicas=2');
    await kubectl.ok('wait', '--for=jsonpath={.status.availableReplicas}=3', 'deployment/web', '--timeout=60s');
    await kubectl.ok('set', 'image', 'deployment/web', 'app=registry.example/app:2');
    await kubectl.ok('rollout', 'status', 'deployment/web', '--timeout=60s');
    assert.equal(await kubectl.field('deployment/web', '.spec.template.spec.containers[0].image'), 'registry.example/app:2');
    assert.match(await kubectl.ok('rollout', 'history', 'deployment/web'), /^2 +<none>$/m);
    await kubectl.ok('rollout', 'undo', 'deployment/web');
    await kubectl.ok('rollout', 'status', 'deployment/web', '--timeout=60s');
    assert.equal(await kubectl.field('deployment/web', '.spec.template.spec.containers[0].image'), 'registry.example/app:1');
    await kubectl.ok('rollout', 'restart', 'deployment/web');
    await kubectl.ok('rollout', 'status', 'deployment/web', '--timeout=60s');
    assert.match(await kubectl.ok('get', 'deployment', 'web'), /web +3\/3 +3 +3 /);
  },
  'get --watch shows what happens, as it happens': async (kubectl) => {
    const watch = kubectl.start('get', 'cm', '--watch', '-o', 'name');
    try {
      await eventually('the watch shows what is there', () => watch.lines.some((line) => line === 'configmap/kube-root-ca.crt'));
      const before = watch.lines.length;
      await kubectl.ok('create', 'configmap', 'watched');
      await kubectl.ok('label', 'cm', 'watched', 'seen=yes');
      await kubectl.ok('delete', 'cm', 'watched');
      const seen = await eventually('three events', () => (watch.lines.length >= before + 3 ? watch.lines.slice(before) : undefined));
      assert.deepEqual(seen, ['configmap/watched', 'configmap/watched', 'configmap/watched']);
    } finally {
      watch.child.kill();
      await watch.ended;
    }
  },
  'exec, with input, with an exit status': async (kubectl) => {
    assert.equal(await kubectl.ok('exec', 'deploy/web', '--', 'echo', 'hi there'), 'hi there');
    assert.equal(await kubectl.okWithInput('through cat', 'exec', '-i', 'deploy/web', '--', 'cat'), 'through cat');
    const failed = await kubectl.try('exec', 'deploy/web', '--', 'sh', '-c', 'echo out; exit 3');
    assert.equal(failed.code, 3);
    assert.equal(failed.stdout, 'out\n');
    assert.match(failed.stderr, /exit code 3/);
    const absent = await kubectl.try('exec', 'deploy/web', '--', 'nonsense');
    assert.notEqual(absent.code, 0);
    assert.match(absent.stderr, /executable file not found in \$PATH/);
  },
  'logs, followed until the pod goes': async (kubectl) => {
    assert.notEqual(await kubectl.ok('logs', 'deploy/web', '--tail=1'), '');
    const pod = await kubectl.ok('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[0].metadata.name}');
    const follow = kubectl.start('logs', '-f', pod);
    await eventually('the log begins', () => follow.lines.length > 0);
    await kubectl.ok('delete', 'pod', pod, '--wait=false');
    assert.equal(await follow.ended, 0);
  },
  'port-forward reaches a port that a container names': async (kubectl) => {
    const forward = kubectl.start('port-forward', 'deploy/web', ':8080');
    try {
      const port = await eventually('the port is forwarded', () => /127\.0\.0\.1:(\d+) -> 8080/.exec(forward.lines.join('\n'))?.[1]);
      const body = await new Promise<string>((resolve, reject) => {
        httpGet(`http://127.0.0.1:${port}/`, { agent: false }, (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => (text += chunk.toString()));
          response.on('end', () => resolve(text));
        }).on('error', reject);
      });
      assert.match(body, /its port 8080/);
    } finally {
      forward.child.kill();
      await forward.ended;
    }
  },
  'a node is cordoned, drained and given back': async (kubectl) => {
    await kubectl.ok('drain', 'node-2', '--timeout=60s');
    assert.match(await kubectl.ok('get', 'node', 'node-2'), /Ready,SchedulingDisabled/);
    assert.equal(await kubectl.ok('get', 'pods', '--field-selector=spec.nodeName=node-2', '-o', 'name'), '');
    await kubectl.ok('uncordon', 'node-2');
    await kubectl.ok('taint', 'node', 'node-2', 'a=b:NoSchedule');
    assert.equal(await kubectl.field('node/node-2', '.spec.taints[0].key'), 'a');
    await kubectl.ok('taint', 'node', 'node-2', 'a:NoSchedule-');
    await kubectl.ok('rollout', 'status', 'deployment/web', '--timeout=60s');
  },
  'events, and what describe tells of them': async (kubectl) => {
    const pod = await kubectl.ok('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[0].metadata.name}');
    assert.match(await kubectl.ok('describe', 'pod', pod), /Successfully assigned default\/web-/);
    assert.match(await kubectl.ok('events', '--for', `pod/${pod}`), /Scheduled/);
    assert.match(await kubectl.ok('describe', 'deployment', 'web'), /NewReplicaSet: +web-/);
  },
  'a namespace goes with all that is in it': async (kubectl) => {
    await kubectl.ok('create', 'namespace', 'passing');
    await kubectl.ok('-n', 'passing', 'create', 'configmap', 'inside');
    await kubectl.ok('-n', 'passing', 'apply', '-f', kubectl.file(deployment('inside', 1)));
    await kubectl.ok('delete', 'namespace', 'passing', '--timeout=60s');
    const gone = await kubectl.try('-n', 'passing', 'get', 'deployment', 'inside');
    assert.match(gone.stderr, /\(NotFound\): namespaces "passing" not found/);
    await kubectl.ok('delete', 'deployment', 'web', '--cascade=foreground', '--timeout=60s');
    assert.equal(await kubectl.ok('get', 'replicasets,pods', '-o', 'name'), '');
  },
};
