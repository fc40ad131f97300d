import type { AppOptions } from '#libs/app-shell';
import { reconcilerController, type Controller } from '#libs/control-loop';
import { fact } from '#libs/events';
import { controllerOf, isObject, jsonEqual, parseTime, type Json, type JsonObject, type KubeObject } from '#libs/kernel';
import { releaseKinds } from '#libs/kube-api';
import type { Simulation } from '#libs/testing';
import { clusterWorld } from '../cluster-world.fixture';
import { controllerManagerControllers } from '../controller-manager';
import { pdbControllers } from '../pdb-controller';
import { quotaAdmission } from '../quota/quota-admission';
import { Names, StepTimes } from './names.fixture';
import type { Frame, RecordedRequest, Session, Step } from './recording.fixture';
import { collectionOf, writeOf } from './request.fixture';
import { comparable, isComparedWhole, podOfJob, recordedForm, WholeObjects, withoutTemplate } from './whole-objects.fixture';

const options: AppOptions = {
  cluster: 'local',
  seed: 's',
  apiserver: { ca: 'PEM', host: '', port: 0, certificate: '', privateKey: '', token: '' },
};
/** Components of which the texts of events are compared too. */
const toldOf = new Set([
  'node-controller',
  'taint-eviction-controller',
  'job-controller',
  'cronjob-controller',
  'statefulset-controller',
  'daemonset-controller',
]);
/** Follows from other events of the log, but of a pod that is going already; of nodes that come and go only some sessions tell. */
const derived = /^Marking for deletion Pod |event: (Registered|Removing) Node /;
const kinds = new Map([...releaseKinds.all].reverse().map((kind) => [kind.kind, kind]));

/**
 * Plays a recorded session against the controllers of this repository, in virtual time: the session's own requests are sent, what
 * the controllers do is theirs. Names that the recording drew by chance are matched as objects appear. Gives how the ends of steps differ.
 */
export class Replay {
  readonly differences: string[] = [];
  private readonly times: StepTimes;
  private readonly names: Names;
  private world!: Simulation;
  private readonly whole = new WholeObjects();
  /** Reports that have been compared. */
  private told = 0;

  /** @param ignored objects whose ends of steps are a matter of chance */
  constructor(
    private readonly session: Session,
    private readonly ignored: RegExp | undefined,
  ) {
    this.times = new StepTimes(session.steps);
    this.names = new Names(this.times);
  }

  static async differencesOf(session: Session, ignored?: RegExp): Promise<string[]> {
    const replay = new Replay(session, ignored);
    await replay.run();
    return replay.differences;
  }

  private async run(): Promise<void> {
    const { session } = this;
    // Of the API server's own, quotas have a say in what is created.
    const ofServer = reconcilerController(quotaAdmission) as unknown as Controller;
    this.world = await clusterWorld(
      [...controllerManagerControllers({ ...options, controllerManager: flagged(session) }), ...pdbControllers(), ofServer],
      this.times.of(1) - 3_000,
    );
    for (const request of session.setup) await this.request(request);
    for (const step of session.steps) await this.play(step);
    const { differ, notDerivable, differences } = await this.world.verify();
    if (differ + notDerivable > 0)
      this.differences.push(`verify: ${differ} differ, ${notDerivable} not derivable: ${JSON.stringify(differences.slice(0, 3))}`);
  }

  private async play(step: Step): Promise<void> {
    const { executive } = this.world;
    const begin = this.times.of(step.step);
    await executive.runUntil(begin);
    const before = this.objects();
    await this.heartbeats(step);
    for (const request of step.requests) {
      if (request.after) await executive.runUntil(begin + request.after * 1_000);
      await this.request(request);
      this.match(step.frames);
    }
    await executive.runUntil(begin + (step.wait ? step.wait * 1_000 + 1_000 : 1_500));
    this.match(step.frames);
    this.swapEquals(step, before);
    for (const [name, expected] of Object.entries(step.state)) if (!this.ignored?.test(name)) this.compare(step, name, expected);
    for (const [name, expected] of this.whole.follow(step.frames)) if (!this.ignored?.test(name)) this.compareWhole(step, name, expected);
    await this.compareEvents(step);
  }

  /** Sessions say in words only when nodes are not heard. */
  private async heartbeats(step: Step): Promise<void> {
    const { stop = [], resume = [] } = silences[this.session.name]?.[step.step] ?? {};
    const facts = [
      ...stop.map((node) => fact('NodeHeartbeatStopped', { node: `${this.session.name}-${node}` })),
      ...resume.map((node) => fact('NodeHeartbeatResumed', { node: `${this.session.name}-${node}` })),
    ];
    if (facts.length > 0) await this.world.record('kubelet-decisions', facts);
  }

