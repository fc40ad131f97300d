import { join } from 'node:path';
import { CliError } from '../cli-error';
import { listenError } from '../up/port-check';
import { startInOneProcess } from '../up/one-process';
import type { RunningControlPlane } from '../up/running-control-plane';
import { stopOnSignal } from '../up/stop-on-signal';
import { allOf, readFlags, type GivenFlags } from './component-flags';
import { endWithParent } from './end-with-parent';
import { dataDirPath } from './etcd';
import names from './kube-apiserver-flags.json';
import { servedPlan } from './served-as';
import { warningsOf } from './flag-warnings';

/**
 * Serves as the kube-apiserver that a test suite starts, with the flags that it gives.
 * @throws CliError for flags that are off, and where it cannot listen
 */
export async function serveAsKubeApiserver(words: readonly string[]): Promise<void> {
  const given = readFlags('kube-apiserver', names, words);
  for (const warning of warningsOf(given)) process.stderr.write(`kube-apiserver: ${warning}\n`);
  const plan = await servedPlan(given, await folderFor(given, process.env), process.env);
  const { host, port } = plan.options.apiserver as { host: string; port: number };
  let running: RunningControlPlane;
  try {
    running = await startInOneProcess(plan);
  } catch (error) {
    throw listenError(error, host, port) ?? error;
  }
  process.stdout.write(`kubereel: serving as kube-apiserver at ${host}:${running.port}; the log is in ${plan.folder}\n`);
  running.onLost((error) => {
    process.stderr.write(`kube-apiserver: ${error.message}\n`);
    process.exit(1);
  });
  endWithParent(stopOnSignal(running));
}

/** Where the cluster is kept: in the folder of its etcd, so that it is there again when the API server alone is restarted. */
async function folderFor(given: GivenFlags, { KUBEREEL_KEEP: keep }: NodeJS.ProcessEnv): Promise<string> {
  if (keep !== undefined && keep !== '') return join(keep, `kube-apiserver-${process.pid}`);
  const [server] = allOf(given, 'etcd-servers');
  if (server === undefined) throw new CliError('kube-apiserver: --etcd-servers must be specified');
  const response = await fetch(new URL(dataDirPath, server)).catch(() => undefined);
  const { dataDir } = (response?.ok ? await response.json() : {}) as { dataDir?: string };
  if (dataDir !== undefined) return join(dataDir, 'kubereel');
  throw new CliError(
    `kube-apiserver: ${server} is no etcd of kubereel's`,
    'Both files come from one folder: kubereel envtest-assets FOLDER. Or name a folder for the log: KUBEREEL_KEEP=FOLDER',
  );
}
