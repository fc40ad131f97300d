import { eventually, kubereel, RunningCluster } from '../e2e/running-cluster';
import { gracesLost } from './check-graces';
import { contradictions, type CheckOptions } from './check-answers';
import { livesOf, type Life } from './history';
import { runLoad, seeded } from './load';
import { Recorder, type Operation } from './recorded-operation';
import { timesGoneBack, WallClock } from './wall-clock';
import { Watcher } from './watcher';

export interface WholeWritesOptions {
  rounds: number;
  clients: number;
  seed: number;
  /** Further flags of `kubereel up`: `--split`. */
  flags: string[];
  /** Set the wall clock forward and back meanwhile. */
  setClock?: boolean;
  /** Leave the data folder. */
  keep?: boolean;
}

export interface TortureReport {
  operations: number;
  /** Answers by verb and code: `delete 404`. */
  answers: Record<string, number>;
  problems: string[];
  /** Last line of `kubereel verify`, and its exit code. */
  verified: string;
  verifyCode: number;
  folder: string;
}

const pods = '/api/v1/namespaces/default/pods';
const configMaps = '/api/v1/namespaces/default/configmaps';

/** Creates and deletes under contention, live; then every answer is held against the history that a watch has seen. */
export async function tortureWholeWrites(options: WholeWritesOptions): Promise<TortureReport> {
  const folder = RunningCluster.temporaryFolder();
  const wallClock = options.setClock ? new WallClock(folder) : undefined;
  const cluster = await RunningCluster.startIn(wallClock?.environment ?? {}, folder, '--nodes', '10', ...options.flags);
  try {
    const from = (await cluster.get(pods)).body.metadata.resourceVersion as string;
    const watchers = { pods: new Watcher(() => cluster, pods, from), configmaps: new Watcher(() => cluster, configMaps, from) };
    const recorder = new Recorder(() => cluster);
    wallClock?.disturb(seeded(options.seed));
    await runLoad(recorder, options);
    wallClock?.rest();
    const problems = await settle(cluster, watchers);
    Object.values(watchers).forEach((watcher) => watcher.close());
    await cluster.stop();
    problems.push(...judge(recorder.operations, watchers));
    if (!options.flags.includes('--ephemeral')) problems.push(...(await gracesLost(folder)));
    if (wallClock) problems.push(...(await timesGoneBack(folder, options.flags.includes('--split'))));
    return {
      ...(await verify('--data', folder)),
      operations: recorder.operations.length,
      answers: countAnswers(recorder.operations),
      problems,
      folder,
    };
  } finally {
    wallClock?.rest();
    await cluster.stop();
    if (!options.keep) cluster.remove();
  }
}

/** Waits until every deleted pod has gone and the watches have seen what a list shows. */
export async function settle(cluster: RunningCluster, watchers: Record<'pods' | 'configmaps', Watcher>): Promise<string[]> {
  const stuck = async (): Promise<string[]> =>
    (await cluster.pods()).filter(({ metadata }) => metadata.deletionTimestamp).map(({ metadata }) => metadata.name as string);
  const problems: string[] = [];
  await eventually('deleted pods go', async () => (await stuck()).length === 0).catch(async () =>
    problems.push(`deleted pods stay: ${(await stuck()).join(', ')}`),
  );
  for (const [resource, watcher] of Object.entries(watchers)) {
    const path = resource === 'pods' ? pods : configMaps;
    // Listed anew each time: a write whose client gave up may still have come through after the first list.
    const listed = async (): Promise<boolean> => sameNow(watcher, resource, (await cluster.get(path)).body);
    await eventually(`the watch of ${resource} shows what the list has`, listed).catch(() =>
      problems.push(`the watch of ${resource} does not end at what the list shows`),
    );
  }
  return problems;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
function sameNow(watcher: Watcher, resource: string, list: any): boolean {
  const living = [...livesOf(resource, watcher.frames).values()].flatMap((lives) =>
    lives.filter(({ deletedAt }) => deletedAt === Infinity),
  );
  const versions = living.map(({ versions }) => versions[versions.length - 1]?.from).sort();
  const before = list.items.filter(({ metadata }: { metadata: { name: string } }) => metadata.name !== 'kube-root-ca.crt');
  return (
    JSON.stringify(versions) ===
    JSON.stringify(before.map((item: { metadata: { resourceVersion: string } }) => Number(item.metadata.resourceVersion)).sort())
  );
}

export function judge(operations: readonly Operation[], watchers: Record<string, Watcher>, options: CheckOptions = {}): string[] {
  const lives = new Map<string, Life[]>();
  for (const [resource, watcher] of Object.entries(watchers)) {
    for (const [key, ofKey] of livesOf(resource, watcher.frames)) lives.set(key, ofKey);
  }
  return contradictions(operations, lives, options);
}

export async function verify(...place: string[]): Promise<Pick<TortureReport, 'verified' | 'verifyCode'>> {
  const { code, stdout, stderr } = await kubereel(['verify', ...place]);
  return { verified: `${stdout}${stderr}`.trim(), verifyCode: code };
}

export function countAnswers(operations: readonly Operation[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { verb, code } of operations) counts[`${verb} ${code}`] = (counts[`${verb} ${code}`] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}
