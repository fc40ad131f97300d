// A fresh, ephemeral server of ours for one session (or one chain of sessions that continue each other).
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import type { Target } from './client';

/** Which of our apps stand for what ran beside the recorded API server. Admission and eviction are parts of a real one. */
const appsFor: Readonly<Record<string, readonly string[]>> = {
  apiserver: ['apiserver', 'priority-admission', 'pdb-controller/eviction'],
  scheduler: ['scheduler'],
  'controller-manager': ['controller-manager', 'pdb-controller'],
  // Played by the player: see stand-in-kubelet.ts.
  'stand-in kubelet': [],
  kwok: [],
};

/** Throws when the header names something unknown. */
export function appsOf(runs: string): string[] {
  const apps = new Set<string>();
  for (const part of runs.split('+')) {
    const known = appsFor[part.trim()];
    if (known === undefined) throw new Error(`nothing of ours stands for ${JSON.stringify(part)} in "runs"`);
    for (const app of known) apps.add(app);
  }
  if (apps.has('pdb-controller')) apps.delete('pdb-controller/eviction');
  return [...apps];
}

interface Kubeconfig {
  clusters?: { cluster?: { server?: string; 'certificate-authority-data'?: string; 'certificate-authority'?: string } }[];
  users?: { user?: { token?: string } }[];
}

export function targetFromKubeconfig(file: string, url?: string): Target {
  const config = parse(readFileSync(file, 'utf8')) as Kubeconfig;
  const cluster = config.clusters?.[0]?.cluster;
  const server = url ?? cluster?.server;
  if (server === undefined) throw new Error(`${file} names no server`);
  const inline = cluster?.['certificate-authority-data'];
  const beside = cluster?.['certificate-authority'];
  const target: Target = { url: server, token: config.users?.[0]?.user?.token ?? '' };
  if (inline !== undefined) target.ca = Buffer.from(inline, 'base64').toString();
  else if (beside !== undefined) target.ca = readFileSync(resolve(dirname(file), beside), 'utf8');
  return target;
}

/** A server under test; `stop` ends it where we started it. */
export interface Server {
  target: Target;
  kubeconfig?: string;
  /** Ends it and starts it again on the same data, its history compacted up to a version. Absent where it is not ours, or keeps nothing. */
  restart?: (compactedUpTo: string) => Promise<void>;
  /** Resolves to what `kubereel verify` has to say of the log that it leaves, where that is asked for and anything is wrong. */
  stop: () => Promise<string | undefined>;
}

const startWithin = 20_000;
const stopWithin = 4_000;
const keptOutput = 4_000;

/** Where the built CLI is, seen from this file's place in dist/ or in the sources. */
export function builtCli(): string | undefined {
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    for (const candidate of [join(folder, 'dist/apps/cli/src/main.js'), join(folder, 'apps/cli/src/main.js')]) {
      if (existsSync(candidate)) return candidate;
    }
  }
  return undefined;
}

/**
 * Rejects with the server's last output when it does not become ready.
 * @param how `keeps`: in a folder, so that it can be started again; `verifies`: its log is kept until it has stopped, and verified
 */
export async function startServer(
  runs: string,
  cli = builtCli(),
  { keeps = false, verifies = false, flags = [] }: { keeps?: boolean; verifies?: boolean; flags?: readonly string[] } = {},
): Promise<Server> {
  if (cli === undefined) throw new Error('the CLI is not built: run `npm run build` first');
  const dir = mkdtempSync(join(tmpdir(), 'kubereel-golden-'));
  const readyFile = join(dir, 'ready.json');
  const kubeconfig = join(dir, 'kubeconfig');
  const isKept = keeps || verifies;
  const args = ['up', ...(isKept ? [] : ['--ephemeral']), '--nodes', '0', '--apps', appsOf(runs).join(',')];
  args.push('--ready-file', readyFile, '--kubeconfig', kubeconfig, '--data', join(dir, 'data'), ...flags);
  const spawned = (...more: string[]): ChildProcess => {
    const started = spawn(process.execPath, [cli, ...args, ...more], { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] });
    started.stdout.on('data', keep);
    started.stderr.on('data', keep);
    return started;
  };
  let output = '';
  const keep = (chunk: Buffer) => {
    output = `${output}${chunk.toString()}`.slice(-keptOutput);
  };
  let child = spawned('--port', '0');
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  const stop = async () => {
    await end(child);
    process.off('exit', killAtExit);
    const problem = verifies ? await verified(cli, join(dir, 'data')) : undefined;
    rmSync(dir, { recursive: true, force: true });
    return problem;
  };
  try {
    const ready = await untilReady(child, readyFile);
    const file = ready.kubeconfig ?? kubeconfig;
    const target = targetFromKubeconfig(file, ready.url);
    const restart = async (compactedUpTo: string): Promise<void> => {
      await end(child);
      rmSync(readyFile, { force: true });
      child = spawned('--port', new URL(target.url).port, '--compact-after', `@${compactedUpTo}`);
      await untilReady(child, readyFile);
    };
    return { target, kubeconfig: file, stop, ...(isKept ? { restart } : {}) };
  } catch (error) {
    await stop();
    throw new Error(`${(error as Error).message}; its last output:\n${output}`, { cause: error });
  }
}

function verified(cli: string, folder: string): Promise<string | undefined> {
  return new Promise((resolve) =>
    execFile(process.execPath, [cli, 'verify', '--data', folder], (error, stdout, stderr) =>
      resolve(error === null ? undefined : `${stdout}${stderr}`),
    ),
  );
}

async function untilReady(child: ChildProcess, readyFile: string): Promise<{ url?: string; kubeconfig?: string }> {
  const deadline = Date.now() + startWithin;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`the server ended (${child.exitCode ?? child.signalCode}) before it was ready`);
    }
    if (existsSync(readyFile)) {
      try {
        return JSON.parse(readFileSync(readyFile, 'utf8')) as { url?: string; kubeconfig?: string };
      } catch {
        // Not written completely yet.
      }
    }
    await sleep(10);
  }
  throw new Error(`the server was not ready within ${startWithin / 1000} s`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopWithin);
  await ended;
  clearTimeout(timer);
}
