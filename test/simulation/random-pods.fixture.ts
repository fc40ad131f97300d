import { fact, type Fact } from '#libs/events';
import { chanceOf, type JsonObject, type KubeObject } from '#libs/kernel';
import { patchObject } from '../../apps/cli/src/simulation/actions';
import { nodesOfLife, type LivedCluster } from './random-life.fixture';

const namespace = 'default';
/** Passing of time between two actions, ms: none, parts of a start, of a probe's period, of a grace; waits for back-offs and taints. */
const pauses = [0, 50, 300, 700, 2_000, 5_000, 11_000, 31_000, 65_000, 330_000];
const mebi = 1024 ** 2;

/** A cluster whose simulated machines may be told what befalls them. */
export type ShakenCluster = LivedCluster & { tell(facts: readonly Fact[]): Promise<unknown> };

/** What kubelets have to deal with, drawn from a seed: containers of all kinds that start, fail, are probed and stopped, on nodes that fail. */
export class RandomPods {
  private made = 0;
  private draws = 0;

  constructor(
    private readonly cluster: ShakenCluster,
    private readonly seed: string,
  ) {}

  async begin(): Promise<void> {
    await this.cluster.executive.runFor(1_000);
  }

  /** One action, and some time for what follows from it. */
  async step(): Promise<void> {
    const actions = [
      () => this.pod(),
      () => this.pod(),
      () => this.pod(),
      () => this.pod(),
      () => this.deployment(),
      () => this.removePod(),
      () => this.removePod(),
      () => this.evictPod(),
      () => this.debug(),
      () => this.befall(),
      () => this.befall(),
    ];
    const acting = this.oneOf(actions)();
    await this.cluster.executive.settle();
    await acting;
    await this.cluster.executive.runFor(this.oneOf(pauses));
  }

  /** Everything that befell the nodes is over. */
  async heal(): Promise<void> {
    for (const node of this.nodes()) await this.cluster.tell(healed(node));
    await this.cluster.executive.settle();
  }

  private pod(): Promise<unknown> {
    const name = `pod-${this.made++}`;
    const { annotations, spec } = this.template(this.oneOf(['Always', 'Always', 'OnFailure', 'Never']));
    const deadline = this.happens(6) ? { activeDeadlineSeconds: this.oneOf([5, 40]) } : {};
    return this.create('pods', { metadata: { name, annotations }, spec: { ...spec, ...deadline } });
  }

  private deployment(): Promise<unknown> {
    const name = `deployment-${this.made++}`;
    const { annotations, spec } = this.template('Always');
    const labels = { app: name };
    const template = { metadata: { labels, annotations }, spec };
    return this.create('deployments.apps', { metadata: { name }, spec: { replicas: 2, selector: { matchLabels: labels }, template } });
  }

