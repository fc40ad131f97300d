import { chanceOf, type JsonObject, type KubeObject } from '#libs/kernel';
import type { SimulatedCluster } from '../../apps/cli/src/simulation/simulated-cluster';
import { patchObject, scaleObject } from '../../apps/cli/src/simulation/actions';
import { fact } from '#libs/events';

const namespacesCount = 20;
const deploymentsPerNamespace = 10;
/** Pods of a Deployment, on average. */
const replicasMean = 25;
/** Of so many Deployments one has containers that crash for ever. */
const crashingOneIn = 40;
/** Of so many one has containers that are not ready for ten minutes every two hours. */
const flappingOneIn = 100;
const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;
/** What befalls the cluster, each at its own pace. */
const rolloutEveryMs = 15 * minuteMs;
const scaleEveryMs = 10 * minuteMs;
const failureEveryMs = 60 * minuteMs;
/** Longer than the pods of a node that is not heard of are borne with (300 s). */
const failureMs = 20 * minuteMs;

/**
 * A day as operators know it: rollouts and scaling all the time, applications that crash in a loop or are not ready now and then, nodes that
 * fall silent and come back. Drawn from the seed, minute by minute.
 */
export class DayLife {
  /** What was done, for the figures. */
  readonly did = { rollouts: 0, scalings: 0, failures: 0 };
  private readonly failed: { node: string; until: number }[] = [];

  constructor(
    private readonly cluster: SimulatedCluster,
    private readonly nodes: number,
    private readonly seed: string,
  ) {}

  /** The inhabitants, all started. */
  async begin(): Promise<void> {
    for (let space = 0; space < namespacesCount; space++) {
      await this.create('namespaces', undefined, { metadata: { name: namespaceOf(space) } });
      for (let app = 0; app < deploymentsPerNamespace; app++) {
        const number = space * deploymentsPerNamespace + app;
        const replicas = number % crashingOneIn === 0 ? 2 : replicasMean - 10 + this.draw(20, `replicas/${number}`);
        await this.create('deployments.apps', namespaceOf(space), deploymentOf(app, number, replicas));
      }
      await this.cluster.executive.runFor(2_000);
    }
    await this.cluster.executive.runFor(2 * minuteMs);
  }

  /** The minute of this number, from the first day's first on. */
  async minute(number: number): Promise<void> {
    const sinceMs = number * minuteMs;
    if (sinceMs % rolloutEveryMs === 0) await this.rollOut(number);
    if (sinceMs % scaleEveryMs === 0) await this.scale(number);
    if (sinceMs % failureEveryMs === 0) await this.fail(number, sinceMs);
    for (const { node } of this.failed.filter(({ until }) => until === sinceMs)) await this.tell('NodeHeartbeatResumed', node);
    await this.cluster.executive.runFor(minuteMs);
  }

  private async rollOut(number: number): Promise<void> {
    const template = { metadata: { annotations: { 'example.com/release': String(number) } } };
    await patchObject(this.cluster, this.deployment(`rolled/${number}`), { spec: { template } }, 'merge');
    this.did.rollouts++;
  }

  private async scale(number: number): Promise<void> {
    await scaleObject(this.cluster, this.deployment(`scaled/${number}`), replicasMean - 10 + this.draw(20, `to/${number}`));
    this.did.scalings++;
  }

  private async fail(number: number, sinceMs: number): Promise<void> {
    const node = `node-${1 + this.draw(this.nodes, `failed/${number}`)}`;
    this.failed.push({ node, until: sinceMs + failureMs });
    await this.tell('NodeHeartbeatStopped', node);
    this.did.failures++;
  }

  /** One that does not crash. */
  private deployment(label: string): { resource: string; namespace: string; name: string } {
    const space = this.draw(namespacesCount, `${label}/space`);
    const app = 1 + this.draw(deploymentsPerNamespace - 1, `${label}/app`);
    return { resource: 'deployments.apps', namespace: namespaceOf(space), name: `app-${app}` };
  }

  private async tell(type: 'NodeHeartbeatStopped' | 'NodeHeartbeatResumed', node: string): Promise<void> {
    const origin = {
      actor: 'user:operator',
      operation: `${type}/${node}/${this.cluster.elapsed}`,
      correlationId: `${node}/${this.cluster.elapsed}`,
    };
    await this.cluster.runtime.appendDecision('kubelet-decisions', [fact(type, { node })], origin, '0');
  }

  private async create(resource: string, namespace: string | undefined, object: JsonObject): Promise<void> {
    const writing = this.cluster.write({ verb: 'create', resource, namespace, object: object as unknown as KubeObject });
    await this.cluster.executive.settle();
    const answer = await writing;
    if (answer.kind !== 'written') throw new Error(`${resource} refused: ${JSON.stringify(answer)}`);
  }

  private draw(bound: number, label: string): number {
    return chanceOf(this.seed, label).index(bound, '');
  }
}

function namespaceOf(space: number): string {
  return `team-${space}`;
}

function deploymentOf(app: number, number: number, replicas: number): JsonObject {
  const labels = { app: `app-${app}` };
  const isCrashing = number % crashingOneIn === 0;
  const isFlapping = number % flappingOneIn === 1;
  const profile = isCrashing ? 'crashing' : isFlapping ? 'flapping' : 'web';
  const more = isFlapping ? { 'kubereel.dev/ready': 'true; from 110m false; again after 120m' } : {};
  const probe = { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 10 };
  const container = {
    name: 'app',
    image: `registry.example.com/app-${number}:1`,
    ports: [{ containerPort: 8080 }],
    resources: { requests: { cpu: '100m', memory: '128Mi' } },
    readinessProbe: probe,
    livenessProbe: { ...probe, httpGet: { path: '/live', port: 8080 } },
  };
  const annotations = { 'kubereel.dev/profile': profile, ...more };
  return {
    metadata: { name: `app-${app}` },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels, annotations }, spec: { containers: [container] } },
    },
  };
}
