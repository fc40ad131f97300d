import { findKubectl, run } from '../e2e/running-cluster';
import type { Client } from './client';
import { checks, Kubectl } from './kubectl-checks';
import { runChecks } from './outcomes';

/** Released with the clusters that people still have; the newest understands 1.34 as the neighbour that it is. */
export const kubectlMinors = ['1.27', '1.28', '1.29', '1.30', '1.31', '1.32', '1.33'];

/** What `kubectl version --client` says, such as `v1.33.1`. */
async function versionOf(binary: string): Promise<string> {
  const { stdout } = await run(binary, ['version', '--client', '--output=json']);
  return (JSON.parse(stdout) as { clientVersion: { gitVersion: string } }).clientVersion.gitVersion;
}

export const kubectls: Client[] = kubectlMinors.map((minor) => ({
  name: `kubectl-${minor}`,
  command: 'kubectl',
  title: `kubectl ${minor}`,
  family: 'kubectl',
  version: minor,
  needs: '`kubectl.MINOR` on PATH, or beside `kubectl`',
  checks: Object.keys(checks),
  async prepare() {
    const binary = findKubectl(minor);
    if (!binary) return { missing: 'it is not on PATH or beside kubectl' };
    const version = await versionOf(binary);
    if (!version.startsWith(`v${minor}.`)) throw new Error(`${binary} is ${version}`);
    return { version, play: (surroundings) => runChecks(checks, new Kubectl(binary, surroundings)) };
  },
}));
