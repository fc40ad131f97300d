import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from './client';
import { here, namesIn, playProgram } from './program';
import { build, cacheFolder, onPath } from './toolchain';

const folder = join(here, 'rust');
const version = /name = "kube"\nversion = "(.+)"/.exec(readFileSync(join(folder, 'Cargo.lock'), 'utf8'))?.[1] ?? '';

export const rust: Client = {
  name: 'rust',
  command: 'rust',
  title: 'Rust: kube-rs',
  version,
  needs: 'Cargo, crates.io',
  onlyByName: 'compiling kube-rs takes three minutes',
  checks: namesIn('rust/src/main.rs', /^ {4}run\("(.+?)", /gm),
  async prepare() {
    const cargo = onPath('cargo');
    if (!cargo) return { missing: 'cargo is not on PATH' };
    const target = cacheFolder('rust');
    const command = [cargo, 'build', '--quiet', '--release', '--locked', '--target-dir', target];
    const failed = await build('the Rust client', command, { cwd: folder });
    if (failed) return failed;
    return { version, play: (surroundings) => playProgram([join(target, 'release', 'checks')], surroundings) };
  },
};
