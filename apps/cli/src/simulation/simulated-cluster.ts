import { LogTree, type ClusterState } from '#libs/cluster-state';
import {
  Sealer,
  type ClusterRuntime,
  type Controller,
  type SimulationExecutive,
  type VirtualClock,
  type WriteResult,
  type Writer,
} from '#libs/control-loop';
import type { EventLog } from '#libs/event-log';
import type { JsonObject } from '#libs/kernel';
import type { WriteRequest } from '#libs/kube-api';
import type { KubeletOptions } from '#libs/kubelet';
import type { Registry } from '#libs/scheduling';
import { Simulation, simulationStart } from '#libs/testing';
import { allControllers, bootstrap } from '../up/controllers';
import { rateLimited, type ClientRate } from './rate-limited';
import { nodeManifest, nodeNames, type SimulatedNodes } from './nodes';

export interface SimulationOptions {
  seed?: string;
  /** Cluster time at the start, ms since the epoch. */
  startTime?: number;
  /** Shared with others; one of its own that begins at `startTime` when absent. */
  clock?: VirtualClock;
  /** Nodes that the cluster brings along; none when absent. */
  nodes?: SimulatedNodes;
  kubelet?: KubeletOptions;
  /** A KubeSchedulerConfiguration; all defaults when absent. */
  schedulerConfig?: JsonObject;
  /** Scheduler plugins of one's own, for that configuration to enable. */
  schedulerPlugins?: Registry;
  /** Holds each controller of the controller manager to a client's rate; without it they are as fast as they can be. */
  controllerRate?: ClientRate;
  /** Where the events go; memory when absent. */
  log?: EventLog;
  /** Of a cluster that is resumed: what to begin from, instead of from the log's first event. */
  from?: { state: ClusterState; tree: LogTree };
  /** Who writes the events; unique for each start on a log. */
  writer?: string;
  /** Stands in for each controller: a test looks at what it is asked. */
  standIn?: (controller: Controller) => Controller;
}

export { simulationStart };
export const defaultSeed = 'kubereel';
export const simulatedClusterName = 'local';
/** Longest that the store takes for the last seal, ms. */
const sealMsMax = 10_000;

/** A whole control plane in one process and in virtual time: what it does depends on seed and actions alone. */
export class SimulatedCluster {
  private readonly others: { stop(): void }[] = [];

  private constructor(
    private readonly simulation: Simulation,
    private readonly sealer: Sealer,
  ) {}

  static async create(options: SimulationOptions = {}): Promise<SimulatedCluster> {
    const { from, writer, log, seed = defaultSeed, startTime: start = simulationStart, clock } = options;
    const tree = from?.tree ?? new LogTree();
    const setup = { start, clock, seed, cluster: simulatedClusterName, writer, log, from: from?.state, tree, forgetful: true };
    const simulation = await Simulation.start([], setup);
    const sealer = new Sealer(simulation.runtime, tree);
    const { standIn = (controller: Controller) => controller } = options;
    const controllers = (await controllersOf(options, seed)).map(standIn);
    const cluster = new SimulatedCluster(simulation, sealer);
    await bootstrap(simulation.runtime, simulation.writer);
    await cluster.answerExtenders(controllers);
    await simulation.add(...controllers);
    await simulation.executive.settle();
    if (options.nodes) await cluster.addNodes(options.nodes);
    return cluster;
  }

  get log(): EventLog {
    return this.simulation.log;
  }

  get clock(): VirtualClock {
    return this.simulation.clock;
  }

  get runtime(): ClusterRuntime {
    return this.simulation.runtime;
  }

  get writer(): Writer {
    return this.simulation.writer;
  }

  get executive(): SimulationExecutive {
    return this.simulation.executive;
  }

  get controllers(): readonly Controller[] {
    return this.simulation.controllers;
  }

  get state(): ClusterState {
    return this.simulation.state;
  }

  /** Milliseconds since the simulation began. */
  get elapsed(): number {
    return this.simulation.elapsed;
  }

  /** A user's write; resolves when it has been answered. Virtual time moves only if the answer needs it. */
  write(request: WriteRequest, user?: string): Promise<WriteResult> {
    return this.simulation.write(request, user);
  }

  /** As `write`, and lets everything happen that follows from it at once. */
  writeAndSettle(request: WriteRequest, user?: string): Promise<WriteResult> {
    return this.simulation.send(request, user);
  }

  /** Resolves after this much virtual time; somebody has to let it pass. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.clock.at(this.clock.now() + ms, resolve));
  }

  /** Seals the log up to here, as the stop of a cluster does; for the last time. */
  seal(): Promise<void> {
    return this.sealer.stop(sealMsMax);
  }

  async close(): Promise<void> {
    for (const other of this.others) other.stop();
    await this.simulation.close();
  }

  /** Extenders are asked over HTTP, in real time: what they answer is in the log, but the simulation is no function of its seed any more. */
  private async answerExtenders(controllers: readonly Controller[]): Promise<void> {
    const { extenderShellOf } = await import('#apps/scheduler');
    for (const controller of controllers) {
      const shell = extenderShellOf(this.runtime, controller);
      if (!shell) continue;
      shell.start();
      this.others.push(shell);
    }
  }

  private async addNodes(nodes: SimulatedNodes): Promise<void> {
    for (const [index, name] of nodeNames(nodes.count).entries()) {
      if (this.state.get('nodes', undefined, name)) continue;
      await this.writeAndSettle({ verb: 'create', resource: 'nodes', object: nodeManifest(name, index, nodes) }, 'kubereel');
    }
  }
}

async function controllersOf(options: SimulationOptions, seed: string): Promise<Controller[]> {
  const appOptions = {
    cluster: simulatedClusterName,
    seed,
    kubelet: options.kubelet ?? {},
    // A configuration may need the plugins, which no plain options carry: the scheduler with them is put in afterwards.
    scheduler: { config: options.schedulerPlugins ? undefined : options.schedulerConfig },
    controllerManager: {},
  };
  let controllers = await allControllers(appOptions);
  const { controllerRate, schedulerPlugins } = options;
  if (schedulerPlugins) {
    const { schedulerController } = await import('#libs/scheduler');
    const own = schedulerController({ config: options.schedulerConfig, registry: schedulerPlugins }) as unknown as Controller;
    controllers = controllers.map((controller) => (controller.name === own.name ? own : controller));
  }
  if (controllerRate) {
    const { controllerManagerControllers } = await import('#libs/controllers/controller-manager');
    const limited = new Set(controllerManagerControllers(appOptions).map(({ name }) => name));
    controllers = controllers.map((controller) => (limited.has(controller.name) ? rateLimited(controller, controllerRate) : controller));
  }
  return controllers;
}
