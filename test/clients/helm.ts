import type { Client } from './client';
import { compileGo, helmVersion } from './go';
import { checks as installing, Helm } from './helm-checks';
import { definitionChecks } from './helm-definitions-checks';
import { runChecks } from './outcomes';

const checks = { ...installing, ...definitionChecks };

/** Compiled from its sources beside the programs of client-go: what both are made of is compiled once. */
export const helm: Client = {
  name: 'helm',
  command: 'helm',
  title: 'Helm 3',
  version: helmVersion.slice(1),
  needs: "go 1.24 or later, Go's module proxy",
  checks: Object.keys(checks),
  async prepare() {
    const made = await compileGo('helm', 'helm.sh/helm/v3/cmd/helm', [
      '-ldflags',
      `-X helm.sh/helm/v3/internal/version.version=${helmVersion}`,
    ]);
    if ('missing' in made) return made;
    return { version: helmVersion, play: (surroundings) => runChecks(checks, new Helm(made.binary, surroundings)) };
  },
};
