import { spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { plainEnvironment } from '../e2e/running-cluster';
import type { Missing } from './client';

/** Where clients are built and kept between runs. Nothing of it belongs into the repository. */
export const cache =
  process.env.KUBEREEL_CLIENTS_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'kubereel', 'clients');

/** A folder of the cache, made when it is not there. */
export function cacheFolder(name: string): string {
  const folder = join(cache, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The file that a command's name stands for, or undefined when nobody on PATH is called so. */
export function onPath(name: string): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      continue;
    }
  }
  return undefined;
}

export interface Told {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end, whatever that is, with the lowest claim on the processor: other tests wait for it otherwise. */
export function runGently(
  command: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; timeoutMs?: number; hasClaim?: boolean } = {},
): Promise<Told> {
  const [program = '', ...args] = !options.hasClaim && onPath('nice') ? ['nice', '-n', '10', ...command] : command;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: { ...plainEnvironment(), ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const told: Told = { code: null, stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (told.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (told.stderr += chunk.toString()));
    const overdue = setTimeout(
      () => {
        told.stderr += `\nstill running after ${options.timeoutMs} ms: killed`;
        // With all that it started.
        if (child.pid) process.kill(-child.pid, 'SIGKILL');
      },
      options.timeoutMs ?? 20 * 60_000,
    );
    child.on('error', (error) => (told.stderr += error.message));
    child.on('close', (code) => {
      clearTimeout(overdue);
      resolve({ ...told, code });
    });
  });
}

/** How package managers say that they reach nobody. */
const unreachable =
  /dial tcp|lookup \S+ on|no such host|i\/o timeout|TLS handshake timeout|Could not transfer artifact|Unknown host|Max retries exceeded|Failed to establish a new connection|Temporary failure in name resolution|Could not find a version that satisfies|Could not resolve host|spurious network error|network failure/i;

/** Builds or downloads. Without a network the client is missing; any other failure is one. */
export async function build(
  what: string,
  command: readonly string[],
  options: Parameters<typeof runGently>[1] = {},
): Promise<Missing | undefined> {
  const { code, stdout, stderr } = await runGently(command, options);
  if (code === 0) return undefined;
  const end = `${stdout}\n${stderr}`.trim().split('\n').slice(-30).join('\n');
  if (unreachable.test(end)) return { missing: `${what} cannot be had without its registry: ${end.split('\n').at(-1)}` };
  throw new Error(`${what} cannot be made: ${command.join(' ')}\n${end}`);
}
