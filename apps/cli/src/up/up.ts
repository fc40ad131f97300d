import { rmSync } from 'node:fs';
import { DamagedLogError, ForeignLogError } from '#libs/app-shell';
import { LogLockedError, openEmbeddedLog } from '#libs/event-log';
import { CliError } from '../cli-error';
import type { UpFlags } from './up-flags';
import { unwritable, writeAtomically } from './data-folder';
import { outliveReader } from '../terminal/closed-pipe';
import { painter } from '../terminal/colour';
import { requireStore } from '../store/require-store';
import { startInOneProcess } from './one-process';
import type { RunningControlPlane } from './running-control-plane';
import { announce, sayStopped } from './announce';
import { writeKubeconfig } from './kubeconfig';
import { listenError, tryPort, urlHost } from './port-check';
import { stopOnSignal } from './stop-on-signal';
import { planUp, prepareFolder, type UpPlan } from './up-plan';

/**
 * `kubereel up`: starts or resumes a cluster and runs until it is stopped.
 * @throws CliError, before anything is left behind, when it cannot start
 */
export async function up(flags: UpFlags): Promise<void> {
  const startedAt = Date.now();
  outliveReader();
  const plan = await planUp(flags);
  const paint = painter(process.stderr);
  for (const warning of plan.warnings) process.stderr.write(`${paint('yellow', 'kubereel:')} ${warning}\n`);
  if (plan.temporary) process.once('exit', () => rmSync(plan.folder, { recursive: true, force: true }));
  const running = await start(plan);
  let url = '';
  if (running.port !== undefined) {
    url = `https://${urlHost(flags.host)}:${running.port}`;
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
  running.onLost((error) => {
    process.stderr.write(`${paint('red', 'kubereel:')} ${error.message}\nThe cluster ends here; nothing more is written.\n`);
    process.exit(1);
  });
  stopOnSignal(running, () => sayStopped(plan));
}

async function start(plan: UpPlan): Promise<RunningControlPlane> {
  const { host, port } = plan.options.apiserver ?? { host: '127.0.0.1', port: 0 };
  let undo = (): void => undefined;
  try {
    if (port !== 0 && plan.apps.includes('apiserver')) await checkPort(plan, host, port);
    if (plan.source.kind === 'eventstoredb') await requireStore(plan.source.connectionString);
    undo = prepareFolder(plan);
    if (!plan.split) return await startInOneProcess(plan);
    const { startSplit } = await import('./split.js');
    return await startSplit(plan);
  } catch (error) {
    if (!(error instanceof LogLockedError)) undo();
    throw explained(error, plan);
  }
}

/** A port that the same cluster holds, running elsewhere, is told by its folder: that says more. */
async function checkPort(plan: UpPlan, host: string, port: number): Promise<void> {
  try {
    await tryPort(host, port);
  } catch (error) {
    if (!plan.fresh && plan.source.kind === 'embedded') await (await openEmbeddedLog({ folder: plan.source.folder })).close();
    throw error;
  }
}

function explained(error: unknown, plan: UpPlan): unknown {
  if (error instanceof LogLockedError) {
    return new CliError(
      `${plan.folder} is in use by process ${error.holderPid}`,
      'Use that cluster (its kubeconfig is in the folder), stop it, or name another folder with --data.',
    );
  }
  if (error instanceof DamagedLogError) {
    const { message, whole } = error;
    const good = whole === undefined ? '' : ` What is before is whole: kubereel log --until ${whole} --data ${plan.folder}`;
    return new CliError(
      `the log in ${plan.folder} is damaged: ${message}`,
      `See all that is not as it was written: kubereel verify --data ${plan.folder}${good}\nThen put back a copy of the folder, or begin afresh: kubereel reset --data ${plan.folder}`,
    );
  }
  if (error instanceof ForeignLogError) {
    return new CliError(
      error.message,
      `Put back the log that belongs to the folder, or begin afresh: kubereel reset --data ${plan.folder}`,
    );
  }
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code !== undefined && ['EACCES', 'EPERM', 'EROFS', 'ENOSPC'].includes(code) && syscall !== 'listen')
    return unwritable(plan.folder, error);
  const { host, port } = plan.options.apiserver ?? { host: '', port: 0 };
  return listenError(error, host, (error as { port?: number }).port ?? port) ?? error;
}
