import { describe, expect, it } from 'vitest';
import type { AppOptions } from '#libs/app-shell';
import type { JsonObject, KubeObject } from '#libs/kernel';
import type { Simulation } from '#libs/testing';
import { clusterWorld, makeNamespace } from '../cluster-world.fixture';
import { controllerManagerControllers } from '../controller-manager';

const deployments = 'deployments.apps';
const replicaSets = 'replicasets.apps';
const options: AppOptions = { cluster: 'local', seed: 's' };

function deployment(replicas: number, spec: JsonObject = {}): JsonObject {
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'app:1' }] } };
  return { metadata: { name: 'web' }, spec: { replicas, selector: { matchLabels: { app: 'web' } }, template, ...spec } };
}

const image = (tag: string): JsonObject => ({ spec: { template: { spec: { containers: [{ name: 'c', image: `app:${tag}` }] } } } });

class Rollout {
  private constructor(readonly cluster: Simulation) {}

  static async of(replicas: number, spec: JsonObject = {}): Promise<Rollout> {
    const cluster = await clusterWorld(controllerManagerControllers(options));
    await makeNamespace(cluster, 'web');
    await cluster.create(deployments, 'web', deployment(replicas, spec));
    return new Rollout(cluster);
  }

  get pods(): KubeObject[] {
    return this.cluster.list('pods', 'web');
  }

  get deployment(): KubeObject {
    return this.cluster.get(deployments, 'web', 'web') as KubeObject;
  }

  /** Sizes of the ReplicaSets, by revision. */
  get sizes(): Record<string, number> {
    const sets = this.cluster.list(replicaSets, 'web');
    return Object.fromEntries(
      sets.map(({ metadata, spec }) => [metadata.annotations?.['deployment.kubernetes.io/revision'], spec.replicas]),
    );
  }

  /** Makes pods ready until none is left that is not; gives the most pods and the fewest ready ones seen on the way. */
  async finish(): Promise<{ most: number; fewestReady: number }> {
    const seen = { most: this.pods.length, fewestReady: Infinity };
    for (let waiting = this.notReady(); waiting[0]; waiting = this.notReady()) {
      const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T12:00:00Z' }];
      await this.cluster.patch('pods', 'web', waiting[0].metadata.name, { status: { phase: 'Running', conditions } }, 'status');
      seen.most = Math.max(seen.most, this.pods.length);
      seen.fewestReady = Math.min(seen.fewestReady, this.pods.length - this.notReady().length);
    }
    return seen;
  }

  private notReady(): KubeObject[] {
    return this.pods.filter(({ status }) => status?.phase !== 'Running');
  }
}

