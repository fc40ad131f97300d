import { eventually, RunningCluster } from '../e2e/running-cluster';
import { gracesLost } from './check-graces';
import { runLoad, seeded } from './load';
import { Recorder } from './recorded-operation';
import { countAnswers, judge, settle, verify, type TortureReport } from './whole-writes';
import { Watcher } from './watcher';

export interface KillsOptions {
  kills: number;
  /** Kill one app after the other, at random, instead of `up` itself; its supervisor starts it again. */
  apps?: boolean;
  clients: number;
  seed: number;
  flags: string[];
  /** Leave the data folder. */
  keep?: boolean;
}

/** Time between a start and the next `kill -9`, ms: as likely in a start as in the middle of the work. */
const aliveMsMax = 1_500;
const replicasMax = 40;
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const merge = { 'content-type': 'application/merge-patch+json' };

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** `up` is killed with -9 under load, in the middle of cascades, and started again; nothing that was acknowledged may be missing. */
export async function tortureKills(options: KillsOptions): Promise<TortureReport> {
  const folder = RunningCluster.temporaryFolder();
  const chance = seeded(options.seed);
  const start = (): Promise<RunningCluster> => RunningCluster.start(folder, ...options.flags);
  let cluster = await start();
  try {
    const from = (await cluster.get('/api/v1/pods')).body.metadata.resourceVersion as string;
    const watch = (path: string): Watcher => new Watcher(() => cluster, `/api/v1/namespaces/default/${path}`, from);
    const watchers = { pods: watch('pods'), configmaps: watch('configmaps') };
    const recorder = new Recorder(() => cluster);
    await cluster.create(deployments, cascade(1));
    let over = false;
    const load = runLoad(recorder, { ...options, rounds: Infinity, until: () => over });
    const scaling = (async () => {
      while (!over) {
        await cluster.call('PATCH', `${deployments}/cascade`, { spec: { replicas: chance(replicasMax) } }, merge).catch(() => undefined);
        await pause(200);
      }
    })();
    for (let kill = 0; kill < options.kills; kill++) {
      await pause(chance(aliveMsMax));
      if (options.apps) await killOne(cluster, chance);
      else {
        await cluster.stop('SIGKILL');
        cluster = await start();
      }
    }
    over = true;
    await Promise.all([load, scaling]);
    const problems = await settle(cluster, watchers);
    Object.values(watchers).forEach((watcher) => watcher.close());
    await cluster.stop();
    problems.push(...(await gracesLost(folder)));
    problems.push(...judge(recorder.operations, watchers, { troubled: true }));
    const { operations } = recorder;
    return { ...(await verify('--data', folder)), operations: operations.length, answers: countAnswers(operations), problems, folder };
  } finally {
    await cluster.stop();
    if (!options.keep) cluster.remove();
  }
}

/** Resolves when the app is back. */
async function killOne(cluster: RunningCluster, chance: (bound: number) => number): Promise<void> {
  const apps = Object.entries(cluster.ready()?.apps ?? {});
  const [name, pid] = apps[chance(apps.length)] as [string, number];
  process.kill(pid, 'SIGKILL');
  await eventually(`${name} has come back`, () => cluster.ready()?.apps[name] !== pid);
}

function cascade(replicas: number): object {
  const labels = { app: 'cascade' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'app:1' }], terminationGracePeriodSeconds: 1 } };
  return { metadata: { name: 'cascade' }, spec: { replicas, selector: { matchLabels: labels }, template } };
}