  /** What controllers tell of objects, by component; the order is not promised. */
  private async compareEvents(step: Step): Promise<void> {
    const wanted = step.frames
      .filter(({ event }) => event && toldOf.has(event.from as string) && !derived.test(event.message as string))
      .map(({ event }) => this.names.resolveText(`${event?.from as string}: ${event?.reason as string}: ${event?.message as string}`));
    const all = (await this.world.events('Reported')).filter(
      ({ data }) => toldOf.has(data.component as string) && !derived.test(data.message as string),
    );
    const found = all.slice(this.told).map(({ data }) => `${data.component}: ${data.reason}: ${data.message}`);
    this.told = all.length;
    if (!jsonEqual(found.sort(), wanted.sort())) {
      this.differences.push(
        `step ${step.step} (${step.note ?? ''}) events:\n   recorded ${wanted.join('; ')}\n   replayed ${found.join('; ')}`,
      );
    }
  }

  private compareWhole(step: Step, object: string, expected: JsonObject | null): void {
    const { kindName, name: recorded } = parsed(object);
    const kind = kinds.get(kindName);
    if (!kind || !expected) return;
    const actual = this.world.get(kind.groupResource, this.session.name, this.names.get(recorded) ?? recorded);
    const isOnce = step.frames.filter((frame) => frame.object === object).length === 1;
    const shown = kindName === 'Pod' ? podOfJob : withoutTemplate;
    const found = actual ? comparable(shown(recordedForm(actual)), isOnce) : null;
    const wanted = comparable(shown(this.names.resolve(expected)), isOnce);
    if (!this.alike(found, wanted)) {
      this.differences.push(
        `step ${step.step} (${step.note ?? ''}) whole ${object}:\n   recorded ${JSON.stringify(wanted)}\n   replayed ${JSON.stringify(found)}`,
      );
    }
  }

  private async request(recorded: Session['setup'][number]): Promise<void> {
    const resolved = this.names.resolve(recorded as unknown as JsonObject) as unknown as RecordedRequest;
    const collection = collectionOf(resolved);
    if (collection) {
      for (const { metadata } of this.world.list(collection.resource, collection.namespace)) {
        await this.world.send({ verb: 'delete', target: { ...collection, name: metadata.name } });
      }
      return;
    }
    const write = writeOf(resolved);
    if (!write) return;
    const result = await this.world.send(write);
    const refused = result.kind === 'refused' ? (result.status.code ?? 0) : 200;
    if (recorded.status !== undefined && refused >= 400 !== recorded.status >= 400) {
      this.differences.push(
        `${recorded.method} ${recorded.path}: ${JSON.stringify(result).slice(0, 200)} where ${recorded.status} was recorded`,
      );
    }
  }

  private objects(): Map<string, KubeObject> {
    const found = new Map<string, KubeObject>();
    for (const table of this.world.state.resources())
      for (const [key, object] of table.objects) found.set(`${table.resource} ${key}`, object);
    return found;
  }

  /** Recorded objects with names drawn by chance, matched in order with new ones of the same beginning. */
  private match(frames: readonly Frame[]): void {
    for (const frame of frames) {
      if (frame.type !== 'ADDED' || frame.event) continue;
      const { kindName, name } = parsed(frame.object);
      const kind = kinds.get(kindName);
      if (!kind) continue;
      const known = this.names.get(`${kindName}/${name}`);
      const actual = known ?? this.newcomer(kind.groupResource, kindName, name, frame);
      const object = actual && this.world.get(kind.groupResource, kind.namespaced ? this.session.name : undefined, actual);
      if (!object) continue;
      this.names.set(`${kindName}/${name}`, actual);
      if (name !== actual) this.names.set(name, actual);
      const uid = (frame.set?.metadata as JsonObject | undefined)?.uid as string | undefined;
      if (uid) this.names.set(uid, object.metadata.uid);
      const hash = (frame.set?.metadata as { labels?: Record<string, string> } | undefined)?.labels?.['pod-template-hash'];
      if (hash && kindName === 'ReplicaSet') this.names.set(hash, object.metadata.labels?.['pod-template-hash'] as string);
    }
  }

