import { ClusterState, type FoldedAppend } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import { objectStream } from '#libs/events';
import { formatTime, isObject, patchOf, type Json, type JsonObject, type KubeObject } from '#libs/kernel';
import { definitionResource, kindsOf, releaseKinds } from '#libs/kube-api';
import type { Frame, RecordedRequest, Step } from '../../../../test/golden/controllers/recording';

const start = Date.parse('2026-01-01T12:00:00Z');

/** When each step of a recording began, on the clock of the replay. */
export class StepTimes {
  private readonly times: number[] = [start];

  constructor(steps: readonly Step[]) {
    let time = start + 1_000_000;
    for (const step of steps) {
      this.times[step.step] = time;
      time += 2_000 + (step.wait ?? 0) * 1000;
    }
  }

  of(step: number): number {
    return this.times[step] ?? start;
  }

  /** Placeholders of time as times. */
  resolved(value: Json): Json {
    if (typeof value === 'string') {
      const match = placeholder.exec(value);
      return match ? formatTime(this.of(Number(match[1])) + (Number(match[2] ?? 0) + Number(match[3] ?? 0)) * 1000) : value;
    }
    if (Array.isArray(value)) return value.map((item) => this.resolved(item));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.resolved(item as Json)]));
  }
}

const placeholder = /^<time@(\d+)(?:([+-]\d+)s)?>(?:\+(\d+)s)?$/;

function merged(value: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(value) ? { ...value } : {};
  for (const [key, item] of Object.entries(patch)) {
    if (item === null) delete result[key];
    else result[key] = merged(result[key], item as Json);
  }
  return result;
}

const kinds = new Map([...releaseKinds.all].reverse().map((kind) => [kind.kind, kind]));

/** A definition as it is once its kind is served. */
export function established(definition: JsonObject): KubeObject {
  const { metadata, spec } = definition as { metadata: { name: string }; spec: { names: Json } };
  const conditions = ['NamesAccepted', 'Established'].map((type) => ({ type, status: 'True' }));
  const own = { ...metadata, uid: metadata.name, creationTimestamp: '' };
  return { metadata: own, spec, status: { acceptedNames: spec.names, conditions } } as unknown as KubeObject;
}

/** A cluster to which the frames of a recording happen. */
export class RecordedCluster {
  readonly cluster = new ClusterState('local');
  private position = 0;

  constructor(
    private readonly namespace: string,
    private readonly times: StepTimes,
    setup: readonly RecordedRequest[] = [],
  ) {
    for (const { path, body } of setup)
      if (body && path.endsWith('/customresourcedefinitions')) {
        const definition = established(body);
        this.cluster.restore(definitionResource, `/${definition.metadata.name}`, definition);
      }
  }

  /** Folds a frame; undefined when it is of a kind that nobody knows. */
  play(frame: Frame, now: number): FoldedAppend | undefined {
    const slash = frame.object.indexOf('/');
    const colon = frame.object.slice(0, slash).indexOf(':');
    const kindName = frame.object.slice(colon + 1, slash);
    const name = frame.object.slice(slash + 1);
    const kind = kinds.get(kindName) ?? kindsOf(this.cluster).all.find((custom) => custom.form && custom.kind === kindName);
    if (!kind) return undefined;
    const namespace = kind.namespaced ? (colon < 0 ? this.namespace : frame.object.slice(0, colon)) : undefined;
    const before = this.cluster.get(kind.groupResource, namespace, name);
    if (frame.type === 'DELETED') return this.fold(kind.groupResource, namespace, name, 'Deleted', {}, now);
    const change = this.times.resolved((frame.set ?? frame.change ?? {}) as Json) as JsonObject;
    if (before) {
      const after = merged(before as Json, change) as KubeObject;
      return this.fold(kind.groupResource, namespace, name, 'Updated', { patch: patchOf(before, after) as unknown as Json }, now);
    }
    const metadata = { name, ...(namespace ? { namespace } : {}), creationTimestamp: formatTime(now), ...(change.metadata as JsonObject) };
    return this.fold(kind.groupResource, namespace, name, 'Created', { object: { ...change, metadata } }, now);
  }

  fold(
    resource: string,
    namespace: string | undefined,
    name: string,
    type: string,
    data: JsonObject,
    now: number,
  ): FoldedAppend | undefined {
    const position = ++this.position;
    const stream = objectStream('local', resource, namespace, name);
    const metadata = { time: now, i: 1, n: 1, digest: '' };
    return this.cluster.apply([
      { id: `event-${position}`, type, stream, data, metadata, position, revision: position } as unknown as RecordedEvent,
    ]);
  }
}
