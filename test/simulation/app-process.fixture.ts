import { ControllerHost, type AppOptions } from '#libs/app-shell';
import { LogTree, type ClusterState, type LeftOut } from '#libs/cluster-state';
import { ClusterRuntime, Sealer, Writer, type Clock, type Controller, type VirtualClock, type WriteResult } from '#libs/control-loop';
import type { EventLog } from '#libs/event-log';
import { derivedId, type Chance } from '#libs/kernel';
import type { WriteRequest } from '#libs/kube-api';
import { kubeletControllers } from '#libs/kubelet';
import { controllerManagerControllers } from '#libs/controllers/controller-manager';
import { pdbControllers } from '#libs/controllers/pdb-controller';
import { priorityAdmissionControllers } from '#libs/controllers/priority-admission';
import { apiserverControllers } from '#apps/apiserver';
import { controllerManagerLeavesOut } from '#apps/controller-manager';
import { kubeletLeavesOut } from '#apps/kubelet';
import { pdbControllerLeavesOut } from '#apps/pdb-controller';
import { priorityAdmissionLeavesOut } from '#apps/priority-admission';
import { schedulerControllers, schedulerLeavesOut } from '#apps/scheduler';
import { bootstrap } from '../../apps/cli/src/up/controllers';
import type { AppName } from '../../apps/cli/src/up/apps';
import { FaultyLog, type Faults } from './faulty-log.fixture';
import { nodesOfLife } from './random-life.fixture';
import { leadTime } from './skewed-clock.fixture';

/** Longest that the last seal is waited for, ms. */
const sealMsMax = 10_000;

const leftOut: Partial<Record<AppName, LeftOut>> = {
  'priority-admission': priorityAdmissionLeavesOut,
  scheduler: schedulerLeavesOut,
  kubelet: kubeletLeavesOut,
  'pdb-controller': pdbControllerLeavesOut,
  'controller-manager': controllerManagerLeavesOut,
};

const controllersOf: Record<AppName, (options: AppOptions) => readonly Controller<never>[]> = {
  apiserver: apiserverControllers as never,
  'priority-admission': priorityAdmissionControllers as never,
  scheduler: schedulerControllers as never,
  kubelet: (options) => kubeletControllers(options.kubelet ?? {}) as never,
  'pdb-controller': pdbControllers as never,
  'controller-manager': controllerManagerControllers as never,
};

export interface ProcessSetup {
  /** Unique among all starts. */
  name: string;
  apps: readonly AppName[];
  log: EventLog;
  clock: VirtualClock;
  seed: string;
  /** By which it writes. */
  ownClock: Clock;
  /** Where it runs: whoever runs there too knows when it is gone. */
  machine: string;
  /** What goes wrong on its line. */
  chance: Chance;
  /** What it leaves out of its fold is left to it where it begins with the log's first event. */
  from?: { state: ClusterState; tree: LogTree };
  isDead(name: string): boolean;
}

class Host extends ControllerHost {
  constructor(runtime: ClusterRuntime, writer: Writer, app: AppName, options: AppOptions) {
    super(runtime, writer, app, options, controllersOf[app](options) as never);
  }
}

/** One process of a control plane whose apps are processes of their own, in virtual time: as it starts, stops, and is killed. */
export class AppProcess {
  readonly line: FaultyLog;
  private runtime: ClusterRuntime | undefined;
  private writer!: Writer;
  private sealer: Sealer | undefined;
  private readonly hosts: Host[] = [];
  private requests = 0;
  private die!: () => void;
  /** It is gone: killed, or stopped. */
  isOver = false;
  /** It serves, and its controllers stand for their leads. */
  isStarted = false;
  private readonly death = new Promise<void>((resolve) => (this.die = resolve));

  constructor(readonly setup: ProcessSetup) {
    this.line = new FaultyLog(setup.log, setup.clock, setup.chance, () => this.over());
  }

  get pending(): number {
    return this.isOver ? 0 : (this.runtime?.pending ?? 0);
  }

  serves(app: AppName): boolean {
    return this.isStarted && !this.isOver && this.setup.apps.includes(app);
  }

  set faults(faults: Faults | undefined) {
    this.line.faults = faults;
  }

  /** As `kubereel APP` starts. A process that cannot is gone. */
  async start(): Promise<void> {
    await this.orDeath(this.begin().catch(() => this.kill()));
  }

  private async begin(): Promise<void> {
    const { name, apps, clock, ownClock, seed, machine, isDead } = this.setup;
    const [only] = apps;
    const leavesOut = apps.length === 1 && only ? leftOut[only] : undefined;
    const from = leavesOut ? undefined : this.setup.from;
    const tree = apps.includes('apiserver') ? (from?.tree ?? new LogTree()) : undefined;
    const runtime = await ClusterRuntime.start({
      log: this.line.log,
      cluster: 'local',
      clock: ownClock,
      writer: name,
      seed,
      leavesOut,
      tree,
      from: from?.state,
      election: {
        holder: { name, host: machine, pid: 1, machine },
        isDead: (holder) => holder.machine === machine && isDead(holder.name),
        changed: () => undefined,
        time: leadTime(clock, () => this.isOver),
      },
    });
    this.runtime = runtime;
    this.writer = new Writer(runtime);
    if (tree) this.sealer = new Sealer(runtime, tree, { whenQuiet: true });
    const options: AppOptions = { cluster: 'local', seed, controllerManager: { nodes: nodesOfLife }, kubelet: {}, scheduler: {} };
    if (apps.includes('apiserver')) await bootstrap(runtime, this.writer);
    for (const app of apps) {
      const host = new Host(runtime, this.writer, app, options);
      this.hosts.push(host);
      await host.onApplicationBootstrap();
    }
    this.isStarted = true;
    if (this.isOver) this.over();
  }

  /** What a client asks of its API server; the connection breaks when the process ends. */
  async write(request: WriteRequest, user: string): Promise<WriteResult | undefined> {
    // As a server's: no other has an operation of this name. Uids follow from it.
    const operation = `${this.setup.name}/${this.requests++}`;
    const correlationId = derivedId(operation);
    return this.orDeath(this.writer.write(request, { actor: `user:${user}`, operation, correlationId }));
  }

  /** As after `kill -9`. */
  kill(): void {
    this.line.kill();
  }

  /** As after Ctrl-C; whoever calls lets time pass meanwhile. */
  async stop(): Promise<void> {
    await this.orDeath(this.end().catch(() => undefined));
    this.kill();
  }

  private async end(): Promise<void> {
    for (const host of this.hosts) host.beforeApplicationShutdown();
    for (const host of this.hosts) await host.onApplicationShutdown();
    await this.sealer?.stop(sealMsMax);
    await this.runtime?.stop();
  }

  private over(): void {
    this.isOver = true;
    this.die();
    void this.runtime?.close();
  }

  private orDeath<T>(work: Promise<T>): Promise<T | undefined> {
    work.catch(() => undefined);
    return Promise.race([work, this.death.then(() => undefined)]);
  }
}
