import type { JsonObject, KubeObject } from '#libs/kernel';
import { CliError } from '../cli-error';
import type { ApiClient } from '../live/api-client';
import { nodeManifest, nodeNames, type SimulatedNodes } from '../simulation/nodes';

const removalTries = 50;
const removalPauseMs = 200;

/**
 * The nodes of a live cluster while a scenario plays there: exactly those that the scenario asks for. Afterwards the cluster's
 * own are there again.
 */
export class LiveNodes {
  private before: KubeObject[] = [];
  private own: string[] = [];

  constructor(private readonly api: ApiClient) {}

  /** @throws CliError when pods of somebody else run in the cluster. */
  async prepare(nodes: SimulatedNodes | undefined): Promise<void> {
    if (!nodes) return;
    const strangers = await this.userPods();
    if (strangers.length > 0) {
      const { namespace, name } = (strangers[0] as KubeObject).metadata;
      throw new CliError(
        `the cluster is in use: ${namespace}/${name}${strangers.length > 1 ? ` and ${strangers.length - 1} more pods` : ''}`,
        'A scenario brings its own nodes and takes the others away meanwhile. Play it on a fresh cluster: kubereel up --ephemeral',
      );
    }
    this.before = await this.list('nodes');
    for (const { metadata } of this.before) await this.api.call('DELETE', `/api/v1/nodes/${metadata.name}`);
    this.own = nodeNames(nodes.count);
    for (const [index, name] of this.own.entries())
      await this.api.call('POST', '/api/v1/nodes', nodeManifest(name, index, nodes) as unknown as JsonObject);
  }

  /** Pods of workloads that were deleted go a moment later; there were none but the scenario's. */
  async removePods(): Promise<void> {
    if (this.own.length === 0) return;
    for (let tries = 0, pods = await this.userPods(); pods.length > 0 && tries < removalTries; tries++, pods = await this.userPods()) {
      for (const { metadata } of pods)
        await this.api.call('DELETE', `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`, { gracePeriodSeconds: 0 });
      await new Promise((resolve) => setTimeout(resolve, removalPauseMs));
    }
  }

  async restore(): Promise<void> {
    if (this.own.length === 0) return;
    for (const { metadata } of await this.list('nodes')) await this.api.call('DELETE', `/api/v1/nodes/${metadata.name}`);
    for (const { metadata, spec, status } of this.before) {
      const { name, labels, annotations } = metadata;
      const { capacity, allocatable } = status as JsonObject;
      const { taints, unschedulable } = (spec ?? {}) as JsonObject;
      const manifest = {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name, labels, annotations },
        spec: { taints, unschedulable },
        status: { capacity, allocatable },
      };
      await this.api.call('POST', '/api/v1/nodes', manifest as unknown as JsonObject);
    }
  }

  private async userPods(): Promise<KubeObject[]> {
    return (await this.list('pods')).filter(({ metadata }) => !metadata.namespace?.startsWith('kube-'));
  }

  private async list(resource: string): Promise<KubeObject[]> {
    const { body } = await this.api.call('GET', `/api/v1/${resource}`);
    return (body.items ?? []) as unknown as KubeObject[];
  }
}