  private newcomer(resource: string, kindName: string, name: string, frame: Frame): string | undefined {
    if (!/<(rand|hash):\d+>$/.test(name)) return name;
    const taken = new Set<string>();
    for (const known of this.world.list(resource, this.session.name))
      if (this.isMatched(kindName, known.metadata.name)) taken.add(known.metadata.name);
    const beginning = this.names.resolveText(name.replace(/<(rand|hash):\d+>$/, ''));
    const image = imageOf(frame.set);
    const fresh = this.world
      .list(resource, this.session.name)
      .filter(({ metadata }) => metadata.name.startsWith(beginning) && !taken.has(metadata.name));
    const tail = kindName === 'Pod' ? /^[a-z0-9]{5}$/ : /^[a-z0-9]+$/;
    const candidates = fresh.filter(
      (object) => tail.test(object.metadata.name.slice(beginning.length)) && (!image || imageOf(object as never) === image),
    );
    candidates.sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
    const chosen = candidates[0]?.metadata.name;
    if (chosen) this.matched.set(`${kindName}/${chosen}`, name);
    return chosen;
  }

  private readonly matched = new Map<string, string>();

  private isMatched(kindName: string, actual: string): boolean {
    return this.matched.has(`${kindName}/${actual}`);
  }

  /** Of pods that are equal in all that counts, another one may have been deleted than in the recording: their names change places. */
  private swapEquals(step: Step, before: ReadonlyMap<string, KubeObject>): void {
    for (const [object, expected] of Object.entries(step.state)) {
      const { kindName, name } = parsed(object);
      if (kindName !== 'Pod' || !isGoing(expected)) continue;
      const actual = this.names.get(name);
      if (!actual || this.isGone(actual)) continue;
      const pod = before.get(`pods ${this.session.name}/${actual}`);
      for (const [recorded, other] of this.podNames()) {
        const gone = before.get(`pods ${this.session.name}/${other}`);
        if (!pod || !gone || !this.isGone(other) || isGoing(step.state[`Pod/${recorded}`]) || !this.areEqual(pod, gone)) continue;
        this.names.set(name, other);
        this.names.set(recorded, actual);
        this.matched.set(`Pod/${other}`, name);
        this.matched.set(`Pod/${actual}`, recorded);
        break;
      }
    }
  }

  /** In what their ReplicaSet ranks them by; nodes count only below a Deployment, where siblings are. */
  private areEqual(a: KubeObject, b: KubeObject): boolean {
    const owner = this.world.get('replicasets.apps', this.session.name, controllerOf(a)?.name ?? '');
    const essence = ({ metadata, spec, status }: KubeObject): unknown => [
      metadata.labels,
      metadata.annotations,
      owner && controllerOf(owner) ? spec?.nodeName : '',
      status?.phase,
      (status?.conditions as KubeObject[] | undefined)?.map((condition) => [
        condition.type,
        condition.status,
        condition.lastTransitionTime,
      ]),
      (status?.containerStatuses as KubeObject[] | undefined)?.map((container) => container.restartCount),
    ];
    return jsonEqual(JSON.parse(JSON.stringify(essence(a))), JSON.parse(JSON.stringify(essence(b))));
  }

  private isGone(actual: string): boolean {
    const pod = this.world.get('pods', this.session.name, actual);
    return !pod || pod.metadata.deletionTimestamp !== undefined;
  }

  private *podNames(): Iterable<[recorded: string, actual: string]> {
    for (const [key, recorded] of this.matched) if (key.startsWith('Pod/')) yield [recorded, key.slice(4)];
  }

  private compare(step: Step, name: string, expected: Json): void {
    const { kindName, namespace = this.session.name, name: recorded } = parsed(name);
    const kind = kinds.get(kindName);
    // Nodes are the kubelet's; of some kinds whole objects are compared.
    if (
      !kind?.served ||
      (kindName === 'Node' && !this.session.name.startsWith('node-')) ||
      (expected !== null && isComparedWhole(kindName))
    )
      return;
    const actual = this.world.get(kind.groupResource, kind.namespaced ? namespace : undefined, this.names.get(recorded) ?? recorded);
    const found = actual ? stateOf(kindName, actual) : null;
    const resolved = this.names.resolve(expected) as JsonObject | null;
    const { status, taints, ...common } = resolved ?? {};
    const wanted = kindName === 'Node' && resolved ? nodeState(common, status as JsonObject, taints) : resolved;
    if (!this.alike(found, wanted)) {
      this.differences.push(
        `step ${step.step} (${step.note ?? ''}) ${name}:\n   recorded ${JSON.stringify(wanted)}\n   replayed ${JSON.stringify(found)}`,
      );
    }
  }

