// Plays recorded scenarios against a whole (small) cluster: applied through the API's write path, decided by the scheduler app, and the
// log of it verified.
import type { KubeObject } from '#libs/kernel';
import { AppliedCluster } from './applied-cluster';
import { compareEvents, compareStored } from './compare-events';
import { sampleOf, type SampledScenario } from './sample';

export interface ThroughTheCluster {
  /** By file: scenarios decided as recorded, of those played. */
  files: Map<string, { agreed: number; played: number }>;
  /** Each difference, with its file and scenario. */
  differences: string[];
  /** Why scenarios were left out, and how many. */
  left: Map<string, number>;
  /** Decisions of the logs, made again. */
  verified: { agreed: number; differ: number; notDerivable: number };
}

/** A sample of so many scenarios, the same each time. */
export async function playThroughTheCluster(dir: string, count: number): Promise<ThroughTheCluster> {
  const { scenarios, left } = sampleOf(dir, count);
  const result: ThroughTheCluster = { files: new Map(), differences: [], left, verified: { agreed: 0, differ: 0, notDerivable: 0 } };
  for (const sampled of scenarios) {
    const differences = await differencesThroughTheCluster(sampled, result.verified);
    const counts = result.files.get(sampled.file) ?? { agreed: 0, played: 0 };
    result.files.set(sampled.file, { agreed: counts.agreed + (differences.length === 0 ? 1 : 0), played: counts.played + 1 });
    result.differences.push(...differences);
  }
  return result;
}

/** What differs: in what was stored, in what was decided, and when the log is verified. */
export async function differencesThroughTheCluster(
  { file, scenario }: SampledScenario,
  verified?: ThroughTheCluster['verified'],
): Promise<string[]> {
  const differences: string[] = [];
  const differ = (what: string, expected: unknown, actual: unknown): void => {
    differences.push(`${file} ${scenario.name}: ${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
  };
  const cluster = await AppliedCluster.of(scenario);
  for (const pod of [...(scenario.pods ?? []), scenario.pod as KubeObject])
    compareStored(pod, cluster.get('pods', pod.metadata.namespace, pod.metadata.name), differ);
  for (const node of scenario.nodes ?? []) compareStored(node, cluster.get('nodes', undefined, node.metadata.name), differ);
  for (const budget of (scenario['pdbs'] as KubeObject[] | undefined) ?? []) {
    compareStored(budget, cluster.get('poddisruptionbudgets.policy', budget.metadata.namespace, budget.metadata.name), differ);
  }
  compareEvents(scenario, await cluster.schedule(), differ);
  const report = await cluster.verify();
  for (const { text } of [...report.findings, ...report.unproven]) differ('verify', 'agreement', text);
  if (verified) {
    verified.agreed += report.agreed;
    verified.differ += report.differ;
    verified.notDerivable += report.notDerivable + report.otherVersion;
  }
  return differences;
}

/** As `playThroughTheCluster`, told line by line. */
export async function tellThroughTheCluster(
  dir: string,
  count: number,
  out: (line: string) => void,
): Promise<{ passed: number; failed: number }> {
  const { files, differences, left, verified } = await playThroughTheCluster(dir, count);
  for (const line of differences) out(`  ${line}`);
  let passed = 0;
  let failed = 0;
  for (const [file, { agreed, played }] of files) {
    passed += agreed;
    failed += played - agreed;
    out(`${file}: ${agreed} of ${played} scenarios agree`);
  }
  out(`verify: ${verified.agreed} decisions agreed, ${verified.differ} differ, ${verified.notDerivable} not derivable`);
  for (const [reason, number] of left) out(`left out: ${number}: ${reason}`);
  return { passed, failed };
}
