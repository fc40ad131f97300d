import type { JsonObject, KubeObject } from '#libs/kernel';
import type { Failure, Target } from '#libs/kube-api';
import type { WriteResult } from '#libs/control-loop';
import { applyManifest, drainNode, patchObject, scaleObject } from '../simulation/actions';
import { SimulatedCluster } from '../simulation/simulated-cluster';
import type { Scenario } from './scenario-file';
import type { Answer, ScenarioTarget } from './target';

/** A scenario in virtual time: hours pass in a moment, and the same seed tells the same story. */
export class SimulatedTarget implements ScenarioTarget {
  private constructor(readonly cluster: SimulatedCluster) {}

  static async create(scenario: Scenario, seed?: string): Promise<SimulatedTarget> {
    const cluster = await SimulatedCluster.create({ seed, nodes: scenario.nodes, kubelet: scenario.kubelet });
    // Nodes register and become Ready before the story begins.
    await cluster.executive.runFor(1_000);
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

  async drain(node: string, timeoutMs: number | undefined, tell: (pod: string, code: number) => void): Promise<boolean> {
    const { executive, clock } = this.cluster;
    let result: Awaited<ReturnType<typeof drainNode>> | undefined;
    const draining = drainNode(this.cluster, node, { timeoutMs: timeoutMs ?? drainMaxMs }).then((found) => (result = found));
    for (await executive.settle(); result === undefined; await executive.settle()) {
      const next = clock.next();
      if (next === undefined) break;
      await executive.runUntil(next);
    }
    const { evictions, finished } = result ?? (await draining);
    for (const { pod, code } of evictions) tell(pod, code);
    return finished;
  }

  wait(ms: number): Promise<void> {
    return this.cluster.executive.runFor(ms);
  }

  get({ resource, namespace, name }: Target): Promise<KubeObject | undefined> {
    return Promise.resolve(this.cluster.state.get(resource, namespace, name));
  }

  list(resource: string): Promise<KubeObject[]> {
    return Promise.resolve([...this.cluster.state.list(resource)]);
  }

  elapsed(): number {
    return this.cluster.elapsed;
  }

  close(): Promise<void> {
    return this.cluster.close();
  }

  private async answered(writing: Promise<WriteResult>): Promise<Answer> {
    await this.cluster.executive.settle();
    const result = await writing;
    if (result.kind !== 'refused') return { code: result.kind !== 'unchanged' && 'created' in result && result.created ? 201 : 200 };
    const { code, message } = result.status as Failure;
    return { code: code ?? 500, message };
  }
}

/** A drain without a time-out of its own is given up after this much virtual time. */
const drainMaxMs = 3_600_000;
