import { chanceOf, type JsonObject, type KubeObject } from '#libs/kernel';
import { patchObject, scaleObject } from '../../apps/cli/src/simulation/actions';
import type { SimulatedCluster } from '../../apps/cli/src/simulation/simulated-cluster';

export const nodesOfLife = { count: 3, cpu: '4', memory: '8Gi', pods: 110 };
const namespace = 'default';
const deploymentsMax = 3;
/**
 * A label of its own: a pod that preempts and shuns others by anti-affinity may be kept from its node for ever by pods that are made anew at
 * once, as in kube-scheduler, whose InterPodAffinity is skipped for them. Virtual time would not pass meanwhile.
 */
const deployed = 'deployed';
/** Passing of time between two actions, ms: none, less than a container needs to end, back-offs, a pod's longest wait. */
const pauses = [0, 0, 50, 700, 2_000, 11_000, 40_000, 330_000];

/** What users see of a cluster, and what lets it live. */
export type LivedCluster = Pick<SimulatedCluster, 'state' | 'write'> & {
  readonly executive: Pick<SimulatedCluster['executive'], 'settle' | 'runFor'>;
};

/** What users may do to a small cluster, drawn from a seed: pods of all kinds on nodes that are too few for them. */
export class RandomLife {
  private made = 0;
  private draws = 0;

  constructor(
    private readonly cluster: LivedCluster,
    private readonly seed: string,
  ) {}

  async begin(): Promise<void> {
    for (const [name, value] of [
      ['low', 10],
      ['high', 1_000],
    ] as const)
      await this.create('priorityclasses.scheduling.k8s.io', undefined, { metadata: { name }, value });
    for (const app of ['app-0', deployed]) {
      const budget = { minAvailable: 1, selector: { matchLabels: { app } } };
      await this.create('poddisruptionbudgets.policy', namespace, { metadata: { name: app }, spec: budget });
    }
    await this.cluster.executive.runFor(1_000);
  }

  /** One action, and some time for what follows from it. */
  async step(): Promise<void> {
    const actions = [
      () => this.pod(),
      () => this.pod(),
      () => this.pod(),
      () => this.deployment(),
      () => this.removePod(),
      () => this.evictPod(),
      () => this.ungate(),
      () => this.cordon(),
      () => this.label(),
      () => this.replaceNode(),
    ];
    const action = actions[this.draw(actions.length)] as () => Promise<unknown>;
    const acting = action();
    await this.cluster.executive.settle();
    await acting;
    await this.cluster.executive.runFor(pauses[this.draw(pauses.length)] as number);
  }

  private draw(bound: number): number {
    return chanceOf(this.seed, `life/${this.draws++}`).index(bound, '');
  }

  private oneOf<T>(choices: readonly T[]): T {
    return choices[this.draw(choices.length)] as T;
  }

  private pod(): Promise<unknown> {
    const name = `pod-${this.made++}`;
    const labels = { app: `app-${this.draw(3)}`, ...(this.draw(4) === 0 ? { group: 'g' } : {}) };
    const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: labels.app } } };
    const spread = { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' };
    const spec = {
      containers: [{ name: 'c', image: 'app:1', resources: { requests: { cpu: this.oneOf(['250m', '1', '2', '3', '9']) } } }],
      ...(this.draw(2) === 0 ? {} : { priorityClassName: this.oneOf(['low', 'high']) }),
      ...(this.draw(6) === 0 ? { preemptionPolicy: 'Never', priorityClassName: undefined } : {}),
      ...(this.draw(3) === 0 ? { terminationGracePeriodSeconds: 0 } : {}),
      ...(this.draw(6) === 0 ? { schedulingGates: [{ name: 'example.com/later' }] } : {}),
      ...(this.draw(6) === 0 ? { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } } : {}),
      ...(this.draw(6) === 0 ? { topologySpreadConstraints: [{ ...spread, labelSelector: term.labelSelector }] } : {}),
      ...(this.draw(6) === 0 ? { nodeSelector: { team: 'red' } } : {}),
      restartPolicy: this.oneOf(['Always', 'Never', 'OnFailure']),
    };
    const annotations = this.draw(2) === 0 ? { 'kubereel.dev/run-for': this.oneOf(['1s', '20s']), 'kubereel.dev/exit-code': '1' } : {};
    return this.create('pods', namespace, { metadata: { name, labels, annotations }, spec });
  }

  private deployment(): Promise<unknown> {
    const name = `deployment-${this.draw(deploymentsMax)}`;
    const target = { resource: 'deployments.apps', namespace, name };
    if (this.cluster.state.get(target.resource, namespace, name)) return scaleObject(this.cluster, target, this.draw(6));
    const containers = [{ name: 'c', image: 'app:1', resources: { requests: { cpu: '500m' } } }];
    const template = { metadata: { labels: { app: deployed, name } }, spec: { containers } };
    const spec = { replicas: 1 + this.draw(4), selector: { matchLabels: { name } }, template };
    return this.create(target.resource, namespace, { metadata: { name }, spec });
  }

  private async removePod(): Promise<void> {
    const target = this.anyPod();
    if (target) await this.cluster.write({ verb: 'delete', target, options: this.draw(3) === 0 ? { gracePeriodSeconds: 0 } : {} });
  }

  private async evictPod(): Promise<void> {
    const target = this.anyPod();
    if (target) await this.cluster.write({ verb: 'evict', target });
  }

  private async ungate(): Promise<void> {
    const target = this.anyPod(({ spec }) => spec?.schedulingGates !== undefined);
    if (target) await patchObject(this.cluster, target, { spec: { schedulingGates: null } }, 'merge');
  }

  private async cordon(): Promise<void> {
    const target = this.anyNode();
    if (target) await patchObject(this.cluster, target, { spec: { unschedulable: this.oneOf([true, null]) } }, 'merge');
  }

  private async label(): Promise<void> {
    const target = this.anyNode();
    if (target) await patchObject(this.cluster, target, { metadata: { labels: { team: this.oneOf(['red', null]) } } }, 'merge');
  }

  /** A node goes, or comes (again): its pods stay behind for the pod garbage collector. */
  private async replaceNode(): Promise<void> {
    const name = `node-${1 + this.draw(nodesOfLife.count)}`;
    const target = { resource: 'nodes', name };
    if (this.cluster.state.get('nodes', undefined, name)) {
      await this.cluster.write({ verb: 'delete', target });
      return;
    }
    const capacity = { cpu: nodesOfLife.cpu, memory: nodesOfLife.memory, pods: String(nodesOfLife.pods) };
    await this.create('nodes', undefined, { metadata: { name }, status: { capacity, allocatable: capacity } });
  }

  private anyPod(isMeant: (pod: KubeObject) => boolean = () => true): { resource: string; namespace: string; name: string } | undefined {
    const names = [...this.cluster.state.list('pods', namespace)].filter(isMeant).map(({ metadata }) => metadata.name);
    return names.length === 0 ? undefined : { resource: 'pods', namespace, name: this.oneOf(names) };
  }

  private anyNode(): { resource: string; name: string } | undefined {
    const names = [...this.cluster.state.list('nodes')].map(({ metadata }) => metadata.name);
    return names.length === 0 ? undefined : { resource: 'nodes', name: this.oneOf(names) };
  }

  private create(resource: string, inNamespace: string | undefined, object: JsonObject): Promise<unknown> {
    const writing = this.cluster.write({ verb: 'create', resource, namespace: inNamespace, object: object as unknown as KubeObject });
    return this.cluster.executive.settle().then(() => writing);
  }
}
