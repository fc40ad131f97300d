import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client, Missing } from './client';
import { here, namesIn, playProgram } from './program';
import { build, cacheFolder, onPath } from './toolchain';

const folder = join(here, 'go');
const requirements = readFileSync(join(folder, 'go.mod'), 'utf8');

/** The version at which the module is required, such as `v0.34.4`. */
export function versionIn(goMod: string, module: string): string {
  const line = goMod.split('\n').find((text) =>
    text
      .trim()
      .replace(/^require /, '')
      .startsWith(`${module} v`),
  );
  return /v\S+/.exec(line?.split(module)[1] ?? '')?.[0] ?? '';
}

/** A program of the module in test/clients/go, compiled; the compiler itself knows what it has compiled before. */
export async function compileGo(name: string, goPackage: string, flags: readonly string[] = []): Promise<{ binary: string } | Missing> {
  const go = onPath('go');
  if (!go) return { missing: 'go is not on PATH' };
  const key = createHash('sha256').update(requirements).digest('hex').slice(0, 16);
  const binary = join(cacheFolder(`go-${key}`), name);
  const isPinned = goPackage.includes('.') && !goPackage.startsWith('.');
  if (isPinned && existsSync(binary)) return { binary };
  return (await build(name, [go, 'build', '-o', binary, ...flags, goPackage], { cwd: folder })) ?? { binary };
}

const clientGo = versionIn(requirements, 'k8s.io/client-go');
const controllerRuntime = versionIn(requirements, 'sigs.k8s.io/controller-runtime');

function goClient(name: string, title: string, env: Record<string, string>): Client {
  return {
    name,
    command: 'go',
    title,
    version: `${clientGo.slice(1)}, ${controllerRuntime.slice(1)}${name === 'go' ? '' : ' (watching instead of listing)'}`,
    family: 'Go: client-go, controller-runtime',
    needs: "go 1.24 or later, Go's module proxy",
    checks: namesIn('go/clientgo/main.go', /\{Name: "(.+)", Try: /g),
    async prepare() {
      const made = await compileGo('clientgo', './clientgo');
      if ('missing' in made) return made;
      return { version: clientGo, play: (surroundings) => playProgram([made.binary], surroundings, { env }) };
    },
  };
}

export const goClients: readonly Client[] = [
  goClient('go', 'Go: client-go and controller-runtime', {}),
  // The default from 0.35 on.
  goClient('go-watch-list', 'Go: client-go and controller-runtime, their informers by WatchList', { KUBE_FEATURE_WatchListClient: 'true' }),
];
export const helmVersion = versionIn(requirements, 'helm.sh/helm/v3');
