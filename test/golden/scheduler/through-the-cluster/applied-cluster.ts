// A cluster in memory and in virtual time that has the scheduler (and the priority of pods) and nobody else, filled through the API's
// own write path.
import { priorityReviewer } from '#libs/controllers/priority-admission';
import { schedulerController } from '#libs/scheduler';
import { verify, type VerifyReport } from '#libs/audit';
import {
  ClusterRuntime,
  ControllerShell,
  SimulationExecutive,
  VirtualClock,
  Writer,
  reconcilerController,
  type Controller,
} from '#libs/control-loop';
import { createMemoryLog, type RecordedEvent } from '#libs/event-log';
import { decisionStream, fact } from '#libs/events';
import { derivedId, type KubeObject } from '#libs/kernel';
import type { WriteRequest } from '#libs/kube-api';
import { startOfClock } from '../cluster';
import type { Scenario } from '../scenario';
import { addStorage } from './applied-storage';
import { priorityClassOf, runtimeClassOf, submittedPod, submittedWorkload, withEveryNode } from './as-submitted';

const cluster = 'local';
const seed = 'recorded';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

export class AppliedCluster {
  private operations = 0;

  private constructor(
    private readonly log: ReturnType<typeof createMemoryLog>,
    private readonly runtime: ClusterRuntime,
    private readonly writer: Writer,
    private readonly executive: SimulationExecutive,
    private readonly controllers: Controller[],
  ) {}

  /** The scenario's cluster, all of it created through the write path; the scheduler does not run yet. @throws when a write is refused. */
  static async of(scenario: Scenario): Promise<AppliedCluster> {
    const log = createMemoryLog();
    const clock = new VirtualClock(startOfClock);
    const runtime = await ClusterRuntime.start({ log, cluster, clock, writer: 'recorded', seed });
    const writer = new Writer(runtime);
    const controllers = [
      reconcilerController(priorityReviewer),
      schedulerController({ config: withEveryNode(scenario.config) }),
    ] as unknown as Controller[];
    const applied = new AppliedCluster(log, runtime, writer, new SimulationExecutive(runtime, clock), controllers);
    await applied.begin();
    await new ControllerShell(runtime, writer, controllers[0] as Controller).start();
    await applied.fill(scenario);
    return applied;
  }

  /** As every log begins. */
  private async begin(): Promise<void> {
    const origin = { actor: 'apiserver', operation: 'bootstrap', correlationId: derivedId(`${seed}/bootstrap`) };
    const created = fact('ClusterCreated', { seed, kubernetes: 'v1.34.4' });
    await this.runtime.append(decisionStream(cluster, 'cluster-lifecycle'), [[created]], 'no_stream', {
      origin,
      label: '0',
      follows: undefined,
    });
  }

  get(resource: string, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.runtime.state.get(resource, namespace, name);
  }

  /** Everything that the scheduler writes at once, in log order. */
  async schedule(): Promise<RecordedEvent[]> {
    await this.executive.settle();
    const before = this.runtime.state.position;
    await new ControllerShell(this.runtime, this.writer, this.controllers[1] as Controller).start();
    await this.executive.settle();
    const events: RecordedEvent[] = [];
    for await (const page of this.log.readAll()) for (const event of page) if (event.position > before) events.push(event);
    return events;
  }

  verify(): Promise<VerifyReport> {
    return verify({ log: this.log, cluster, seed, controllers: this.controllers });
  }

