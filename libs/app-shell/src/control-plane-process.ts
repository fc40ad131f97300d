import { randomUUID } from 'node:crypto';
import { Module, type DynamicModule, type INestApplicationContext, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LogTree, serviceAddress, type LeftOut } from '#libs/cluster-state';
import { ClusterRuntime, LiveClock, Sealer, type CallOut, type Clock, type Election } from '#libs/control-loop';
import { BEHIND_MS_MAX, type EventLog, type LogMark } from '#libs/event-log';
import type { AppOptions } from './options';
import { tellOfSteps } from './clock-notices';
import { ControlPlaneModule } from './control-plane.module';
import { KeptPastFolder } from './kept-past-folder';
import { LogIdentity } from './log-memory';
import type { LogMemory } from './log-memory';
import { checkTail } from './log-tail';
import { aboutProcess } from './about-process';
import type { webhookCaller } from './outside';
import type { SnapshotStore } from './snapshot-file';
import { tellLeads } from './tell-leads';
import { isDeadHere, thisInstance } from './this-instance';

/** Appends between two snapshots of a running process, at least: what a start after a kill reads again takes a fraction of a second. */
const appendsPerSnapshot = 10_000;

/** Of several processes, the one that speaks of what concerns them all. */
const tellers = new Set(['all', 'apiserver']);
/** Longest that a stop waits for the last seal, ms. */
const sealMsMax = 500;

export interface ProcessOptions {
  log: EventLog;
  clock: Clock;
  options: AppOptions;
  /** Modules of the apps to run in this process. */
  modules: readonly Type[];
  snapshots?: SnapshotStore;
  /** The log is in this process alone, and so is what is kept of its past. */
  isInMemory?: boolean;
  /** What no controller of these modules reads. */
  leavesOut?: LeftOut;
  /** Which log the data folder belongs to. */
  memory?: LogMemory;
  /** Names this process in events: `all`, `scheduler`. */
  name: string;
  /** Others may reach the log too, so of several instances of an app one leads. Gets what a user should know of it, in a line. */
  tellLead?: (line: string) => void;
}

/** One process of the control plane: its fold of the log, and the apps that use it. */
export interface ControlPlaneProcess {
  runtime: ClusterRuntime;
  app: INestApplicationContext;
  /** Whether there was anything in the log. */
  resumed: boolean;
  close(): Promise<void>;
}

@Module({})
class ProcessModule {
  static of(imports: (Type | DynamicModule)[]): DynamicModule {
    return { module: ProcessModule, imports };
  }
}

