import { mkdtempSync, rmSync } from 'node:fs';
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
      cluster = await RunningCluster.start(RunningCluster.temporaryFolder(), '--clock', 'x60', ...flags);
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
