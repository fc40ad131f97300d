// Which recorded scenarios are put into a cluster: single pods, and nothing that the API does not serve or would change.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseKinds } from '#libs/kube-api';
import type { KubeObject } from '#libs/kernel';
import type { Scenario } from '../scenario';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

export interface SampledScenario {
  file: string;
  scenario: Scenario;
}

export interface Sample {
  scenarios: SampledScenario[];
  /** Why the others cannot be played this way, with their number. */
  left: Map<string, number>;
}

/** Lists of a scenario, by the resource that the API must serve for them. */
const needed: readonly (readonly [string, string])[] = [
  ['replicationControllers', 'replicationcontrollers'],
  ['replicaSets', 'replicasets.apps'],
  ['statefulSets', 'statefulsets.apps'],
  ['persistentVolumes', 'persistentvolumes'],
  ['persistentVolumeClaims', 'persistentvolumeclaims'],
  ['storageClasses', 'storageclasses.storage.k8s.io'],
  ['csiNodes', 'csinodes.storage.k8s.io'],
];

const served = new Set<string>(releaseKinds.all.filter((kind) => kind.served).map((kind) => kind.groupResource));
/** Admission tolerates these for every pod, which recorded pods do not. */
const toleratedByAdmission = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']);

/** The same scenarios each time: from every file evenly, and evenly over each. */
export function sampleOf(dir: string, count: number): Sample {
  const left = new Map<string, number>();
  const byFile: SampledScenario[][] = [];
  for (const file of readdirSync(dir)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()) {
    const usable: SampledScenario[] = [];
    for (const line of readFileSync(join(dir, file), 'utf8').split('\n')) {
      if (line === '') continue;
      const scenario = JSON.parse(line) as Scenario;
      if (scenario.pod === undefined) continue;
      const obstacle = obstacleOf(scenario);
      if (obstacle === undefined) usable.push({ file, scenario });
      else left.set(obstacle, (left.get(obstacle) ?? 0) + 1);
    }
    if (usable.length > 0) byFile.push(usable);
  }
  return { scenarios: spread(byFile, count), left };
}

/** Files with few scenarios give all they have; the others share the rest. */
function spread(byFile: readonly SampledScenario[][], count: number): SampledScenario[] {
  const picked: SampledScenario[] = [];
  const ascending = [...byFile].sort((a, b) => a.length - b.length);
  for (const [index, usable] of ascending.entries()) {
    const share = Math.min(usable.length, Math.floor((count - picked.length) / (ascending.length - index)));
    for (let i = 0; i < share; i++) picked.push(usable[Math.floor((i * usable.length) / share)] as SampledScenario);
  }
  return picked;
}

function obstacleOf(scenario: Scenario): string | undefined {
  for (const [list, resource] of needed) {
    if (((scenario[list] as unknown[] | undefined) ?? []).length > 0 && !served.has(resource)) return `the API does not serve ${resource}`;
  }
  const pods = [...(scenario.pods ?? []), scenario.pod as KubeObject];
  const taints = (scenario.nodes ?? []).flatMap(({ spec }) => (spec?.taints as { key: string; effect: string }[] | undefined) ?? []);
  if (taints.some(({ key, effect }) => effect === 'NoExecute' && toleratedByAdmission.has(key)))
    return 'admission tolerates a taint that the recorded pods do not';
  if ((scenario.nodes ?? []).some(repeatsTaint)) return 'the API refuses a taint that a node has twice';
  return waitsBehindOthers(scenario) ?? namesUnknownNamespaces(scenario, pods);
}

function repeatsTaint({ spec }: KubeObject): boolean {
  const taints = ((spec?.taints as Loose[] | undefined) ?? []).map(({ key, effect }) => `${key}:${effect}`);
  return new Set(taints).size < taints.length;
}

/** Other pending pods count by their nomination only; a running scheduler would try those of higher priority first. */
function waitsBehindOthers({ pods = [], pod }: Scenario): string | undefined {
  const priority = (pod?.spec?.priority as number | undefined) ?? 0;
  const isAhead = pods.some(({ spec }) => !spec?.nodeName && ((spec?.priority as number | undefined) ?? 0) >= priority);
  return isAhead ? 'other pending pods would be tried first' : undefined;
}

/** Where a recording has no Namespace objects, selectors of namespaces would find those that the API needs. */
function namesUnknownNamespaces(scenario: Scenario, pods: readonly KubeObject[]): string | undefined {
  const known = new Set(((scenario['namespaces'] as KubeObject[] | undefined) ?? []).map(({ metadata }) => metadata.name));
  const isUnknown = pods.some(({ metadata }) => !known.has(metadata.namespace ?? ''));
  const selects = isUnknown && pods.some(({ spec }) => JSON.stringify(spec?.affinity ?? {}).includes('"namespaceSelector":{"'));
  return selects ? 'selects namespaces that the recording does not have' : undefined;
}
