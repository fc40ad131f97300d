import type { SimulatedCluster } from '../../apps/cli/src/simulation/simulated-cluster';
import { drainable, patchObject, scaleObject } from '../../apps/cli/src/simulation/actions';
import { drainNode } from '../../apps/cli/src/simulation/drain';
import { chanceOf, type JsonObject, type KubeObject } from '#libs/kernel';

/** Sizes of the cluster that lives: about 1,000 pods at a time, on nodes that they nearly fill. */
export const nodesCount = 24;
const namespacesCount = 12;
const deploymentsPerNamespace = 5;
const replicasMax = 24;
/** What happens in a turn of virtual time. */
const jobsPerTurn = 20;
export const turnMs = 60_000;
const urgentCount = 30;

interface Draw {
  (bound: number, label: string): number;
}

/**
 * What users do to a cluster that is lived in: deployments that are rolled out and scaled, pods that run to their end, urgent pods that
 * preempt others, nodes that are drained and come back. Each turn is drawn from the seed and its number.
 */
export class CityLife {
  constructor(
    private readonly cluster: SimulatedCluster,
    private readonly seed: string,
  ) {}

  /** The first inhabitants; those who are there already stay as they are. */
  async settle(): Promise<void> {
    await this.create('priorityclasses.scheduling.k8s.io', undefined, { metadata: { name: 'urgent' }, value: 1_000 });
    for (let space = 0; space < namespacesCount; space++) {
      await this.create('namespaces', undefined, { metadata: { name: namespaceOf(space) } });
      await this.cluster.executive.runFor(100);
      await this.create('poddisruptionbudgets.policy', namespaceOf(space), {
        metadata: { name: 'app-0' },
        spec: { minAvailable: '50%', selector: { matchLabels: { app: 'app-0' } } },
      });
      for (let app = 0; app < deploymentsPerNamespace; app++) {
        const draw = this.drawOf(`begin/${space}/${app}`);
        await this.create('deployments.apps', namespaceOf(space), deploymentOf(`app-${app}`, 4 + draw(replicasMax, 'replicas')));
      }
      await this.cluster.executive.runFor(5_000);
    }
  }

  async turn(number: number): Promise<void> {
    const draw = this.drawOf(`turn/${number}`);
    await this.rollOut(draw, number);
    await this.scale(draw);
    for (let job = 0; job < jobsPerTurn; job++) {
      const runFor = `${5 + draw(40, `for/${job}`)}s`;
      const exit = draw(20, `exit/${job}`) === 0 ? '1' : '0';
      const name = `job-${number}-${job}`;
      const annotations = { 'kubereel.dev/run-for': runFor, 'kubereel.dev/exit-code': exit };
      await this.pod(draw(namespacesCount, `space/${job}`), name, '250m', { restartPolicy: 'Never' }, annotations);
    }
    if (number % 5 === 4) await this.urgency(draw, number);
    if (number % 7 === 3) await this.drain(draw);
    await this.cluster.executive.runFor(turnMs);
    await this.sweep();
  }

  private async rollOut(draw: Draw, number: number): Promise<void> {
    const target = this.deployment(draw, 'rolled');
    const template = { metadata: { annotations: { 'example.com/release': String(number) } } };
    await patchObject(this.cluster, target, { spec: { template } } as never, 'merge');
  }

  private async scale(draw: Draw): Promise<void> {
    await scaleObject(this.cluster, this.deployment(draw, 'scaled'), 2 + draw(replicasMax, 'to'));
  }

  /** More than there is room for: some preempt, some wait. */
  private async urgency(draw: Draw, number: number): Promise<void> {
    for (let i = 0; i < urgentCount; i++) {
      const annotations = { 'kubereel.dev/run-for': '50s' };
      const spec = { restartPolicy: 'Never', priorityClassName: 'urgent' };
      await this.pod(draw(namespacesCount, `urgent/${i}`), `urgent-${number}-${i}`, '2', spec, annotations);
    }
  }

  private async drain(draw: Draw): Promise<void> {
    const node = `node-${1 + draw(nodesCount, 'node')}`;
    const drained = drainNode(drainable(this.cluster), node, { timeoutMs: 40_000 });
    await this.cluster.executive.runFor(turnMs);
    await drained;
    await patchObject(this.cluster, { resource: 'nodes', name: node }, { spec: { unschedulable: null } }, 'merge');
  }

  /** Pods that came to their end are deleted, as whoever made them would. */
  private async sweep(): Promise<void> {
    const isOver = ({ status }: KubeObject): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';
    for (const { metadata } of [...this.cluster.state.list('pods')].filter(isOver)) {
      const target = { resource: 'pods', namespace: metadata.namespace, name: metadata.name };
      await this.cluster.write({ verb: 'delete', target } as never);
    }
  }

  private deployment(draw: Draw, label: string): { resource: string; namespace: string; name: string } {
    return {
      resource: 'deployments.apps',
      namespace: namespaceOf(draw(namespacesCount, `${label}/space`)),
      name: `app-${draw(deploymentsPerNamespace, `${label}/app`)}`,
    };
  }

  private async pod(space: number, name: string, cpu: string, spec: JsonObject, annotations: JsonObject): Promise<void> {
    const containers = [{ name: 'c', image: 'example.com/job:1', resources: { requests: { cpu, memory: '128Mi' } } }];
    await this.create('pods', namespaceOf(space), { metadata: { name, annotations }, spec: { ...spec, containers } });
  }

  private async create(resource: string, namespace: string | undefined, object: JsonObject): Promise<void> {
    const answer = this.cluster.write({ verb: 'create', resource, namespace, object } as never);
    await this.cluster.executive.settle();
    const result = await answer;
    if (result.kind === 'refused' && result.status.reason !== 'AlreadyExists')
      throw new Error(`${resource} ${JSON.stringify(object.metadata)} is refused: ${result.status.message}`);
  }

  private drawOf(label: string): Draw {
    const chance = chanceOf(this.seed, label);
    return (bound, name) => chance.index(bound, name);
  }
}

function namespaceOf(index: number): string {
  return `team-${index}`;
}

function deploymentOf(name: string, replicas: number): JsonObject {
  const labels = { app: name };
  return {
    metadata: { name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: 'main', image: 'example.com/app:1', resources: { requests: { cpu: '150m', memory: '256Mi' } } }],
          terminationGracePeriodSeconds: 5,
        },
      },
    },
  };
}
