import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningCluster } from '../e2e/running-cluster';
import type { Outcomes, Surroundings } from './client';
import { outcomesOf } from './outcomes';
import { runGently } from './toolchain';

/** Where the programs of the tests stand. */
export const here = __dirname;

/** How long a program in another language may take for all its checks. */
const programMs = 10 * 60_000;

/** What such a program finds in its environment. */
export function environmentOf({ cluster, line, folder }: Surroundings): Record<string, string> {
  return {
    KUBECONFIG: cluster.kubeconfig,
    LINE_KUBECONFIG: kubeconfigThrough(cluster, line.port, folder),
    LINE: line.controlUrl,
    FOLDER: folder,
    HOME: folder,
  };
}

/** Runs a program that says of each check what came of it. One that ends otherwise than it should fails with all that it said. */
export async function playProgram(
  command: readonly string[],
  surroundings: Surroundings,
  more: { env?: Record<string, string>; cwd?: string } = {},
): Promise<Outcomes> {
  const { code, stdout, stderr } = await runGently(command, {
    cwd: more.cwd ?? here,
    env: { ...environmentOf(surroundings), ...more.env },
    timeoutMs: programMs,
    hasClaim: true,
  });
  const outcomes = outcomesOf(stdout);
  if (code !== 0 && [...outcomes.values()].every((why) => why === undefined)) {
    throw new Error(`${command[0]} ended with ${code}:\n${stdout.slice(-4000)}\n${stderr.slice(-4000)}`);
  }
  return outcomes;
}

/** The kubeconfig of the cluster, with its server on another port of this machine. */
export function kubeconfigThrough(cluster: RunningCluster, port: number, folder: string): string {
  const text = readFileSync(cluster.kubeconfig, 'utf8');
  const { url } = cluster.ready() ?? {};
  if (!url || !text.includes(`"${url}"`)) throw new Error(`the kubeconfig does not name ${url}`);
  const file = join(folder, 'line.kubeconfig');
  writeFileSync(file, text.replace(`"${url}"`, `"https://127.0.0.1:${port}"`));
  return file;
}

/** The names of the checks of a program, as they stand in its source. */
export function namesIn(source: string, pattern: RegExp): string[] {
  return [...readFileSync(join(here, source), 'utf8').matchAll(pattern)].map(([, name = '']) => name);
}