export async function startProcess(spec: ProcessOptions): Promise<ControlPlaneProcess> {
  const { log, clock, options, snapshots, memory } = spec;
  const identity = new LogIdentity(log, options.cluster, spec.tellLead ? BEHIND_MS_MAX : 0);
  await memory?.check(identity);
  if (tellers.has(spec.name)) await checkTail(log, options.cluster);
  // Whoever speaks for all has all of the log in its fold.
  const seals = tellers.has(spec.name) && !spec.leavesOut;
  const snapshot = await snapshots?.load(options.cluster, identity, spec.leavesOut, seals);
  const tree = seals ? (snapshot?.tree ?? new LogTree()) : undefined;
  const past = new KeptPastFolder({ log, cluster: options.cluster, folder: snapshots?.folder, isInMemory: spec.isInMemory, identity });
  // All of the log is read now in any case.
  if (tellers.has(spec.name) && !snapshot) await past.outlineFromTheBeginning();
  const writer = `${spec.name}-${randomUUID().slice(0, 8)}`;
  // Nothing of it is loaded before the first call.
  let outside: ReturnType<typeof webhookCaller> | undefined;
  const callOut: CallOut = async (...call) => {
    const { webhookCaller } = await import('./outside/index.js');
    outside ??= webhookCaller((...service) => serviceAddress(runtime.state, ...service));
    return outside(...call);
  };
  const runtime: ClusterRuntime = await ClusterRuntime.start({
    log,
    cluster: options.cluster,
    clock,
    writer,
    seed: options.seed,
    election: spec.tellLead && electionOf(writer, spec.tellLead),
    from: snapshot?.state,
    leavesOut: spec.leavesOut,
    tree,
    onFolded: past.folded,
    about: aboutProcess(options),
    keepsRequests: options.apiserver?.keepsRequests,
    callOut,
  });
  const sealer = tree && new Sealer(runtime, tree, { whenQuiet: true });
  const resumed = runtime.state.position > 0;
  if (clock instanceof LiveClock && tellers.has(spec.name)) {
    tellOfSteps(clock, (line) => void process.stderr.write(`kubereel: ${line}\n`));
  }
  const snapshotWritten = snapshots && keepSnapshots(runtime, snapshots, identity);
  const root = ProcessModule.of([ControlPlaneModule.forRoot(runtime, options, () => past.open()), ...spec.modules]);
  const stopRuntime = async (): Promise<void> => {
    await sealer?.stop(sealMsMax);
    await withinStop(runtime.stop());
    await runtime.close();
  };
  let app: INestApplicationContext;
  try {
    app = await NestFactory.createApplicationContext(root, { logger: ['error', 'warn'], abortOnError: false });
  } catch (error) {
    await stopRuntime().finally(() => log.close());
    throw error;
  }
  memory?.remember(await identity.origin(), markOf(runtime));
  const close = async (): Promise<void> => {
    await app.close();
    outside?.close();
    await stopRuntime();
    try {
      const origin = await identity.origin();
      await snapshotWritten?.();
      if (snapshots) await keepSnapshot(snapshots, runtime, origin);
      memory?.remember(origin, markOf(runtime), tree?.seal());
    } finally {
      await log.close();
    }
  };
  return { runtime, app, resumed, close };
}

/** The record of the stop is waited for so long, ms: a log that is away does not hold up an end. */
const stopMsMax = 1_000;

async function withinStop(work: Promise<void>): Promise<void> {
  const timeout = new Promise((resolve) => setTimeout(resolve, stopMsMax).unref());
  await Promise.race([work.catch(() => undefined), timeout]);
}

function electionOf(name: string, tell: (line: string) => void): Election {
  const holder = thisInstance(name);
  return { holder, isDead: (other) => isDeadHere(other, holder), changed: tellLeads(tell) };
}

/** The last event folded. */
function markOf({ state }: ClusterRuntime): LogMark | undefined {
  return state.lastEventId === undefined ? undefined : { position: state.position, id: state.lastEventId };
}

/** A snapshot is a cache: where none can be written, the next start reads more of the log. */
async function keepSnapshot(snapshots: SnapshotStore, { state, options }: ClusterRuntime, origin: LogMark | undefined): Promise<void> {
  try {
    await snapshots.save(state, origin, options.tree);
  } catch (error) {
    process.stderr.write(`kubereel: no snapshot was written, so the next start reads more of the log: ${(error as Error).message}\n`);
  }
}

/** Writes a snapshot from time to time, one after the other. Gives what waits for the one that is being written. */
function keepSnapshots(runtime: ClusterRuntime, snapshots: SnapshotStore, identity: LogIdentity): () => Promise<void> {
  let appends = 0;
  let due = appendsPerSnapshot;
  let writing: Promise<void> | undefined;
  runtime.folded$.subscribe((folded) => {
    appends += folded.length;
    if (writing || appends < due) return;
    due = Math.max(appendsPerSnapshot, entriesOf(runtime));
    if (appends < due) return;
    appends = 0;
    due = appendsPerSnapshot;
    // The state moves on while the origin is read, and only then; it is known since the first of these.
    writing = identity
      .origin()
      .then((origin) => keepSnapshot(snapshots, runtime, origin))
      .catch(() => undefined)
      .finally(() => (writing = undefined));
  });
  return () => writing ?? Promise.resolve();
}

/** What a snapshot writes out: of a large cluster they are taken less often, so that they cost a part of what the appends do. */
function entriesOf({ state }: ClusterRuntime): number {
  let entries = state.heads.size;
  for (const { objects } of state.resources()) entries += objects.size;
  return entries;
}
