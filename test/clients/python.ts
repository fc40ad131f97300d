import { existsSync, readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Client, Missing } from './client';
import { here, namesIn, playProgram } from './program';
import { build, cacheFolder, onPath } from './toolchain';

const requirements = join(here, 'python', 'requirements.txt');
/** The client's own floor is 3.6; its dependencies' newest is this. */
const pythonMinorMin = 10;
export const pythonNeeds = `python3 (3.${pythonMinorMin} or later) with venv, PyPI`;

/** The version at which a file pins a package. */
export function pinnedVersion(pinned: string, name: string): string {
  return new RegExp(`^${name}==(.+)$`, 'm').exec(readFileSync(pinned, 'utf8'))?.[1] ?? '';
}

const version = pinnedVersion(requirements, 'kubernetes');

/** A Python that has the packages which a file pins. */
export async function pythonWith(pinned: string): Promise<{ interpreter: string } | Missing> {
  const python3 = onPath('python3');
  if (!python3) return { missing: 'python3 is not on PATH' };
  const old = await build('python', [
    python3,
    '-c',
    `import sys, venv, ensurepip; assert sys.version_info >= (3, ${pythonMinorMin})`,
  ]).catch(() => ({ missing: `python3 is older than 3.${pythonMinorMin}, or has no venv` }));
  if (old) return old;
  // Another set of pins is another environment.
  const environment = join(cacheFolder('python'), createHash('sha256').update(readFileSync(pinned, 'utf8')).digest('hex').slice(0, 16));
  const interpreter = join(environment, 'bin', 'python');
  const made = existsSync(interpreter) ? undefined : await build('venv', [python3, '-m', 'venv', environment]);
  const installed = made ?? (await build('packages of Python', [interpreter, '-m', 'pip', 'install', '--quiet', '--requirement', pinned]));
  return installed ?? { interpreter };
}

export const python: Client = {
  name: 'python',
  command: 'python',
  title: 'Python: kubernetes',
  version,
  needs: pythonNeeds,
  checks: namesIn('python/checks.py', /^@check\("(.+)"\)$/gm),
  async prepare() {
    const found = await pythonWith(requirements);
    if ('missing' in found) return found;
    return { version, play: (surroundings) => playProgram([found.interpreter, 'python/checks.py'], surroundings) };
  },
};
