import type { VerifyReport } from '#libs/audit';
import type { FoldedAppend } from '#libs/cluster-state';
import type { WriteResult } from '#libs/control-loop';
import { derivedUid, formatTime, type KubeObject } from '#libs/kernel';
import { applyDefaults, releaseKinds, type WriteRequest } from '#libs/kube-api';
import { Simulation } from '#libs/testing';
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

/** A simulation of kubelets alone: nodes and pods are put there as others would have left them. */
export class SimulatedCluster {
  private made = 0;

  private constructor(
    readonly simulation: Simulation,
    private readonly options: KubeletOptions,
  ) {}

  static async start(options: KubeletOptions = {}, start = startOfTime): Promise<SimulatedCluster> {
    return new SimulatedCluster(await Simulation.start(kubeletControllers(options), { start, seed: 'seed' }), options);
  }

  /** Stops everything and starts it again over the same log. */
  restart(): Promise<void> {
    return this.simulation.restart(kubeletControllers(this.options));
  }

  /** The tape of the last rounds says nothing of the cluster. */
  get appends(): FoldedAppend[] {
    return this.simulation.appends.filter(({ events }) => events[0]?.type !== 'RoundsTaken');
  }

  async node(name: string, more: NodeInput = {}): Promise<void> {
    const { capacity, allocatable, taints, metadata, ...rest } = more;
    await this.simulation.put('nodes', {
      metadata: { name, uid: this.uid(`node/${name}`), creationTimestamp: this.now(), ...metadata },
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
        uid: this.uid(`pod/${name}`),
        generation: 1,
        creationTimestamp: this.now(),
        ...(annotations ? { annotations } : {}),
        ...metadata,
      },
      spec: { containers: [{ name: 'app', image: 'app:1' }], ...spec },
      status: { phase: 'Pending', qosClass },
    };
    await this.simulation.put('pods', applyDefaults(releaseKinds.kindOf('pods'), pod));
  }

  private uid(of: string): string {
    return derivedUid(`${of}/${this.made++}`);
  }

  private now(): string {
    return formatTime(this.simulation.clock.now());
  }

  get(name: string, namespace = 'default'): KubeObject | undefined {
    return this.simulation.get('pods', namespace, name);
  }

  write(request: WriteRequest): Promise<WriteResult> {
    return this.simulation.write(request, 'test');
  }

  delete(name: string, gracePeriodSeconds?: number, namespace = 'default'): Promise<WriteResult> {
    return this.simulation.delete('pods', namespace, name, gracePeriodSeconds);
  }

  /** Lets cluster time pass, ms. */
  run(ms: number): Promise<void> {
    return this.simulation.run(ms);
  }

  verify(): Promise<VerifyReport> {
    return this.simulation.verify(kubeletControllers(this.options));
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