  private async fill(scenario: Scenario): Promise<void> {
    const pods = [...(scenario.pods ?? []), scenario.pod as KubeObject];
    const listed = (name: string): KubeObject[] => (scenario[name] as KubeObject[] | undefined) ?? [];
    await this.addNamespaces(listed('namespaces'), pods, [...listed('services'), ...listed('replicaSets'), ...listed('pdbs')]);
    const classes = new Map(pods.map((pod) => [priorityClassOf(pod).name, priorityClassOf(pod)]));
    for (const { name, ...values } of classes.values())
      await this.create('priorityclasses.scheduling.k8s.io', { metadata: { name }, ...values });
    const runtimes = new Map(pods.map(runtimeClassOf).flatMap((use) => (use ? [[use.name, use] as const] : [])));
    for (const { name, overhead } of runtimes.values()) {
      await this.create('runtimeclasses.node.k8s.io', {
        metadata: { name },
        handler: 'recorded',
        ...(overhead ? { overhead: { podFixed: overhead } } : {}),
      });
    }
    for (const node of scenario.nodes ?? []) await this.addNode(node);
    for (const service of listed('services')) await this.create('services', submittedWorkload(service));
    for (const replicaSet of listed('replicaSets')) await this.create('replicasets.apps', submittedWorkload(replicaSet));
    for (const budget of listed('pdbs')) await this.addBudget(budget);
    await addStorage(scenario, this);
    for (const pod of pods) await this.addPod(pod);
  }

  private async addNamespaces(recorded: readonly KubeObject[], ...users: (readonly KubeObject[])[]): Promise<void> {
    const labels = new Map(recorded.map(({ metadata }) => [metadata.name, metadata.labels]));
    for (const { metadata } of users.flat()) if (!labels.has(metadata.namespace ?? '')) labels.set(metadata.namespace ?? '', undefined);
    for (const [name, own] of labels) {
      await this.create('namespaces', { metadata: { name, ...(own ? { labels: own } : {}) } });
      // Without a token no pod gets a volume that it was not recorded with.
      await this.create('serviceaccounts', { metadata: { name: 'default', namespace: name }, automountServiceAccountToken: false });
    }
  }

  /** A new node gets the taint of one that is not ready; it is taken off as the node controller does. */
  private async addNode({ metadata, spec, status }: KubeObject): Promise<void> {
    const { name, labels, annotations } = metadata;
    const created = await this.create('nodes', { metadata: { name, labels, annotations }, spec: spec ?? {}, status });
    const taints = spec?.taints as Loose[] | undefined;
    const { taints: _added, ...rest } = created.spec as Loose;
    await this.write({
      verb: 'update',
      target: { resource: 'nodes', name },
      object: { ...created, spec: taints ? { ...rest, taints } : rest },
    });
  }

  private async addBudget({ apiVersion, kind, metadata, spec, status }: KubeObject): Promise<void> {
    const { name, namespace } = metadata;
    const created = await this.create('poddisruptionbudgets.policy', { apiVersion, kind, metadata: { name, namespace }, spec });
    const target = { resource: 'poddisruptionbudgets.policy', namespace, name } as const;
    await this.write({ verb: 'update', target, subresource: 'status', object: { ...created, status: { ...created.status, ...status } } });
  }

  private async addPod(recorded: KubeObject): Promise<void> {
    const { name, namespace, deletionTimestamp, deletionGracePeriodSeconds } = recorded.metadata;
    const target = { resource: 'pods', namespace, name } as const;
    const created = await this.create('pods', submittedPod(recorded));
    if (recorded.status)
      await this.write({
        verb: 'update',
        target,
        subresource: 'status',
        object: { ...created, status: { ...created.status, ...recorded.status } },
      });
    if (deletionTimestamp) await this.write({ verb: 'delete', target, options: { gracePeriodSeconds: deletionGracePeriodSeconds ?? 30 } });
  }

  async updateStatus(resource: string, object: KubeObject): Promise<KubeObject> {
    const { namespace, name } = object.metadata;
    return this.write({ verb: 'update', target: { resource, namespace, name }, subresource: 'status', object });
  }

  async create(resource: string, object: object): Promise<KubeObject> {
    const { namespace } = (object as KubeObject).metadata;
    return this.write({ verb: 'create', resource, namespace, object: JSON.parse(JSON.stringify(object)) as KubeObject });
  }

  private async write(request: WriteRequest): Promise<KubeObject> {
    const operation = `request/${this.operations++}`;
    const result = await this.writer.write(request, {
      actor: 'user:recorder',
      operation,
      correlationId: derivedId(`${seed}/${operation}`),
    });
    if (result.kind === 'refused') throw new Error(`${JSON.stringify(request)}: ${JSON.stringify(result.status)}`);
    return result.object;
  }
}
