import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { loadPlugins } from '#apps/scheduler';
import { verify } from '#libs/audit';
import { readSchedulerConfig } from '../../apps/cli/src/up/scheduler-config';
import { SimulatedCluster } from '../../apps/cli/src/simulation/simulated-cluster';
import { controllerFactory } from '../../apps/cli/src/up/controllers';

const example = join(__dirname, '../../examples/scheduler-plugins');
const folder = mkdtempSync(join(tmpdir(), 'kubereel-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As docs/plugins.md says: types are taken away, and that is all. */
function compiled(format: 'cjs' | 'esm', change: (source: string) => string = (source) => source): string {
  const source = change(readFileSync(join(example, 'team-nodes.ts'), 'utf8'));
  const file = join(folder, `team-nodes-${Math.trunc(source.length)}.${format === 'cjs' ? 'cjs' : 'mjs'}`);
  writeFileSync(file, transformSync(source, { loader: 'ts', format }).code);
  return file;
}

async function play(file: string) {
  const { config } = await readSchedulerConfig(join(example, 'scheduler.yaml'), [file]);
  const cluster = await SimulatedCluster.create({
    nodes: { count: 3, cpu: '4', memory: '8Gi', pods: 110 },
    schedulerConfig: config,
    schedulerPlugins: loadPlugins([file]),
  });
  await cluster.executive.runFor(2_000);
  await cluster.writeAndSettle({
    verb: 'patch',
    target: { resource: 'nodes', name: 'node-3' },
    patchType: 'merge',
    patch: { metadata: { labels: { team: 'red' } } },
  });
  const create = (name: string, labels: Record<string, string>, more: object = {}) =>
    cluster.writeAndSettle({
      verb: 'create',
      resource: 'pods',
      namespace: 'default',
      object: { metadata: { name, namespace: 'default', labels }, spec: { containers: [{ name: 'c', image: 'app:1' }], ...more } } as never,
    });
  const pod = (name: string) => cluster.state.get('pods', 'default', name);
  return { cluster, create, pod };
}

describe('the example plugin of docs/plugins.md', () => {
  it('is the one that the page shows', () => {
    const page = readFileSync(join(__dirname, '../../docs/plugins.md'), 'utf8');
    const shown = /```ts\n(class TeamNodes[\s\S]*?)```/
      .exec(page)![1]!
      .split('\n')
      .filter((line) => line.trim() !== '');
    const known = new Set(readFileSync(join(example, 'team-nodes.ts'), 'utf8').split('\n'));
    expect(shown.length).toBeGreaterThan(15);
    expect(shown.filter((line) => !known.has(line))).toEqual([]);
  });

  it.each(['cjs', 'esm'] as const)('filters and scores in a simulation, compiled to %s', async (format) => {
    const { cluster, create, pod } = await play(compiled(format));
    await create('red', { team: 'red' });
    await create('other', {});
    await create('stuck', {}, { nodeSelector: { 'kubernetes.io/hostname': 'node-3' } });
    expect(pod('red')?.spec.nodeName).toBe('node-3');
    expect(['node-1', 'node-2']).toContain(pod('other')?.spec.nodeName);
    expect(pod('stuck')?.status.conditions[0].message).toContain('1 node(s) belonged to another team');
    // Its hint: a label that changes brings the pod back.
    await cluster.writeAndSettle({
      verb: 'patch',
      target: { resource: 'nodes', name: 'node-3' },
      patchType: 'merge',
      patch: { metadata: { labels: { team: null } } },
    });
    await cluster.executive.runFor(5_000);
    expect(pod('stuck')?.spec.nodeName).toBe('node-3');
    await cluster.close();
  });

  it('is part of what decisions are compared by: another version, or none, is not held against them', async () => {
    const file = compiled('cjs');
    const { cluster, create } = await play(file);
    await create('red', { team: 'red' });
    const report = async (plugins: string[]) =>
      verify({
        log: cluster.log,
        cluster: 'local',
        seed: cluster.runtime.seed,
        controllers: await controllerFactory({ schedulerPlugins: plugins }),
      });
    const same = await report([file]);
    expect(same).toMatchObject({ differ: 0, otherVersion: 0, notDerivable: 0 });
    const newer = compiled('cjs', (source) => source.replace("version = '1'", "version = '2.0'"));
    expect(await report([newer])).toMatchObject({ differ: 0, otherVersion: 1, notDerivable: 0 });
    expect(await report([])).toMatchObject({ differ: 0, notDerivable: 1 });
    await cluster.close();
  });

  it('is refused by name when its module is no such module', () => {
    const file = join(folder, 'empty.cjs');
    writeFileSync(file, 'exports.plugins = {};');
    expect(() => loadPlugins([file])).toThrow(/empty\.cjs: exports no "registry"/);
    writeFileSync(join(folder, 'bad.cjs'), 'exports.registry = { A: 1 };');
    expect(() => loadPlugins([join(folder, 'bad.cjs')])).toThrow(/registry\.A is no function/);
    expect(() => loadPlugins([join(folder, 'absent.cjs')])).toThrow(/absent\.cjs: Cannot find module/);
  });
});