  /** Equal, times to within two seconds. */
  private alike(found: Json | undefined, wanted: Json | undefined): boolean {
    // Of an object that the recording does not show.
    if (typeof wanted === 'string' && /^<uid:\d+>$/.test(wanted)) return typeof found === 'string';
    if (typeof found === 'string' && typeof wanted === 'string') {
      const [a, b] = [/^\d{4}-.*Z$/.test(found) ? parseTime(found) : undefined, /^\d{4}-.*Z$/.test(wanted) ? parseTime(wanted) : undefined];
      return a !== undefined && b !== undefined ? Math.abs(a - b) <= 2_000 : withoutRefusedName(found) === wanted;
    }
    if (Array.isArray(found) && Array.isArray(wanted))
      return found.length === wanted.length && found.every((item, index) => this.alike(item, wanted[index]));
    if (!isObject(found) || !isObject(wanted)) return jsonEqual(found, wanted);
    const keys = new Set([...Object.keys(found), ...Object.keys(wanted)]);
    return [...keys].every((key) => this.alike(found[key] as Json, wanted[key] as Json));
  }
}

/** Nodes that fall silent with a step, and that are heard again. */
const silences: Record<string, Record<number, { stop?: string[]; resume?: string[] }>> = {
  'node-unknown': { 3: { stop: ['n0'] }, 4: { resume: ['n0'] } },
  'node-zone': {
    3: { stop: ['n0', 'n1'] },
    4: { resume: ['n0', 'n1'] },
    5: { stop: ['n0', 'n1', 'n2', 'n3'] },
    6: { resume: ['n0', 'n1', 'n2', 'n3'] },
  },
  'node-taint': { 7: { stop: ['n0'] } },
};

/** The settings of a session's flags. */
function flagged({ flags = {} }: Session): AppOptions['controllerManager'] {
  const ms = (flag: string): number | undefined => (flags[flag] ? Number(flags[flag].replace('s', '')) * 1_000 : undefined);
  const number = (flag: string): number | undefined => (flags[flag] ? Number(flags[flag]) : undefined);
  const given = {
    nodeLifecycle: {
      monitorGraceMs: ms('node-monitor-grace-period'),
      startupGraceMs: ms('node-startup-grace-period'),
      evictionRate: number('node-eviction-rate'),
    },
    podGC: { terminatedPodThreshold: number('terminated-pod-gc-threshold') },
  };
  return JSON.parse(JSON.stringify(given)) as typeof given;
}

function parsed(object: string): { kindName: string; namespace?: string; name: string } {
  const slash = object.indexOf('/');
  const colon = object.slice(0, slash).indexOf(':');
  return {
    kindName: object.slice(colon + 1, slash),
    namespace: colon < 0 ? undefined : object.slice(0, colon),
    name: object.slice(slash + 1),
  };
}

/** Gone, or on its way. */
function isGoing(state: Json | undefined): boolean {
  return state === null || (isObject(state) && state.terminating === true);
}

function imageOf(object: JsonObject | undefined): unknown {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const spec = object?.spec as any;
  return (spec?.template?.spec ?? spec)?.containers?.[0]?.image;
}

/** An object as the recording sums it up at the end of a step. */
/** A pod that was refused has a name by chance, which nothing else tells. */
function withoutRefusedName(text: string): string {
  return text.replace(/^(pods "\S+-)[a-z0-9]{5}(" is forbidden: )/, '$1<rand>$2');
}

/** Passes of the controllers come at other moments than in the recording, and the order of taints is not promised. */
function nodeState(common: JsonObject, status: JsonObject | undefined, taints: unknown): JsonObject {
  const conditions = ((status?.conditions ?? []) as JsonObject[]).map(({ lastTransitionTime: _, ...condition }) => condition);
  const kept = ((taints ?? []) as { key: string; effect: string }[]).map(({ key, effect }) => `${key}:${effect}`).sort();
  return { ...common, conditions, taints: kept };
}

function stateOf(kindName: string, object: KubeObject): Json {
  const { metadata, spec, status } = object;
  const common = {
    ...(metadata.deletionTimestamp ? { terminating: true } : {}),
    ...(metadata.finalizers?.length ? { finalizers: metadata.finalizers } : {}),
  };
  if (kindName === 'Pod') {
    const ready = (status?.conditions as KubeObject[] | undefined)?.find(({ type }) => type === 'Ready')?.status ?? 'none';
    return { ...common, phase: status?.phase, ready, ...(spec?.nodeName ? { node: spec.nodeName } : {}) };
  }
  if (kindName === 'Deployment' || kindName === 'ReplicaSet') {
    const rest = { ...(spec?.minReadySeconds ? { minReadySeconds: spec.minReadySeconds } : {}), ...(spec?.paused ? { paused: true } : {}) };
    return { ...common, generation: metadata.generation as number, replicas: spec?.replicas, ...rest, status: status ?? {} };
  }
  if (kindName === 'PodDisruptionBudget') return { ...common, generation: metadata.generation as number, status };
  if (kindName === 'Node') return nodeState(common, status, spec?.taints);
  if (kindName === 'Namespace' || kindName === 'ResourceQuota') return { ...common, status };
  return common;
}
