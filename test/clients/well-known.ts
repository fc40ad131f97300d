import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findKubectl } from '../e2e/running-cluster';
import type { Client, Missing } from './client';
import { Kubectl } from './kubectl-checks';
import { runChecks } from './outcomes';
import { onPath, runGently } from './toolchain';
import { checks, type Definitions } from './well-known-checks';

const kubectlMinor = '1.33';
/** Where operators publish their definitions, and in which folder of it. */
const modules = {
  certManager: ['github.com/cert-manager/cert-manager', 'v1.19.1', 'deploy/crds'],
  prometheus: ['github.com/prometheus-operator/prometheus-operator', 'v0.85.0', 'example/prometheus-operator-crd'],
} as const;

/** A module as its proxy has it; Go itself keeps it and holds it to its checksum. */
async function downloaded(go: string, [module, version, folder]: readonly [string, string, string]): Promise<string[] | Missing> {
  const { code, stdout, stderr } = await runGently([go, 'mod', 'download', '-json', `${module}@${version}`]);
  const { Dir: root, Error: why } = JSON.parse(stdout || '{}') as { Dir?: string; Error?: string };
  if (code !== 0 || root === undefined) return { missing: `${module} cannot be had without Go's proxy: ${why ?? stderr}` };
  const files = readdirSync(join(root, folder)).filter((name) => name.endsWith('.yaml'));
  return files.map((name) => join(root, folder, name));
}

/** Definitions that many clusters have, as their makers publish them. */
export const wellKnown: Client = {
  name: 'well-known',
  command: 'well-known',
  title: 'kubectl, with the definitions of cert-manager and the Prometheus operator',
  version: Object.values(modules)
    .map(([, version]) => version.slice(1))
    .join(', '),
  needs: `\`kubectl.${kubectlMinor}\` on PATH, or beside \`kubectl\`; go 1.24 or later, Go's module proxy`,
  checks: Object.keys(checks),
  async prepare() {
    const [go, binary] = [onPath('go'), findKubectl(kubectlMinor)];
    if (!go || !binary) return { missing: `${go ? `kubectl ${kubectlMinor}` : 'go'} is not on PATH` };
    const [certManager, prometheus] = [await downloaded(go, modules.certManager), await downloaded(go, modules.prometheus)];
    if ('missing' in certManager) return certManager;
    if ('missing' in prometheus) return prometheus;
    const definitions: Definitions = { certManager, prometheus };
    return {
      version: this.version,
      play: (surroundings) => runChecks(checks, { kubectl: new Kubectl(binary, surroundings), definitions }),
    };
  },
};
