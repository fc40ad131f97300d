import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client, Missing } from './client';
import { here, namesIn, playProgram } from './program';
import { build, cacheFolder, onPath } from './toolchain';

const folder = join(here, 'rust');
export const kubeVersion = /name = "kube"\nversion = "(.+)"/.exec(readFileSync(join(folder, 'Cargo.lock'), 'utf8'))?.[1] ?? '';
export const rustNeeds = 'Cargo, crates.io';
export const takesLong = 'compiling kube-rs takes three minutes';

/** A program of the crate in test/clients/rust, compiled; Cargo knows what it has compiled before. */
export async function compileRust(name: 'checks' | 'operator'): Promise<{ binary: string } | Missing> {
  const cargo = onPath('cargo');
  if (!cargo) return { missing: 'cargo is not on PATH' };
  const target = cacheFolder('rust');
  const command = [cargo, 'build', '--quiet', '--release', '--locked', '--target-dir', target, '--bin', name];
  const failed = await build(`${name} in Rust`, command, { cwd: folder });
  return failed ?? { binary: join(target, 'release', name) };
}

export const rust: Client = {
  name: 'rust',
  command: 'rust',
  title: 'Rust: kube-rs',
  version: kubeVersion,
  needs: rustNeeds,
  onlyByName: takesLong,
  checks: namesIn('rust/src/main.rs', /^ {4}run\("(.+?)", /gm),
  async prepare() {
    const made = await compileRust('checks');
    if ('missing' in made) return made;
    return { version: kubeVersion, play: (surroundings) => playProgram([made.binary], surroundings) };
  },
};