  private template(restartPolicy: string): { annotations: JsonObject; spec: JsonObject } {
    const annotations: Record<string, string> = {};
    const container = (name: string, more: JsonObject = {}): JsonObject => this.container(annotations, name, more);
    const init: JsonObject[] = [];
    if (this.happens(3)) init.push(this.init(annotations, 'init-0'));
    if (this.happens(4)) init.push(container('sidecar', { restartPolicy: 'Always' }));
    if (this.happens(6)) init.push(this.init(annotations, 'init-1'));
    const containers = [container('c-0'), ...(this.happens(3) ? [container('c-1')] : [])];
    if (this.happens(8))
      annotations['kubereel.dev/images'] = this.oneOf(['app:1 fails NotFound "gone"', 'app:1 absent; takes 8s', 'app:1 always fails']);
    if (this.happens(12)) annotations['kubereel.dev/sandbox-fails'] = 'no network';
    if (this.happens(12)) annotations['kubereel.dev/sandbox-fails-times'] = '2';
    const spec: JsonObject = {
      restartPolicy,
      containers,
      ...(init.length > 0 ? { initContainers: init } : {}),
      ...(this.happens(2) ? { terminationGracePeriodSeconds: this.oneOf([0, 1, 5, 60]) } : {}),
      ...(this.happens(4) ? { volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '64Mi' } }] } : {}),
      ...(this.happens(5) ? { tolerations: tolerations(this.oneOf([0, 20])) } : {}),
      ...(this.happens(8) ? { readinessGates: [{ conditionType: 'example.com/gate' }] } : {}),
    };
    return { annotations, spec };
  }

  private init(annotations: Record<string, string>, name: string): JsonObject {
    annotations[`kubereel.dev/${name}.runs`] = this.oneOf(['2s', '1s exit 1; 1s', '1s exit 1', '30s', '100ms']);
    return { name, image: 'app:1' };
  }

  private container(annotations: Record<string, string>, name: string, more: JsonObject): JsonObject {
    const say = (key: string, value: string): void => void (annotations[`kubereel.dev/${name}.${key}`] = value);
    const runs = ['forever', 'forever', '1s exit 1', '20s', '3s oom', '5s exit 2; 40s exit 0; forever', '11m exit 1; 1s exit 1'];
    say('runs', this.oneOf(runs));
    if (this.happens(3)) say('on-term', this.oneOf(['ignore', 'takes 3s exit 143', 'exit 1', 'takes 40s']));
    if (this.happens(4)) say('startup', this.oneOf(['0s', '4s']));
    if (this.happens(12)) say(this.oneOf(['fail-create', 'fail-start']), 'not on this machine');
    if (this.happens(4)) say('memory', this.oneOf(['32Mi grows 4Mi/s', '200Mi', '64Mi; from 20s 4Gi']));
    const probe = { periodSeconds: this.oneOf([1, 5, 10]), failureThreshold: this.oneOf([1, 3]), httpGet: { path: '/', port: 80 } };
    const probes: JsonObject = {};
    if (this.happens(3)) probes.readinessProbe = probe;
    if (this.happens(4)) probes.livenessProbe = probe;
    if (this.happens(5)) probes.startupProbe = { ...probe, failureThreshold: 5 };
    if (this.happens(3)) say('ready', this.oneOf(['false; from 7s true', 'true; from 15s false; again after 25s']));
    if (this.happens(3)) say('live', this.oneOf(['true; from 15s false', 'true; from 3m false']));
    if (this.happens(3)) say('started', this.oneOf(['false; from 6s true', 'false']));
    const hooks: JsonObject = {};
    if (this.happens(6)) hooks.preStop = this.oneOf([{ sleep: { seconds: 3 } }, { exec: { command: ['drain'] } }]);
    if (this.happens(8)) hooks.postStart = { exec: { command: ['prepare'] } };
    if (this.happens(2)) say('exec.drain', this.oneOf(['ok takes 90s', 'exit 1', 'ok takes 1s']));
    if (this.happens(2)) say('exec.prepare', this.oneOf(['ok takes 2s', 'exit 1']));
    if (this.happens(10)) say('writes', '100Mi to /scratch at 4s');
    const limits = this.happens(2) ? { limits: { memory: '128Mi' } } : {};
    return {
      name,
      image: 'app:1',
      ...probes,
      ...(Object.keys(hooks).length > 0 ? { lifecycle: hooks } : {}),
      resources: { requests: { cpu: '100m', memory: '64Mi' }, ...limits },
      ...more,
    };
  }

  private async removePod(): Promise<void> {
    const target = this.anyPod();
    const options = this.oneOf([{}, {}, { gracePeriodSeconds: 0 }, { gracePeriodSeconds: 2 }]);
    if (target) await this.cluster.write({ verb: 'delete', target, options });
  }

  private async evictPod(): Promise<void> {
    const target = this.anyPod();
    if (target) await this.cluster.write({ verb: 'evict', target });
  }

  /** An ephemeral container comes, as by `kubectl debug`. */
  private async debug(): Promise<void> {
    const target = this.anyPod();
    if (!target) return;
    const name = `debugger-${this.made++}`;
    const patch = { spec: { ephemeralContainers: [{ name, image: 'app:1' }] } };
    await patchObject(this.cluster, { ...target, subresource: 'ephemeralcontainers' } as never, patch, 'strategic');
  }

  /** Something befalls a machine, or ends. */
  private async befall(): Promise<void> {
    const node = this.oneOf(this.nodes());
    if (node === undefined) return;
    const facts = this.oneOf<() => readonly Fact[]>([
      () => [fact('NodeHeartbeatStopped', { node })],
      () => [fact('NodeHeartbeatResumed', { node })],
      () => [fact('KubeletRestarted', { node })],
      () => [fact('KubeletRestarted', { node, reboot: true })],
      () => [fact('NodeLoadChanged', { node, memoryBytes: this.oneOf([0, 7_500, 8_100]) * mebi, diskBytes: 0 })],
      () => [fact('RuntimeStateChanged', { node, runtime: this.oneOf(['down', 'up']) })],
      () => healed(node),
    ])();
    await this.cluster.tell(facts);
  }

  private nodes(): string[] {
    return Array.from({ length: nodesOfLife.count }, (_, index) => `node-${index + 1}`);
  }

  private anyPod(): { resource: string; namespace: string; name: string } | undefined {
    const names = [...this.cluster.state.list('pods', namespace)].map(({ metadata }) => metadata.name);
    return names.length === 0 ? undefined : { resource: 'pods', namespace, name: this.oneOf(names) };
  }

  private create(resource: string, object: JsonObject): Promise<unknown> {
    const writing = this.cluster.write({ verb: 'create', resource, namespace, object: object as unknown as KubeObject });
    return this.cluster.executive.settle().then(() => writing);
  }

  private happens(oneIn: number): boolean {
    return this.draw(oneIn) === 0;
  }

  private oneOf<T>(choices: readonly T[]): T {
    return choices[this.draw(choices.length)] as T;
  }

  private draw(bound: number): number {
    return chanceOf(this.seed, `pods/${this.draws++}`).index(bound, '');
  }
}

function tolerations(tolerationSeconds: number): JsonObject[] {
  return ['not-ready', 'unreachable'].map((key) => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds,
  }));
}

function healed(node: string): Fact[] {
  return [
    fact('NodeHeartbeatResumed', { node }),
    fact('NodeLoadChanged', { node, memoryBytes: 0, diskBytes: 0 }),
    fact('RuntimeStateChanged', { node, runtime: 'up', network: 'up' }),
  ];
}
