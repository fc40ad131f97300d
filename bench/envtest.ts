import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { EnvtestSuite, type SuiteRun } from '../test/clients/envtest';
import { median, type Figure } from './figure';

const runs = 5;

/**
 * The operator's suite of test/clients, once with the files of `kubereel envtest-assets` and once with the real binaries: a folder with
 * kube-apiserver, etcd and kubectl, which a developer who has one names in `REAL_ENVTEST_ASSETS`. Their runs take turns.
 */
export async function benchEnvtest(): Promise<Figure[]> {
  const suite = new EnvtestSuite();
  try {
    const missing = await suite.prepare();
    if (missing) throw new Error(missing.missing);
    const assets: [place: string, folder: string][] = [['kubereel', suite.assets]];
    const real = process.env.REAL_ENVTEST_ASSETS;
    if (real !== undefined) assets.push(['the real binaries', realAssets(real)]);
    else console.log('  REAL_ENVTEST_ASSETS names no folder: there is nothing beside it');
    const taken = assets.map(([place]) => ({ place, starts: [] as number[], wholes: [] as number[] }));
    for (let i = 0; i < runs; i++)
      for (const [at, [, folder]] of assets.entries()) {
        const began = performance.now();
        const run = await suite.run({ KUBEBUILDER_ASSETS: folder });
        taken[at]?.starts.push(startMs(run));
        taken[at]?.wholes.push(performance.now() - began);
      }
    return taken.flatMap(({ place, starts, wholes }) => [
      { name: `an environment of envtest started, ${place}`, value: median(starts), unit: 'ms', load: `median of ${runs}` },
      { name: `an operator's suite, ${place}`, value: median(wholes) / 1_000, unit: 's', load: `median of ${runs}, from start to stop` },
    ]);
  } finally {
    suite.remove();
  }
}

function realAssets(folder: string): string {
  const absent = ['kube-apiserver', 'etcd', 'kubectl'].filter((name) => !existsSync(join(folder, name)));
  if (absent.length > 0)
    throw new Error(`REAL_ENVTEST_ASSETS: there is no ${absent.join(', no ')} in ${folder}, only ${readdirSync(folder).join(', ')}`);
  return folder;
}

/** @throws when the suite did not pass: what failed early was quick too */
function startMs({ code, stdout, stderr }: SuiteRun): number {
  const took = /environment started in (\d+) ms/.exec(stdout);
  if (code !== 0 || !took) throw new Error(`the suite ended with ${code}\n${stdout.slice(-2_000)}\n${stderr.slice(-2_000)}`);
  return Number(took[1]);
}
