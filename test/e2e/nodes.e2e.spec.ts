import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, findKubectl, kubereel, run, RunningCluster, type Output } from './running-cluster';

const tolerates = (seconds: number): object[] =>
  ['not-ready', 'unreachable'].map((key) => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: seconds,
  }));

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        tolerations: tolerates(30),
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'kubernetes.io/hostname',
            whenUnsatisfiable: 'ScheduleAnyway',
            labelSelector: { matchLabels: { app: 'web' } },
          },
        ],
        containers: [{ name: 'c', image: 'nginx' }],
      },
    },
  },
};

const binary = findKubectl('1.33') ?? findKubectl('1.27');
if (!binary) console.warn('\n*** no kubectl on PATH or beside it: THE TESTS OF NODES ARE SKIPPED ***\n');

for (const flags of [[], ['--split']]) {
  describe.skipIf(!binary)(`what befalls nodes of up ${flags.join(' ')}`, { timeout: 180_000 }, () => {
    let cluster: RunningCluster;
    const folder = mkdtempSync(join(tmpdir(), 'kubereel-nodes-'));
    const environment = (): Record<string, string> => ({ KUBECONFIG: cluster.kubeconfig, HOME: folder });
    const kubectl = (args: string[], input?: string): Promise<Output> => run(binary as string, args, { env: environment(), input });
    const ok = async (args: string[], input?: string): Promise<string> => {
      const { code, stdout, stderr } = await kubectl(args, input);
      expect(code, `kubectl ${args.join(' ')}: ${stderr}`).toBe(0);
      return stdout.trim();
    };
    const node = (...args: string[]): Promise<Output> => kubereel(['node', ...args], environment());
    const told = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await node(...args);
      expect(code, `kubereel node ${args.join(' ')}: ${stderr}`).toBe(0);
      return stdout.trim();
    };
    const ready = (name: string): Promise<string> =>
      ok(['get', 'node', name, '-o', 'jsonpath={.status.conditions[?(@.type=="Ready")].status}']);
    const readyIs = (name: string, status: string): Promise<true> =>
      eventually(`${name} is ${status}`, async () => ((await ready(name)) === status ? true : undefined));

    beforeAll(async () => {
      // Minutes of a cluster pass in seconds.
      cluster = await RunningCluster.start(
        RunningCluster.temporaryFolder(),
        '--clock',
        'x60',
        '--node-monitor-grace-period',
        '30s',
        ...flags,
      );
      await ok(['apply', '-f', '-'], JSON.stringify(deployment));
      await ok(['wait', '--for=condition=Available', 'deployment/web', '--timeout=60s']);
    });
    afterAll(async () => {
      await cluster?.stop();
      cluster?.remove();
      rmSync(folder, { recursive: true, force: true });
    });

    it('a node that fails becomes unknown, its pods are evicted and replaced; it recovers; why tells it; the log is proven', async () => {
      const pods = JSON.parse(await ok(['get', 'pods', '-l', 'app=web', '-o', 'json'])).items;
      const failed = pods[0].spec.nodeName as string;
      const name = pods[0].metadata.name as string;
      expect(await told('fail', failed)).toBe(`node/${failed} has failed`);
      await readyIs(failed, 'Unknown');
      await eventually('its pod is to go', async () => {
        const at = await ok(['get', 'pod', name, '--ignore-not-found', '-o', 'jsonpath={.metadata.deletionTimestamp}']);
        return at !== '' ? true : undefined;
      });
      const taints = await ok(['get', 'node', failed, '-o', 'jsonpath={range .spec.taints[*]}{.key}:{.effect} {end}']);
      expect(taints).toContain('node.kubernetes.io/unreachable:NoExecute');
      await ok(['wait', '--for=condition=Available', 'deployment/web', '--timeout=60s']);
      const events = await ok(['get', 'events', '-A', '-o', 'jsonpath={range .items[*]}{.reason} {end}']);
      expect(events).toContain('NodeNotReady');
      expect(events).toContain('TaintManagerEviction');
      const why = await kubereel(['why', `pod/${name}`], environment());
      expect(why.stdout + why.stderr).toContain(`node ${failed} is silent`);
      expect(await told('recover', failed)).toBe(`node/${failed} has recovered`);
      await readyIs(failed, 'True');
      await eventually('the evicted pod is gone', async () =>
        (await ok(['get', 'pod', name, '--ignore-not-found', '-o', 'name'])) === '' ? true : undefined,
      );
      await eventually('its taints are gone', async () =>
        (await ok(['get', 'node', failed, '-o', 'jsonpath={.spec.taints}'])) === '' ? true : undefined,
      );
    });

    it('a runtime that is not ready makes its node not ready; it is ready again once the runtime is', async () => {
      expect(await told('runtime', 'node-1', '--runtime', 'down')).toBe('node/node-1 has another runtime state');
      await readyIs('node-1', 'False');
      await told('recover', 'node-1');
      await readyIs('node-1', 'True');
    });

    it('nodes are added and drained', async () => {
      expect(await told('add', 'extra', '--cpu', '2', '--zone', 'zone-x')).toBe('node/extra added');
      await readyIs('extra', 'True');
      expect(await told('drain', 'extra')).toBe('node/extra drained');
      expect(await ok(['get', 'node', 'extra', '-o', 'jsonpath={.spec.unschedulable}'])).toBe('true');
    });

    it('a static pod runs as long as its file is there, whoever deletes its mirror', async () => {
      const file = join(folder, 'proxy.yaml');
      writeFileSync(file, 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: proxy\nspec:\n  containers:\n  - name: c\n    image: nginx\n');
      expect(await told('static', 'node-2', '--file', file)).toBe('node/node-2 has other static pods');
      const runs = (): Promise<string> =>
        eventually('the mirror shows that it runs', async () => {
          const uid = await ok(['get', 'pod', 'proxy-node-2', '--ignore-not-found', '-o', 'jsonpath={.status.phase} {.metadata.uid}']);
          return uid.startsWith('Running ') ? uid : undefined;
        });
      const first = await runs();
      await ok(['delete', 'pod', 'proxy-node-2', '--wait=false']);
      await eventually('another mirror is there', async () => ((await runs()) === first ? undefined : true));
      await told('static', 'node-2', '--remove', 'proxy.yaml');
      await eventually('the pod is gone', async () =>
        (await ok(['get', 'pod', 'proxy-node-2', '--ignore-not-found', '-o', 'name'])) === '' ? true : undefined,
      );
      writeFileSync(file, 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: proxy\nspec:\n  containers: []\n');
      expect((await node('static', 'node-2', '--file', file)).stderr).toContain('spec.containers: Required value');
      writeFileSync(file, 'kind: Service\n');
      expect((await node('static', 'node-2', '--file', file)).stderr).toContain('manifest has to be an object of kind Pod');
      expect((await node('static', 'node-2')).stderr).toContain('either --file or --remove');
    });

    it('a machine that begins anew starts its containers again; a new kubelet process alone does not', async () => {
      await ok(['run', 'lone', '--image=nginx', '--overrides', JSON.stringify({ spec: { nodeName: 'node-3' } })]);
      await ok(['wait', '--for=condition=Ready', 'pod/lone', '--timeout=60s']);
      const restarts = (): Promise<string> => ok(['get', 'pod', 'lone', '-o', 'jsonpath={.status.containerStatuses[0].restartCount}']);
      expect(await told('restart-kubelet', 'node-3')).toBe('node/node-3 has a new kubelet process');
      await readyIs('node-3', 'True');
      expect(await restarts()).toBe('0');
      expect(await told('reboot', 'node-3')).toBe('node/node-3 has been rebooted');
      await eventually('its container runs anew', async () => ((await restarts()) === '1' ? true : undefined));
      const last = await ok(['get', 'pod', 'lone', '-o', 'jsonpath={.status.containerStatuses[0].lastState.terminated.exitCode}']);
      expect(last).toBe('255');
    });

    it('a node that is short of memory says so and evicts; one that is shut down ends its pods', async () => {
      const pressed = (): Promise<string> =>
        ok(['get', 'node', 'node-3', '-o', 'jsonpath={.status.conditions[?(@.type=="MemoryPressure")].status}']);
      expect(await told('pressure', 'node-3', '--memory', '8100Mi')).toBe('node/node-3 has another load');
      await eventually('node-3 is under pressure', async () => ((await pressed()) === 'True' ? true : undefined));
      expect((await kubereel(['why', 'node/node-3'], environment())).stdout).toContain('memory');
      await told('pressure', 'node-3', '--memory', '0');
      await eventually('node-3 is well again', async () => ((await pressed()) === 'False' ? true : undefined));
      await ok(['run', 'last', '--image=nginx', '--overrides', JSON.stringify({ spec: { nodeName: 'node-3' } })]);
      await ok(['wait', '--for=condition=Ready', 'pod/last', '--timeout=60s']);
      expect(await told('shutdown', 'node-3', '--grace', '20', '--critical', '5')).toBe('node/node-3 is shutting down');
      await eventually('the pod has ended', async () => {
        const phase = await ok(['get', 'pod', 'last', '-o', 'jsonpath={.status.phase}']);
        return phase === 'Succeeded' ? true : undefined;
      });
      expect(await told('recover', 'node-3')).toBe('node/node-3 has recovered');
      await readyIs('node-3', 'True');
    });

    it('a mistake is told, and changes nothing', async () => {
      expect((await node('fail', 'nobody')).stderr).toContain('nodes "nobody" not found');
      expect((await node('explode', 'node-1')).stderr).toContain('there is no action "explode"');
      expect((await node('recover', 'node-1', '--memory', '3Gi')).stderr).toContain('node recover takes no --memory');
      expect((await node('pressure', 'node-1', '--memory', 'much')).stderr).toContain('--memory much: not a quantity');
      expect((await node('shutdown', 'node-1', '--grace', '5', '--critical', '10')).stderr).toContain('no more time than there is in all');
    });

    it('all of it can be decided once more', async () => {
      await cluster.stop();
      const { code, stdout, stderr } = await kubereel(['verify', '--data', cluster.folder]);
      expect(code, stdout + stderr).toBe(0);
    });
  });
}
