import type { JsonObject, KubeObject } from '#libs/kernel';
import { groupVersionPath, releaseKinds, type Target } from '#libs/kube-api';
import { CliError } from '../cli-error';
import { ApiClient, type ApiAnswer } from '../live/api-client';
import { liveDrainCluster } from '../live/live-drain';
import { readManifest } from '../simulation/actions';
import { drainNode } from '../simulation/drain';
import { LiveNodes } from './live-nodes';
import type { Scenario } from './scenario';
import type { Answer, Happening, ScenarioDrain, ScenarioTarget } from './target';

/** A scenario against the cluster in $KUBECONFIG, in real time. What the scenario created is deleted afterwards. */
export class LiveTarget implements ScenarioTarget {
  private readonly startedAt = Date.now();
  private readonly created: Target[] = [];

  private constructor(
    private readonly api: ApiClient,
    private readonly nodes: LiveNodes,
    /** The cluster's version when the story began: older Events are not of this story. */
    private readonly since: bigint,
  ) {}

  /** @throws CliError when the cluster is in use: a scenario brings its own nodes. */
  static async create(scenario: Scenario): Promise<LiveTarget> {
    if (scenario.scheduler) {
      throw new CliError(
        `${scenario.name}: a live cluster has its scheduler already`,
        'Start one with up --scheduler-config FILE, and play the story without its scheduler field.',
        2,
      );
    }
    const api = ApiClient.fromKubeconfig();
    const nodes = new LiveNodes(api);
    await nodes.prepare(scenario.nodes);
    const { body } = await api.call('GET', '/api/v1/events?limit=1');
    return new LiveTarget(api, nodes, versionOf(body));
  }

  async apply(manifest: JsonObject): Promise<Answer> {
    const { kind, object } = readManifest(manifest);
    const namespace = kind.namespaced ? (object.metadata.namespace ?? 'default') : undefined;
    const target = { resource: kind.groupResource, namespace, name: object.metadata.name };
    const found = await this.get(target);
    if (found) return answerOf(await this.api.call('PATCH', pathOf(target), manifest, 'application/strategic-merge-patch+json'));
    const answer = await this.api.call('POST', collectionOf(target.resource, namespace), manifest);
    if (answer.code === 201) this.created.push(target);
    return answerOf(answer);
  }

  async delete(target: Target, gracePeriodSeconds: number | undefined): Promise<Answer> {
    const options = { propagationPolicy: 'Background', ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }) };
    return answerOf(await this.api.call('DELETE', pathOf(target), options));
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

  drain(node: string, options: ScenarioDrain): Promise<boolean> {
    return drainNode(liveDrainCluster(this.api), node, options);
  }

  async until<T>(promise: Promise<T>, limitMs: number): Promise<T | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), limitMs)));
    try {
      return await Promise.race([promise, limit]);
    } finally {
      clearTimeout(timer);
    }
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }

  async get(target: Target): Promise<KubeObject | undefined> {
    const { code, body } = await this.api.call('GET', pathOf(target));
    return code === 200 ? (body as unknown as KubeObject) : undefined;
  }

  async list(resource: string, namespace: string | undefined): Promise<KubeObject[]> {
    const { body } = await this.api.call('GET', collectionOf(resource, namespace));
    const items = (body.items ?? []) as unknown as KubeObject[];
    return resource === 'events' ? items.filter((event) => versionOf(event) > this.since) : items;
  }

  /** A live cluster is not followed: `kubereel log -f` beside it shows what it does. */
  news(): Happening[] {
    return [];
  }

  elapsed(): number {
    return Date.now() - this.startedAt;
  }

  async close(): Promise<void> {
    for (const target of this.created.reverse()) await this.delete(target, 0);
    await this.nodes.removePods();
    await this.nodes.restore();
    this.api.close();
  }
}

function versionOf({ metadata }: { metadata?: unknown }): bigint {
  return BigInt((metadata as { resourceVersion?: string } | undefined)?.resourceVersion ?? 0);
}

export function collectionOf(resource: string, namespace: string | undefined): string {
  const kind = releaseKinds.kindOf(resource);
  const root = groupVersionPath(kind.group, kind.version);
  return `${root}${namespace ? `/namespaces/${encodeURIComponent(namespace)}` : ''}/${kind.resource}`;
}

export function pathOf({ resource, namespace, name }: Target): string {
  return `${collectionOf(resource, namespace)}/${encodeURIComponent(name)}`;
}

function answerOf({ code, body }: ApiAnswer): Answer {
  return { code, ...(code >= 400 ? { message: String(body.message ?? '') } : {}) };
}
