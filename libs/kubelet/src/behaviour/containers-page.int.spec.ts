import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { conditionOf } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import { SimulatedCluster, startOfTime } from '../simulated-cluster.fixture';
import { behaviourOf, containerKeys } from './container-annotations';
import { podBehaviourOf, podKeys } from './pod-annotations';
import { profiles } from './profiles';

const page = readFileSync(join(__dirname, '../../../../docs/containers.md'), 'utf8');
const section = (title: string): string => page.split(/^## /m).find((part) => part.startsWith(title)) ?? '';
const rows = (title: string): string[][] =>
  [...section(title).matchAll(/^\| (.*) \|$/gm)]
    .map(([, row]) => (row as string).split(' | '))
    .filter(([first]) => !/^-|^[A-Z]/.test(first ?? ''));
const code = (cell: string | undefined): string => /^`(.*)`$/.exec(cell ?? '')?.[1] ?? '';

const ofContainers = ['Runs', 'Probes, hooks and commands', 'Resources', 'Failures'].flatMap(rows);
const ofPods = rows('Around the containers');

function podWith(key: string, value: string, more: Record<string, string> = {}): KubeObject {
  const annotations = { ...more, [`kubereel.dev/${key}`]: value };
  return { metadata: { name: 'p', uid: 'u', creationTimestamp: '', annotations } } as KubeObject;
}

const plain = { metadata: { name: 'p', uid: 'u', creationTimestamp: '' } } as KubeObject;
const does = (pod: KubeObject) => behaviourOf(pod, { name: 'app' }, 'main', { startupMs: 300, onTerm: 'exit' });

describe('the page of containers', () => {
  it.each(ofContainers.map(([key, example]) => [code(key), code(example)]))('%s: %s is read', (key = '', example = '') => {
    // How often something fails needs what it fails with.
    const more = key.endsWith('-times') ? { [`kubereel.dev/${key.slice(0, -'-times'.length)}`]: 'no' } : {};
    expect(does(podWith(key, example, more))).not.toEqual(does({ ...plain, metadata: { ...plain.metadata, annotations: more } }));
  });

  it.each(ofPods.map(([key, example]) => [code(key), code(example)]))('%s: %s is read', (key = '', example = '') => {
    const more = key.endsWith('-times') ? { [`kubereel.dev/${key.slice(0, -'-times'.length)}`]: 'no' } : {};
    expect(podBehaviourOf(podWith(key, example, more))).not.toEqual(
      podBehaviourOf({ ...plain, metadata: { ...plain.metadata, annotations: more } }),
    );
  });

  it('has every key that there is, and every profile', () => {
    const named = ofContainers.map(([key]) => code(key).split('.', 1)[0] as string);
    expect([...new Set([...named, 'profile'])].sort()).toEqual([...containerKeys].sort());
    expect(ofPods.map(([key]) => code(key)).sort()).toEqual([...podKeys].sort());
    expect(
      rows('Profiles')
        .map(([name]) => code(name))
        .sort(),
    ).toEqual(Object.keys(profiles).sort());
  });

  it('has an example that goes as it says', async () => {
    const [, text = ''] = /```yaml\n([^]*?)```/.exec(section('An example')) ?? [];
    const { metadata, spec } = parse(text) as KubeObject;
    const cluster = await SimulatedCluster.start();
    await cluster.node('n1', { taints: [] });
    await cluster.run(0);
    await cluster.pod({ name: metadata.name, spec: { nodeName: 'n1', ...spec }, annotations: metadata.annotations });
    const seen: string[][] = [];
    const expected = rows('An example');
    for (const [after = ''] of expected) {
      await cluster.simulation.executive.runUntil(startOfTime + Number.parseInt(after) * 1_000);
      const pod = cluster.get(metadata.name) as KubeObject;
      const statuses = (pod.status?.containerStatuses ?? []) as { restartCount: number; state: Record<string, { reason?: string }> }[];
      const status = statuses[0]!;
      const [[state, { reason }]] = Object.entries(status.state) as [[string, { reason?: string }]];
      const shown = reason === undefined ? state : `${state} ${reason}`;
      seen.push([after, pod.status?.phase as string, conditionOf(pod, 'Ready')?.status ?? '', String(status.restartCount), shown]);
    }
    expect(seen).toEqual(expected);
    expect(expected.length).toBeGreaterThan(2);
  });
});
