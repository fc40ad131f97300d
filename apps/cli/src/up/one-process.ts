import { LogMemory, openLog, reportAvailability, ServerAddress, SnapshotStore, startProcess } from '#libs/app-shell';
import { LiveClock } from '#libs/control-loop';
import { moduleOf } from './apps';
import type { RunningControlPlane } from './running-control-plane';
import type { UpPlan } from './up-plan';

/** What of a plan says how all apps run in one process. */
export type OneProcessPlan = Pick<UpPlan, 'folder' | 'ephemeral' | 'apps' | 'options' | 'source' | 'clock' | 'snapshots'>;

/** All apps in one process over the log: the default, and the fastest. */
export async function startInOneProcess(plan: OneProcessPlan): Promise<RunningControlPlane> {
  const [log, ...modules] = await Promise.all([openLog(plan.source), ...plan.apps.map(moduleOf)]);
  try {
    const running = await startProcess({
      log,
      clock: clockOf(plan),
      options: plan.options,
      modules,
      isInMemory: plan.source.kind === 'memory',
      snapshots: plan.snapshots ? new SnapshotStore(plan.folder, 'all') : undefined,
      memory: plan.ephemeral ? undefined : new LogMemory(plan.folder),
      name: 'all',
      // A log in this process, or in a folder that it locks, has no other writer.
      tellLead: plan.source.kind === 'eventstoredb' ? (line) => void process.stderr.write(`kubereel: ${line}\n`) : undefined,
    });
    reportAvailability(log, (line) => void process.stderr.write(`kubereel: ${line}\n`));
    const names = [...plan.apps, 'event-store'];
    return {
      port: running.app.get(ServerAddress, { strict: false }).port,
      resumed: running.resumed,
      pids: () => Object.fromEntries(names.map((name) => [name, process.pid])),
      onChange: () => undefined,
      onLost: (callback) => void running.runtime.lost$.subscribe(callback),
      close: () => running.close(),
    };
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** Where the log goes on later than that, so does the clock. */
function clockOf({ clock: { speed, behindMs } }: OneProcessPlan): LiveClock {
  if (behindMs === undefined) return new LiveClock(speed);
  return LiveClock.catchingUp(speed, { behindMs });
}
