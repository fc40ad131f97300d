import type { RecordedEvent } from '#libs/event-log';
import { objectKey, type JsonObject, type KubeObject, type ObjectKey } from '#libs/kernel';
import type { PodMarks } from './pod-marks';

/** Annotations of a pod that a kubelet has from a file, and of its mirror in the API. */
export const configSource = 'kubernetes.io/config.source';
export const configHash = 'kubernetes.io/config.hash';
export const configMirror = 'kubernetes.io/config.mirror';

/** A manifest in the folder of a node's kubelet. */
export interface StaticFile {
  /** A Pod as the file has it. */
  manifest: JsonObject;
  /** Since when the file has it, ms. */
  since: number;
  /** The node's kubelet does not take the pod: nothing shows it. */
  rejected?: boolean;
}

/** A static pod whose mirror somebody has deleted: it goes on, as this says. */
export interface LostMirror {
  hash: string;
  status: JsonObject;
  marks: PodMarks | undefined;
  /** When the mirror was gone, ms. */
  at: number;
  /** It was deleted without the kubelet being asked. */
  forced: boolean;
}

/** How long a kubelet keeps the sandbox of a pod that is over, ms. */
export const sandboxKeptMs = 60_000;

export interface OverPod {
  hash: string;
  at: number;
  /** What the pod that takes its place goes on with: upstream begins with the status of the mirror that it finds. */
  begun?: JsonObject;
}

function begunOf({ status }: KubeObject): JsonObject {
  const { startTime, conditions } = (status ?? {}) as JsonObject;
  return { ...(startTime ? { startTime } : {}), ...(conditions ? { conditions } : {}) };
}

/** The static pods of one node. Times are cluster time, ms. */
export interface NodeStatics {
  readonly files: ReadonlyMap<string, StaticFile>;
  /** Pods whose manifest is gone, or is another one now: since when. They go with their mirrors. */
  readonly ended: ReadonlyMap<ObjectKey, number>;
  readonly lost: ReadonlyMap<ObjectKey, LostMirror>;
  /** The latest pod that ended for good, and when: its sandbox is still there for a while. */
  readonly over: ReadonlyMap<ObjectKey, OverPod>;
}

/** By node. */
export class StaticPods {
  readonly byNode = new Map<string, NodeStatics>();

  /** None, for most nodes. */
  of(node: string): NodeStatics | undefined {
    return this.byNode.get(node);
  }

  /** @param exists whether there is a pod of that key */
  fold({ data }: Pick<RecordedEvent, 'data'>, time: number, exists: (key: ObjectKey) => boolean): void {
    const { node, file, manifest } = data as { node: string; file: string; manifest?: JsonObject };
    const statics = this.byNode.get(node) ?? nothing;
    const files = new Map(statics.files);
    const ended = new Map(statics.ended);
    const over = new Map(statics.over);
    const before = files.get(file);
    const key = before && mirrorKey(before.manifest, node);
    if (key !== undefined && exists(key)) ended.set(key, time);
    for (const [pod, { at }] of over) if (time - at > sandboxKeptMs) over.delete(pod);
    if (manifest) files.set(file, { manifest, since: time });
    else files.delete(file);
    this.put(node, { ...statics, files, ended, over });
  }

  rejected({ data }: Pick<RecordedEvent, 'data'>): void {
    const { node, file } = data as { node: string; file: string };
    const statics = this.byNode.get(node);
    const held = statics?.files.get(file);
    if (statics && held) this.put(node, { ...statics, files: new Map(statics.files).set(file, { ...held, rejected: true }) });
  }

  /** A mirror is gone. */
  mirrorGone(pod: KubeObject, marks: PodMarks | undefined, at: number, forced: boolean): void {
    const node = pod.spec?.nodeName as string;
    const statics = this.byNode.get(node);
    if (!statics) return;
    const key = objectKey(pod.metadata.namespace, pod.metadata.name);
    const ended = new Map(statics.ended);
    const lost = new Map(statics.lost);
    const hash = pod.metadata.annotations?.[configHash] ?? '';
    const over = new Map(statics.over);
    if (ended.delete(key)) {
      lost.delete(key);
      const isReplaced = [...statics.files.values()].some(({ manifest }) => mirrorKey(manifest, node) === key);
      over.set(key, { hash, at, ...(isReplaced ? { begun: begunOf(pod) } : {}) });
    } else if (pod.status?.startTime !== undefined) {
      lost.set(key, { hash, status: pod.status as JsonObject, marks, at, forced });
    }
    this.put(node, { ...statics, ended, lost, over });
  }

  /** The mirror shows what went on without it: from here on it tells of it. */
  mirrorTaken(pod: KubeObject): LostMirror | undefined {
    const node = pod.spec?.nodeName as string;
    const statics = this.byNode.get(node);
    const key = objectKey(pod.metadata.namespace, pod.metadata.name);
    const found = statics?.lost.get(key);
    if (!statics || !found) return undefined;
    const lost = new Map(statics.lost);
    lost.delete(key);
    this.put(node, { ...statics, lost });
    return found;
  }

  nodeGone(node: string): void {
    this.byNode.delete(node);
  }

  private put(node: string, statics: NodeStatics): void {
    if (statics.files.size + statics.ended.size + statics.lost.size + statics.over.size > 0) this.byNode.set(node, statics);
    else this.byNode.delete(node);
  }
}

const nothing: NodeStatics = { files: new Map(), ended: new Map(), lost: new Map(), over: new Map() };

/** A pod that its kubelet has from elsewhere than the API server, which shows a mirror of it. */
export function isStaticPod({ metadata }: KubeObject): boolean {
  const source = metadata.annotations?.[configSource];
  return source !== undefined && source !== 'api';
}

/** The key of the mirror that shows the pod of a manifest. */
export function mirrorKey(manifest: JsonObject, node: string): ObjectKey {
  const { namespace, name } = (manifest.metadata ?? {}) as { namespace?: string; name?: string };
  return objectKey(namespace || 'default', `${name ?? ''}-${node.toLowerCase()}`);
}
