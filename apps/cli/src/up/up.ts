import { rmSync } from 'node:fs';
import { LogLockedError } from '#libs/event-log';
import { CliError } from '../cli-error';
import type { UpFlags } from './up-flags';
import { writeAtomically } from './data-folder';
import { startInOneProcess } from './one-process';
import type { RunningControlPlane } from './running-control-plane';
import { announce } from './announce';
import { writeKubeconfig } from './kubeconfig';
import { portHolder } from './port-holder';
import { planUp, type UpPlan } from './up-plan';

/** Ctrl-C ends within this, open watches or not. */
const stopMaxMs = 1_800;

export async function up(flags: UpFlags): Promise<void> {
  const startedAt = Date.now();
  const plan = await planUp(flags);
  for (const warning of plan.warnings) process.stderr.write(`kubereel: ${warning}\n`);
  if (plan.temporary) process.once('exit', () => rmSync(plan.folder, { recursive: true, force: true }));
  const running = await start(plan);
  let url = '';
  if (running.port !== undefined) {
    url = `https://${plan.options.apiserver?.host === '::1' ? '[::1]' : '127.0.0.1'}:${running.port}`;
    writeKubeconfig(plan.kubeconfig, { url, ca: plan.identity.ca, token: plan.identity.token }, plan.ownKubeconfig);
  }
  if (plan.readyFile) {
    const path = plan.readyFile;
    const write = (): void =>
      writeAtomically(path, `${JSON.stringify({ url, kubeconfig: plan.kubeconfig, pid: process.pid, apps: running.pids() })}\n`);
    write();
    running.onChange(write);
  }
  announce(plan, { url, resumed: running.resumed, tookMs: Date.now() - startedAt });
  stopOnSignal(running);
}

async function start(plan: UpPlan): Promise<RunningControlPlane> {
  try {
    if (!plan.split) return await startInOneProcess(plan);
    const { startSplit } = await import('./split.js');
    return await startSplit(plan);
  } catch (error) {
    throw explained(error, plan);
  }
}

function explained(error: unknown, plan: UpPlan): unknown {
  if (error instanceof LogLockedError) {
    return new CliError(
      `${plan.folder} is in use by process ${error.holderPid}`,
      'Use that cluster (its kubeconfig is in the folder), stop it, or name another folder with --data.',
    );
  }
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE') {
    const taken = port ?? plan.options.apiserver?.port ?? 0;
    return new CliError(
      `port ${taken} is taken by ${holderOf(taken)}`,
      'Stop it, or choose another port with --port N (0: any that is free).',
    );
  }
  return error;
}

function holderOf(port: number): string {
  const holder = portHolder(port);
  return holder === undefined ? 'another program' : `process ${holder}`;
}

function stopOnSignal(running: RunningControlPlane): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) process.exit(0);
    stopping = true;
    setTimeout(() => process.exit(0), stopMaxMs);
    running.close().then(
      () => process.exit(0),
      (error: Error) => {
        process.stderr.write(`kubereel: ${error.message}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}
