import type { JsonObject, KubeObject } from '#libs/kernel';
import { kindOf, type Target } from '#libs/kube-api';
import { ApiClient, type ApiAnswer } from '../live/api-client';
import { readManifest } from '../simulation/actions';
import type { Scenario } from './scenario-file';
import type { Answer, ScenarioTarget } from './target';

const evictionRetryMs = 5_000;
const gonePollMs = 500;

/** A scenario against the cluster in $KUBECONFIG, in real time. What the scenario created is deleted afterwards. */
export class LiveTarget implements ScenarioTarget {
  private readonly startedAt = Date.now();
  private readonly created: Target[] = [];

  private constructor(private readonly api: ApiClient) {}

  static async create(scenario: Scenario): Promise<LiveTarget> {
    const target = new LiveTarget(ApiClient.fromKubeconfig());
    await target.prepareNodes(scenario);
    return target;
  }

  async apply(manifest: JsonObject): Promise<Answer> {
    const { kind, object } = readManifest(manifest);
    const namespace = kind.namespaced ? (object.metadata.namespace ?? 'default') : undefined;
    const target = { resource: kind.groupResource, namespace, name: object.metadata.name };
    const found = await this.get(target);
    if (found) return answerOf(await this.api.call('PATCH', pathOf(target), manifest, 'application/strategic-merge-patch+json'));
    const answer = await this.api.call('POST', collectionOf(target), manifest);
    if (answer.code === 201) this.created.push(target);
    return answerOf(answer);
  }

  async delete(target: Target, gracePeriodSeconds: number | undefined): Promise<Answer> {
    return answerOf(await this.api.call('DELETE', pathOf(target), { propagationPolicy: 'Background', ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }) }));
  }

  async patch(target: Target, patch: JsonObject): Promise<Answer> {
    return answerOf(await this.api.call('PATCH', pathOf(target), patch, 'application/merge-patch+json'));
  }

  scale(target: Target, replicas: number): Promise<Answer> {
    return this.patch(target, { spec: { replicas } });
  }

  async evict(target: Target): Promise<Answer> {
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: target.name, namespace: target.namespace ?? 'default' } };
    return answerOf(await this.api.call('POST', `${pathOf(target)}/eviction`, body));
  }

  async drain(node: string, timeoutMs: number | undefined, tell: (pod: string, code: number) => void): Promise<boolean> {
    const deadline = Date.now() + (timeoutMs ?? 300_000);
    await this.patch({ resource: 'nodes', name: node }, { spec: { unschedulable: true } });
    const pods = (await this.list('pods')).filter((pod) => pod.spec?.nodeName === node);
    const drained = await Promise.all(pods.map((pod) => this.evictUntilGone(pod, deadline, tell)));
    return drained.every(Boolean);
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }

  async get(target: Target): Promise<KubeObject | undefined> {
    const { code, body } = await this.api.call('GET', pathOf(target));
    return code === 200 ? (body as unknown as KubeObject) : undefined;
  }

  async list(resource: string): Promise<KubeObject[]> {
    const { body } = await this.api.call('GET', collectionOf({ resource, name: '' }));
    return (body.items ?? []) as unknown as KubeObject[];
  }

  elapsed(): number {
    return Date.now() - this.startedAt;
  }

  async close(): Promise<void> {
    for (const target of this.created.reverse()) await this.delete(target, 0);
    this.api.close();
  }

  /** The scenario's own nodes stand beside the cluster's, which are cordoned while it plays. */
  private async prepareNodes(scenario: Scenario): Promise<void> {
    if (!scenario.nodes) return;
    const wanted = new Set(Array.from({ length: scenario.nodes.count }, (_, index) => `node-${index + 1}`));
    const { cpu, memory, pods } = scenario.nodes;
    for (const node of await this.list('nodes')) {
      const fits = wanted.delete(node.metadata.name) && node.status?.allocatable?.cpu === cpu;
      if (!fits) await this.api.call('DELETE', pathOf({ resource: 'nodes', name: node.metadata.name }));
      if (!fits && /^node-\d+$/.test(node.metadata.name)) wanted.add(node.metadata.name);
    }
    const zones = ['zone-a', 'zone-b', 'zone-c'];
    for (const name of wanted) {
      if (Number(name.slice(5)) > scenario.nodes.count) continue;
      const labels = { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': zones[(Number(name.slice(5)) - 1) % zones.length] };
      const capacity = { cpu, memory, pods: String(pods) };
      await this.api.call('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, status: { capacity, allocatable: capacity } });
    }
  }

  private async evictUntilGone(pod: KubeObject, deadline: number, tell: (pod: string, code: number) => void): Promise<boolean> {
    const { namespace, name, uid } = pod.metadata;
    const target = { resource: 'pods', namespace, name };
    for (;;) {
      const { code } = await this.evict(target);
      tell(`${namespace}/${name}`, code);
      if (code !== 429) break;
      if (Date.now() + evictionRetryMs > deadline) return false;
      await this.wait(evictionRetryMs);
    }
    while ((await this.get(target))?.metadata.uid === uid) {
      if (Date.now() + gonePollMs > deadline) return false;
      await this.wait(gonePollMs);
    }
    return true;
  }
}

function collectionOf({ resource, namespace }: Target): string {
  const kind = kindOf(resource);
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  return `${root}${namespace ? `/namespaces/${encodeURIComponent(namespace)}` : ''}/${kind.resource}`;
}

function pathOf(target: Target): string {
  return `${collectionOf(target)}/${encodeURIComponent(target.name)}`;
}

function answerOf({ code, body }: ApiAnswer): Answer {
  return { code, ...(code >= 400 ? { message: String(body.message ?? '') } : {}) };
}
