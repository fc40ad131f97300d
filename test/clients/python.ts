import { existsSync, readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Client } from './client';
import { here, namesIn, playProgram } from './program';
import { build, cacheFolder, onPath } from './toolchain';

const requirements = join(here, 'python', 'requirements.txt');
const pins = readFileSync(requirements, 'utf8');
const version = /^kubernetes==(.+)$/m.exec(pins)?.[1] ?? '';
/** The client's own floor is 3.6; its dependencies' newest is this. */
const pythonMinorMin = 10;

export const python: Client = {
  name: 'python',
  command: 'python',
  title: 'Python: kubernetes',
  version,
  needs: `python3 (3.${pythonMinorMin} or later) with venv, PyPI`,
  checks: namesIn('python/checks.py', /^@check\("(.+)"\)$/gm),
  async prepare() {
    const python3 = onPath('python3');
    if (!python3) return { missing: 'python3 is not on PATH' };
    const old = await build('python', [
      python3,
      '-c',
      `import sys, venv, ensurepip; assert sys.version_info >= (3, ${pythonMinorMin})`,
    ]).catch(() => ({ missing: `python3 is older than 3.${pythonMinorMin}, or has no venv` }));
    if (old) return old;
    // Another set of pins is another environment.
    const environment = join(cacheFolder('python'), createHash('sha256').update(pins).digest('hex').slice(0, 16));
    const interpreter = join(environment, 'bin', 'python');
    const made = existsSync(interpreter) ? undefined : await build('venv', [python3, '-m', 'venv', environment]);
    const installed =
      made ?? (await build('the Python client', [interpreter, '-m', 'pip', 'install', '--quiet', '--requirement', requirements]));
    return installed ?? { version, play: (surroundings) => playProgram([interpreter, 'python/checks.py'], surroundings) };
  },
};
