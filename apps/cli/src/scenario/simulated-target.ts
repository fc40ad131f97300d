import { EventReports, foldLog } from '#libs/cluster-state';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { kindsOf, type Target } from '#libs/kube-api';
import type { WriteResult } from '#libs/control-loop';
import { answerOf, applyManifest, drainable, patchObject, scaleObject } from '../simulation/actions';
import { drainNode } from '../simulation/drain';
import { SimulatedCluster, simulatedClusterName } from '../simulation/simulated-cluster';
import { Narrator } from './narrator';
import type { Scenario } from './scenario';
import type { Answer, Happening, ScenarioDrain, ScenarioTarget } from './target';

/** Nodes register and become Ready before the story begins; ms of virtual time. */
const preludeMs = 1_000;

/** A scenario in virtual time: hours pass in a moment, and the same seed tells the same story. */
export class SimulatedTarget implements ScenarioTarget {
  private readonly startedAt: number;
  private readonly narrator: Narrator;

  private constructor(readonly cluster: SimulatedCluster) {
    this.startedAt = cluster.clock.now();
    this.narrator = new Narrator(this.startedAt);
    cluster.runtime.folded$.subscribe((appends) => appends.forEach((append) => this.narrator.take(append)));
  }

  static async create(scenario: Pick<Scenario, 'nodes' | 'scheduler'>, seed?: string): Promise<SimulatedTarget> {
    const cluster = await SimulatedCluster.create({ seed, nodes: scenario.nodes, schedulerConfig: scenario.scheduler });
    await cluster.executive.runFor(preludeMs);
    return new SimulatedTarget(cluster);
  }

  apply(manifest: JsonObject): Promise<Answer> {
    return this.answered(applyManifest(this.cluster, manifest));
  }

  delete(target: Target, gracePeriodSeconds: number | undefined): Promise<Answer> {
    return this.answered(this.cluster.write({ verb: 'delete', target, options: { propagationPolicy: 'Background', gracePeriodSeconds } }));
  }

  patch(target: Target, patch: JsonObject): Promise<Answer> {
    return this.answered(patchObject(this.cluster, target, patch, 'merge'));
  }

  scale(target: Target, replicas: number): Promise<Answer> {
    return this.answered(scaleObject(this.cluster, target, replicas));
  }

  evict(target: Target): Promise<Answer> {
    return this.answered(this.cluster.write({ verb: 'evict', target }));
  }

  drain(node: string, options: ScenarioDrain): Promise<boolean> {
    return drainNode(drainable(this.cluster), node, options);
  }

  async until<T>(promise: Promise<T>, limitMs: number): Promise<T | undefined> {
    const { executive, clock } = this.cluster;
    const deadline = clock.now() + limitMs;
    let settled: { value: T } | undefined;
    void promise.then((value) => (settled = { value }));
    for (await executive.settle(); settled === undefined; await executive.settle()) {
      const next = clock.next();
      if (next === undefined || next > deadline) return undefined;
      await executive.runUntil(next);
    }
    return settled.value;
  }

  wait(ms: number): Promise<void> {
    return this.cluster.executive.runFor(ms);
  }

  get({ resource, namespace, name }: Target): Promise<KubeObject | undefined> {
    return Promise.resolve(this.cluster.state.get(resource, namespace, name));
  }

  async list(resource: string, namespace: string | undefined): Promise<KubeObject[]> {
    if (resource === 'events') return this.events(namespace);
    return [...this.cluster.state.list(resource, namespace)];
  }

  news(): Happening[] {
    return this.narrator.news();
  }

  elapsed(): number {
    return this.cluster.clock.now() - this.startedAt;
  }

  close(): Promise<void> {
    return this.cluster.close();
  }

  /** Events are derived from the log, here as by the API server. */
  private async events(namespace: string | undefined): Promise<KubeObject[]> {
    const reports = new EventReports({ kindOf: (resource) => kindsOf(this.cluster.state).findGroupResource(resource) });
    await foldLog(this.cluster.log, simulatedClusterName, { onAppend: (append, state) => void reports.apply(append, state) });
    return [...reports.table.list(namespace)];
  }

  private async answered(writing: Promise<WriteResult>): Promise<Answer> {
    await this.cluster.executive.settle();
    return answerOf(await writing);
  }
}
