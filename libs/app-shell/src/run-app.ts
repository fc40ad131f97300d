import { readFileSync } from 'node:fs';
import type { Type } from '@nestjs/common';
import type { LeftOut } from '#libs/cluster-state';
import { LiveClock } from '#libs/control-loop';
import { LogReplacedError } from '#libs/event-log';
import { supervision } from '#libs/process';
import { checkOptions } from '#libs/validation';
import { AppOptions } from './options';
import { startProcess } from './control-plane-process';
import { awaitLog } from './await-log';
import { ForeignLogError, LogMemory } from './log-memory';
import { openLog } from './log-source';
import { reportAvailability } from './report-availability';
import { ServerAddress } from './server-address';
import { SnapshotStore } from './snapshot-file';

/** What differs from app to app. */
export interface AppTraits {
  /** What no controller of the app reads: it is neither parsed nor folded here. */
  leavesOut?: LeftOut;
  /** Throws where the options do not do for this app. */
  check?: (options: AppOptions) => unknown;
}

/**
 * Starts one app as a process of its own over an event store that others share. Settings come from the environment:
 * KUBEREEL_EVENT_STORE (`esdb://…`), KUBEREEL_LOG (the folder of the file that this store writes, where it is on this machine),
 * KUBEREEL_OPTIONS (a JSON file of AppOptions), KUBEREEL_DATA (a folder that remembers which
 * log it is, and keeps snapshots unless KUBEREEL_SNAPSHOTS is `off`).
 * A parent process that listens is told when the app is ready, and where the API server listens.
 * Options are checked before anything else: what is off is said, and nothing has been started.
 */
export async function runApp(name: string, module: Type, { leavesOut, check }: AppTraits = {}): Promise<void> {
  const supervisor = supervision();
  const say = (line: string): void => void process.stderr.write(`kubereel ${name}: ${line}\n`);
  try {
    await supervisor.mayStart;
    const connectionString = process.env.KUBEREEL_EVENT_STORE;
    if (!connectionString)
      throw new Error('KUBEREEL_EVENT_STORE is not set; an app alone needs an event store, e.g. esdb://localhost:2113?tls=false');
    const options = readOptions(process.env.KUBEREEL_OPTIONS);
    check?.(options);
    const folder = process.env.KUBEREEL_DATA;
    const log = await openLog({ kind: 'eventstoredb', connectionString, fileFolder: process.env.KUBEREEL_LOG });
    // Under a supervisor one app speaks for all.
    const speaks = !process.send || name === 'apiserver';
    await awaitLog(log, speaks ? say : () => undefined);
    const running = await startProcess({
      log,
      clock: clockOf(options),
      options,
      modules: [module],
      leavesOut,
      snapshots: folder && process.env.KUBEREEL_SNAPSHOTS !== 'off' ? new SnapshotStore(folder, name) : undefined,
      memory: folder ? new LogMemory(folder) : undefined,
      name,
      tellLead: say,
    });
    if (speaks) reportAvailability(log, say);
    supervisor.closeWith(() => running.close());
    // Without its view of the log an app knows nothing; whoever supervises it starts it again.
    running.runtime.lost$.subscribe((error) => fail(name, error));
    process.send?.({ ready: true, port: running.app.get(ServerAddress, { strict: false }).port });
  } catch (error) {
    fail(name, error as Error);
  }
}

function clockOf({ clock }: AppOptions): LiveClock {
  if (!clock) return new LiveClock();
  const { speed, start, origin } = clock;
  return clock.catchesUp ? LiveClock.catchingUp(speed, { start, origin }) : new LiveClock(speed, start, origin);
}

function fail(name: string, error: Error): void {
  const exit = (): void => process.exit(1);
  // Another log than ours does not become ours by starting again: the supervisor has to know, and to say it once.
  if ((error instanceof LogReplacedError || error instanceof ForeignLogError) && process.send) {
    process.send({ lost: error.message }, exit);
    return;
  }
  process.stderr.write(`kubereel ${name}: ${error.message}\n`);
  exit();
}

function readOptions(path: string | undefined): AppOptions {
  if (!path) return { cluster: 'local', seed: process.env.KUBEREEL_SEED ?? 'kubereel' };
  try {
    const options = JSON.parse(readFileSync(path, 'utf8')) as AppOptions;
    checkOptions(AppOptions, options);
    return options;
  } catch (error) {
    throw new Error(`KUBEREEL_OPTIONS: ${path}: ${(error as Error).message}`, { cause: error });
  }
}
