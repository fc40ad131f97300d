// Plays a recorded life in virtual time: a whole control plane, the node and the pods as recorded, and everything that was done.
import { SimulatedCluster } from '../../../apps/cli/src/simulation/simulated-cluster';
import { EventReports, type FoldedAppend } from '#libs/cluster-state';
import { fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { kindsOf } from '#libs/kube-api';
import { act, tell } from './actions';
import {
  bystander,
  kubeletBegins,
  kubeletOptionsOf,
  loadOf,
  neighbourOf,
  networkBegins,
  nodeOf,
  passShiftMs,
  priorityClassesOf,
} from './node-setup';
import type { PodScript, RecordedLife } from './recording';
import { annotationsOf } from './script';

/** A change that a watch would have shown, seconds from when the first pod was there. */
export interface Change {
  t: number;
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: KubeObject;
}

/** What became of it here. */
export interface PlayedLife {
  pods: Change[];
  node: Change[];
  leases: Change[];
  /** Event objects at the end, seconds from the first pod: `first` and `last` time. */
  events: KubeObject[];
  /** Answers that differ from the recorded ones. */
  answers: { path: string; text: string }[];
  /** When the first pod was there, ms since the epoch. */
  began: number;
}

const startTime = Date.parse('2026-01-01T00:00:00Z');
/** The node is there for so long before the first pod comes, ms. */
const beforeMs = 20_000;
/** A little behind a full second, as chance has it: times that are cut to the second lie before the moment. */
const pastTheSecondMs = 250;

export async function playLife(life: RecordedLife): Promise<PlayedLife> {
  const cluster = await SimulatedCluster.create({ startTime, seed: life.id, kubelet: kubeletOptionsOf(life) });
  try {
    return await new Play(life, cluster).run();
  } finally {
    await cluster.close();
  }
}

class Play {
  private readonly reports: EventReports;
  private readonly began: number;
  private readonly played: PlayedLife;

  constructor(
    private readonly life: RecordedLife,
    private readonly cluster: SimulatedCluster,
  ) {
    this.began = startTime + beforeMs + passShiftMs(life) + pastTheSecondMs;
    this.played = { pods: [], node: [], leases: [], events: [], answers: [], began: this.began };
    this.reports = new EventReports({ kindOf: (resource) => kindsOf(cluster.state).findGroupResource(resource) });
    cluster.runtime.folded$.subscribe((appends) => appends.forEach((append) => this.folded(append)));
  }

  async run(): Promise<PlayedLife> {
    const { life, cluster } = this;
    const namespace = life.pods[0]?.manifest.metadata.namespace ?? life.id.replace('/', '-');
    await this.create('namespaces', undefined, { metadata: { name: namespace } } as KubeObject);
    if (life.nodeTimeline) await this.create('nodes', undefined, bystander);
    const begins = networkBegins(life);
    if (begins) await act(cluster, namespace, begins, life);
    const node = nodeOf(life);
    for (const object of priorityClassesOf(life)) await this.create('priorityclasses.scheduling.k8s.io', undefined, object);
    if (node) {
      await cluster.executive.runUntil(this.began + kubeletBegins(life));
      await this.create('nodes', undefined, node);
    }
    const neighbour = neighbourOf(life);
    if (neighbour) {
      await cluster.executive.runUntil(this.began + neighbour.begins);
      await this.create('nodes', undefined, neighbour.object);
    }
    const load = loadOf(life);
    if (load) await tell(cluster, load);
    for (const object of life.objects ?? []) {
      await this.create(`${(object.kind as string).toLowerCase()}s`, namespace, object);
    }
    for (const { at, step } of this.steps(namespace)) {
      const due = this.began + at * 1_000;
      if (due > cluster.clock.now()) await cluster.executive.runUntil(due);
      await step();
      await cluster.executive.settle();
    }
    await cluster.executive.runUntil(this.began + life.recordedFor * 1_000);
    this.played.events = [...this.reports.table.objects].map(([, object]) => object);
    return this.played;
  }

  /** Mirror pods are made by the kubelet, and what was refused was no pod. */
  private steps(namespace: string): { at: number; step: () => Promise<void> }[] {
    const { life, cluster } = this;
    const { pods, actions, script } = life;
    const steps: { at: number; step: () => Promise<void> }[] = [];
    for (const { at, manifest } of pods) {
      const { annotations = {}, name } = manifest.metadata;
      if (annotations['kubernetes.io/config.mirror'] !== undefined) continue;
      const object = withAnnotations(manifest, annotationsOf(script[name] ?? ownScript(annotations), manifest));
      steps.push({ at, step: () => this.create('pods', manifest.metadata.namespace as string, object) });
    }
    const neighbour = neighbourOf(life);
    if (neighbour) {
      const silence = fact('NodeHeartbeatStopped', { node: neighbour.object.metadata.name });
      steps.push({ at: neighbour.stops / 1_000, step: () => tell(cluster, silence) });
    }
    actions.forEach((action, index) => {
      const isThere = pods.some(({ manifest }) => manifest.metadata.name === (action.body as KubeObject | undefined)?.metadata?.name);
      if (action.do === 'create-pod' && (action.code ?? 0) < 300 && isThere) return;
      const step = async (): Promise<void> => {
        const difference = await act(cluster, namespace, action, life);
        if (difference) this.played.answers.push({ path: `actions[${index}].${difference.path}`, text: difference.text });
      };
      steps.push({ at: action.at, step });
    });
    return steps.toSorted((a, b) => a.at - b.at);
  }

  private async create(resource: string, namespace: string | undefined, object: KubeObject): Promise<void> {
    const result = await this.cluster.writeAndSettle({ verb: 'create', resource, namespace, object }, 'admin');
    if (result.kind !== 'refused') return;
    this.played.answers.push({ path: `${resource}.${object.metadata.name}`, text: `not created: ${result.status.message}` });
  }

  private folded(append: FoldedAppend): void {
    this.reports.apply(append, this.cluster.state);
    const { change, time } = append;
    if (!change) return;
    const seen: Change = { t: (time - this.began) / 1_000, type: change.type, object: change.object };
    if (change.resource === 'pods') this.played.pods.push(seen);
    else if (change.resource === 'nodes') this.played.node.push(seen);
    else if (change.resource === 'leases.coordination.k8s.io' && change.object.metadata.namespace === 'kube-node-lease')
      this.played.leases.push(seen);
  }
}

/** Pods that came by an action bring their script along. */
function ownScript(annotations: Record<string, string>): PodScript {
  const said = Object.entries(annotations).flatMap(([key, text]) => (key.startsWith('sim/') ? [[key.slice(4), scriptIn(text)]] : []));
  return Object.fromEntries(said) as PodScript;
}

/** Some are a bare text. */
function scriptIn(text: string): unknown {
  return text.startsWith('{') ? JSON.parse(text) : text;
}

/** The pod as it was sent, and what it does in our own annotations. */
function withAnnotations(manifest: KubeObject, own: Record<string, string>): KubeObject {
  const { generation: _, ...metadata } = manifest.metadata;
  return { ...manifest, metadata: { ...metadata, annotations: { ...metadata.annotations, ...own } } } as KubeObject;
}
