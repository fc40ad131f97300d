import type { KubeletOptions } from '#libs/app-shell';
import { ClusterRuntime, ControllerShell, SimulationExecutive, VirtualClock, Writer, type Controller, type Origin, type WriteResult } from '#libs/control-loop';
import { createMemoryLog, type EventLog } from '#libs/event-log';
import { derivedId } from '#libs/kernel';
import type { WriteRequest } from '#libs/kube-api';
import { allControllers, bootstrap } from '../up/controllers';
import type { NodesOption } from '../up/nodes-option';

export interface SimulationOptions {
  seed?: string;
  /** Cluster time at the start, ms since the epoch. */
  startTime?: number;
  /** Nodes that the cluster brings along; none when absent. */
  nodes?: NodesOption;
  kubelet?: KubeletOptions;
  /** Text of a KubeSchedulerConfiguration file. */
  schedulerConfig?: string;
  /** Where the events go; memory when absent. */
  log?: EventLog;
}

export const simulationStart = Date.parse('2026-01-01T00:00:00Z');

/** A whole control plane in one process and in virtual time: what it does depends on seed and actions alone. */
export class SimulatedCluster {
  private operations = 0;
  private readonly shells: ControllerShell<unknown>[] = [];

  private constructor(
    readonly log: EventLog,
    readonly clock: VirtualClock,
    readonly runtime: ClusterRuntime,
    readonly writer: Writer,
    readonly executive: SimulationExecutive,
    readonly controllers: readonly Controller[],
  ) {}

  static async create(options: SimulationOptions = {}): Promise<SimulatedCluster> {
    const log = options.log ?? createMemoryLog();
    const clock = new VirtualClock(options.startTime ?? simulationStart);
    const seed = options.seed ?? 'kubereel';
    const runtime = await ClusterRuntime.start({ log, cluster: 'local', clock, writer: 'simulation', seed });
    const writer = new Writer(runtime);
    const executive = new SimulationExecutive(runtime, clock);
    const appOptions = {
      cluster: 'local',
      seed,
      kubelet: options.kubelet ?? {},
      scheduler: { config: options.schedulerConfig },
      controllerManager: options.nodes ? { nodes: options.nodes } : {},
    };
    const controllers = await allControllers(appOptions);
    const cluster = new SimulatedCluster(log, clock, runtime, writer, executive, controllers);
    await bootstrap(runtime, writer);
    for (const controller of controllers) {
      const shell = new ControllerShell(runtime, writer, controller);
      cluster.shells.push(shell);
      await shell.start();
    }
    await executive.settle();
    return cluster;
  }

  get state() {
    return this.runtime.state;
  }

  /** Milliseconds since the simulation began. */
  get elapsed(): number {
    return this.clock.now() - simulationStart;
  }

  /** A user's write; resolves when it has been answered. Virtual time moves only if the answer needs it. */
  write(request: WriteRequest, user = 'admin'): Promise<WriteResult> {
    return this.writer.write(request, this.origin(user));
  }

  /** As `write`, and lets everything happen that follows from it at once. */
  async writeAndSettle(request: WriteRequest, user = 'admin'): Promise<WriteResult> {
    const writing = this.write(request, user);
    await this.executive.settle();
    return writing;
  }

  /** Resolves after this much virtual time; somebody has to let it pass. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.clock.at(this.clock.now() + ms, resolve));
  }

  async close(): Promise<void> {
    for (const shell of this.shells) shell.stop();
    await this.runtime.close();
  }

  private origin(user: string): Origin {
    const operation = `request/${this.operations++}`;
    return { actor: `user:${user}`, operation, correlationId: derivedId(`${this.runtime.seed}/${operation}`) };
  }
}
