import { verify, type VerifyReport } from '#libs/audit';
import type { FoldedAppend } from '#libs/cluster-state';
import {
  ClusterRuntime,
  ControllerShell,
  SimulationExecutive,
  VirtualClock,
  Writer,
  type Controller,
  type Origin,
  type WriteResult,
} from '#libs/control-loop';
import { createMemoryLog, type EventLog } from '#libs/event-log';
import { fact, objectStream, type Fact } from '#libs/events';
import { derivedId, derivedUid, formatTime, type KubeObject } from '#libs/kernel';
import { applyDefaults, type WriteRequest, releaseKinds } from '#libs/kube-api';
import { kubeletControllers, type KubeletOptions } from './kubelet-controllers';

export const startOfTime = Date.parse('2026-01-01T00:00:00.250Z');

export interface PodInput {
  name: string;
  namespace?: string;
  spec?: Record<string, unknown>;
  annotations?: Record<string, string>;
  metadata?: Record<string, unknown>;
  qosClass?: string;
}

type NodeInput = Partial<KubeObject> & { capacity?: Record<string, string>; allocatable?: Record<string, string>; taints?: object[] };

/** A cluster of kubelets alone, in virtual time, over a log in memory. */
export class SimulatedCluster {
  clock!: VirtualClock;
  runtime!: ClusterRuntime;
  writer!: Writer;
  executive!: SimulationExecutive;
  readonly appends: FoldedAppend[] = [];
  private shells: ControllerShell<unknown>[] = [];
  private operations = 0;
  private starts = 0;

  private constructor(
    readonly log: EventLog,
    private readonly options: KubeletOptions,
  ) {}

  static async start(options: KubeletOptions = {}, at = startOfTime): Promise<SimulatedCluster> {
    const cluster = new SimulatedCluster(createMemoryLog({ now: () => at }), options);
    cluster.clock = new VirtualClock(at);
    await cluster.boot();
    return cluster;
  }

  /** Stops everything and starts it again over the same log. */
  async restart(): Promise<void> {
    for (const shell of this.shells) shell.stop();
    await this.runtime.close();
    this.appends.length = 0;
    await this.boot();
  }

  private async boot(): Promise<void> {
    this.runtime = await ClusterRuntime.start({
      log: this.log,
      cluster: 'local',
      clock: this.clock,
      writer: `test-${this.starts++}`,
      seed: 'seed',
    });
    this.writer = new Writer(this.runtime);
    this.executive = new SimulationExecutive(this.runtime, this.clock);
    // The tape of the last rounds says nothing of the cluster.
    this.runtime.folded$.subscribe((appends) => this.appends.push(...appends.filter(({ events }) => events[0]?.type !== 'RoundsTaken')));
    this.shells = kubeletControllers(this.options).map(
      (controller: Controller) => new ControllerShell(this.runtime, this.writer, controller),
    );
    await Promise.all(this.shells.map((shell) => shell.start()));
  }

  private origin(): Origin {
    const operation = `test/${this.operations++}`;
    return { actor: 'user:test', operation, correlationId: derivedId(operation) };
  }

  write(request: WriteRequest): Promise<WriteResult> {
    return this.writer.write(request, this.origin());
  }

  async created(resource: string, object: KubeObject): Promise<void> {
    const { namespace, name } = object.metadata;
    const stream = objectStream('local', resource, namespace, name);
    await this.runtime.append(stream, [[fact('Created', { object })]], 'any', { origin: this.origin(), label: '0', follows: undefined });
  }

  async recorded(stream: 'kubelet-decisions', facts: Fact[]): Promise<void> {
    await this.runtime.appendDecision(stream, facts, this.origin(), '0');
  }

  async node(name: string, more: NodeInput = {}): Promise<void> {
    const { capacity, allocatable, taints, metadata, ...rest } = more;
    await this.created('nodes', {
      metadata: { name, uid: derivedUid(`node/${name}/${this.operations}`), creationTimestamp: formatTime(this.clock.now()), ...metadata },
      spec: { taints: taints ?? [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
      status: { ...(capacity ? { capacity } : {}), ...(allocatable ? { allocatable } : {}) },
      ...rest,
    });
  }

  async pod({ name, namespace = 'default', spec = {}, annotations, metadata, qosClass = 'BestEffort' }: PodInput): Promise<void> {
    const pod: KubeObject = {
      metadata: {
        name,
        namespace,
        uid: derivedUid(`pod/${name}/${this.operations}`),
        generation: 1,
        creationTimestamp: formatTime(this.clock.now()),
        ...(annotations ? { annotations } : {}),
        ...metadata,
      },
      spec: { containers: [{ name: 'app', image: 'app:1' }], ...spec },
      status: { phase: 'Pending', qosClass },
    };
    await this.created('pods', applyDefaults(releaseKinds.kindOf('pods'), pod));
  }

  get(name: string, namespace = 'default'): KubeObject | undefined {
    return this.runtime.state.get('pods', namespace, name);
  }

  delete(name: string, gracePeriodSeconds?: number, namespace = 'default'): Promise<WriteResult> {
    const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    return this.write({ verb: 'delete', target: { resource: 'pods', namespace, name }, options });
  }

  /** Lets cluster time pass, ms. */
  run(ms: number): Promise<void> {
    return this.executive.runFor(ms);
  }

  /** Every decision made again from its basis, and the digest chain followed. */
  verify(): Promise<VerifyReport> {
    const controllers = kubeletControllers(this.options) as Controller[];
    return verify({ log: this.log, cluster: 'local', seed: 'seed', controllers });
  }

  /** Events about a pod so far, as `TYPE@ms since start`. */
  story(name: string): string[] {
    return this.appends
      .filter((append) => append.change?.resource === 'pods' && append.change.name === name)
      .flatMap((append) => append.events.map((event) => `${event.type}@${append.time - startOfTime}`));
  }

  /** The pod after each append that changed it, with ms since the start. */
  changes(name: string): { at: number; object: KubeObject }[] {
    return this.appends.flatMap(({ change, time }) =>
      change?.resource === 'pods' && change.name === name && change.type !== 'DELETED'
        ? [{ at: time - startOfTime, object: change.object }]
        : [],
    );
  }
}