describe('a Deployment', () => {
  it('rolls out its first ReplicaSet', async () => {
    const rollout = await Rollout.of(3);
    const [replicaSet] = rollout.cluster.list(replicaSets, 'web');
    const hash = replicaSet?.metadata.labels?.['pod-template-hash'] as string;
    expect(replicaSet?.metadata).toMatchObject({
      name: `web-${hash}`,
      annotations: {
        'deployment.kubernetes.io/desired-replicas': '3',
        'deployment.kubernetes.io/max-replicas': '4',
        'deployment.kubernetes.io/revision': '1',
      },
    });
    expect(rollout.pods).toHaveLength(3);
    expect(rollout.pods[0]?.metadata.labels).toEqual({ app: 'web', 'pod-template-hash': hash });
    await rollout.finish();
    expect(rollout.deployment.metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '1' });
    expect(rollout.deployment.status).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
    });
    expect(rollout.deployment.status.conditions).toMatchObject([
      { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
      {
        type: 'Progressing',
        status: 'True',
        reason: 'NewReplicaSetAvailable',
        message: `ReplicaSet "web-${hash}" has successfully progressed.`,
      },
    ]);
    expect(await rollout.cluster.reports()).toContain(`ScalingReplicaSet: Scaled up replica set web-${hash} from 0 to 3`);
    expect(await rollout.cluster.verify()).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
  });

  it('keeps to its fences while a new template is rolled out', async () => {
    const rollout = await Rollout.of(4, { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } });
    await rollout.finish();
    await rollout.cluster.patch(deployments, 'web', 'web', image('2'));
    const { most, fewestReady } = await rollout.finish();
    expect(most).toBeLessThanOrEqual(5);
    expect(fewestReady).toBeGreaterThanOrEqual(3);
    expect(rollout.sizes).toEqual({ 1: 0, 2: 4 });
    expect(await rollout.cluster.verify()).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
  });

  it('goes back to an older template under a new revision', async () => {
    const rollout = await Rollout.of(2);
    await rollout.finish();
    for (const tag of ['2', '1']) {
      await rollout.cluster.patch(deployments, 'web', 'web', image(tag));
      await rollout.finish();
    }
    expect(rollout.sizes).toEqual({ 2: 0, 3: 2 });
    const current = rollout.cluster.list(replicaSets, 'web').find(({ spec }) => spec.replicas === 2);
    expect(current?.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '3',
      'deployment.kubernetes.io/revision-history': '1',
    });
  });

  it('scales all its ReplicaSets in proportion during a rollout', async () => {
    const rollout = await Rollout.of(10, { strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } });
    await rollout.finish();
    await rollout.cluster.patch(deployments, 'web', 'web', image('2'));
    expect(rollout.sizes).toEqual({ 1: 8, 2: 5 });
    await rollout.cluster.patch(deployments, 'web', 'web', { spec: { replicas: 15 } });
    expect(rollout.sizes).toEqual({ 1: 11, 2: 7 });
  });

  it('recreates: no new pod before the last old one has gone', async () => {
    const rollout = await Rollout.of(2, { strategy: { type: 'Recreate' } });
    await rollout.finish();
    const old = rollout.pods.map(({ metadata }) => metadata.name);
    for (const name of old) {
      await rollout.cluster.send({ verb: 'bind', target: { resource: 'pods', namespace: 'web', name }, node: 'n1' });
    }
    await rollout.cluster.patch(deployments, 'web', 'web', image('2'));
    expect(rollout.pods.map(({ metadata }) => metadata.name)).toEqual(old);
    for (const name of old) {
      expect(rollout.pods.every(({ spec }) => spec.containers[0].image === 'app:1')).toBe(true);
      await rollout.cluster.send({
        verb: 'delete',
        target: { resource: 'pods', namespace: 'web', name },
        options: { gracePeriodSeconds: 0 },
      });
    }
    expect(rollout.pods.map(({ spec }) => spec.containers[0].image)).toEqual(['app:2', 'app:2']);
    expect(await rollout.cluster.verify()).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
  });

  it('says when a rollout has not progressed in time', async () => {
    const rollout = await Rollout.of(1, { progressDeadlineSeconds: 30 });
    await rollout.cluster.run(29_000);
    expect(rollout.deployment.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Progressing', reason: 'ReplicaSetUpdated' }),
    );
    await rollout.cluster.run(5_000);
    expect(rollout.deployment.status.conditions).toContainEqual(
      expect.objectContaining({
        type: 'Progressing',
        status: 'False',
        reason: 'ProgressDeadlineExceeded',
        message: expect.stringContaining('has timed out progressing.'),
      }),
    );
  });

  it('waits while paused, and keeps no more history than asked for', async () => {
    const rollout = await Rollout.of(1, { revisionHistoryLimit: 1 });
    await rollout.finish();
    await rollout.cluster.patch(deployments, 'web', 'web', { spec: { paused: true } });
    await rollout.cluster.patch(deployments, 'web', 'web', image('2'));
    expect(rollout.sizes).toEqual({ 1: 1 });
    await rollout.cluster.patch(deployments, 'web', 'web', { spec: { paused: false } });
    await rollout.finish();
    expect(rollout.sizes).toEqual({ 1: 0, 2: 1 });
    await rollout.cluster.patch(deployments, 'web', 'web', image('3'));
    await rollout.finish();
    expect(rollout.sizes).toEqual({ 2: 0, 3: 1 });
  });
});
