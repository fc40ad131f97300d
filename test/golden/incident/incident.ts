// A recorded incident, typed: what was there, what was done and when, and which preemptions followed.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseAllDocuments } from 'yaml';

export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; [key: string]: unknown };
  [key: string]: unknown;
}

interface Acted {
  /** Seconds after the start. */
  at: number;
  user?: string;
}

interface Named {
  kind: string;
  namespace?: string;
  name: string;
  /** The answer's status when it was recorded. */
  code?: number;
}

/** `initial`: these are objects of cluster.yaml. */
export type Apply = Acted & { verb: 'apply'; objects: KubernetesObject[]; initial: boolean };
export type Create = Acted & { verb: 'create'; object: KubernetesObject; code?: number };
export type Delete = Acted & Named & { verb: 'delete'; options?: Record<string, unknown> };
export type Patch = Acted & Named & { verb: 'patch'; patchType: 'strategic' | 'merge' | 'json'; patch: unknown; subresource?: string };
export type Scale = Acted & Named & { verb: 'scale'; replicas: number };
export type Evict = Acted & Named & { verb: 'evict' };
/** kubectl drain; `exit` and `took` (seconds) as recorded. */
export type Drain = Acted & { verb: 'drain'; node: string; args: string[]; exit: number; took: number };
export type Kubelets = Acted & { verb: 'kubelet-stops' | 'kubelet-starts'; nodes: string[] };
export type End = Acted & { verb: 'end' };
export type Action = Apply | Create | Delete | Patch | Scale | Evict | Drain | Kubelets | End;

export interface PreemptedPod {
  /** `namespace/name`. */
  pod: string;
  /** `ReplicaSet/web-5d4f`, `StatefulSet/zk`; absent for a bare pod. */
  owner?: string;
  priority: number;
  /** Preempted before, by another pod, and not gone yet. */
  alreadyTerminating?: boolean;
}

export interface Preemption {
  /** `namespace/name` of the preemptor. */
  preemptor: string;
  owner?: string;
  priority: number;
  node: string;
  victims: PreemptedPod[];
}

export interface Incident {
  name: string;
  /** The objects of cluster.yaml in the order of application. */
  objects: KubernetesObject[];
  actions: Action[];
  preemptions: Preemption[];
}

/** Re-enacts an incident in virtual time and answers the preemptions in the order of their decisions. Ties fall as the seed has it. */
export type RunIncident = (objects: readonly KubernetesObject[], actions: readonly Action[], seed: string) => Promise<Preemption[]>;

interface RecordedExpectation {
  preemptions: {
    preemptor: string;
    preemptorPriority: number;
    node: string;
    victims: { pod: string; priority: number; alreadyTerminating?: boolean }[];
  }[];
  pods: { pod: string; owner: string | null }[];
}

const referenceOf = ({ kind, metadata }: KubernetesObject): string =>
  metadata.namespace === undefined ? `${kind}/${metadata.name}` : `${kind}/${metadata.namespace}/${metadata.name}`;

/** Throws when a file is absent, or when an action names an object that cluster.yaml does not have. */
export function readIncident(dir: string): Incident {
  const read = (file: string) => readFileSync(join(dir, file), 'utf8');
  const objects = parseAllDocuments(read('cluster.yaml'))
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null);
  const known = new Map(objects.map((object) => [referenceOf(object), object]));
  const actions = read('actions.jsonl')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => actionOf(JSON.parse(line) as RecordedAction, known));
  const expected = JSON.parse(read('expect.json')) as RecordedExpectation;
  return { name: basename(dir), objects, actions, preemptions: preemptionsOf(expected) };
}

type RecordedAction = Omit<Action, 'objects'> & { file?: string; objects?: (string | KubernetesObject)[] };

function actionOf(recorded: RecordedAction, known: ReadonlyMap<string, KubernetesObject>): Action {
  if (recorded.verb !== 'apply') return recorded as Action;
  const { at, user, file, objects = [] } = recorded;
  const resolved = objects.map((object) => {
    const found = typeof object === 'string' ? known.get(object) : object;
    if (found === undefined) throw new Error(`cluster.yaml has no ${String(object)}`);
    return found;
  });
  return { verb: 'apply', at, user, objects: resolved, initial: file !== undefined };
}

function preemptionsOf({ preemptions, pods }: RecordedExpectation): Preemption[] {
  const owners = new Map(pods.map(({ pod, owner }) => [pod, owner ?? undefined]));
  return preemptions.map(({ preemptor, preemptorPriority, node, victims }) => ({
    preemptor,
    owner: owners.get(preemptor),
    priority: preemptorPriority,
    node,
    victims: victims.map(({ pod, priority, alreadyTerminating }) => ({
      pod,
      owner: owners.get(pod),
      priority,
      ...(alreadyTerminating === true ? { alreadyTerminating } : {}),
    })),
  }));
}
