import type { JsonObject, KubeObject } from '#libs/kernel';
import type { Target } from '#libs/kube-api';
import type { EvictionAnswer } from '../simulation/drain';

/** An answer to what a scenario asked for. */
export interface Answer {
  /** HTTP status. */
  code: number;
  /** The message of a refusal. */
  message?: string;
}

/** Something that the cluster did of its own accord. */
export interface Happening {
  /** Milliseconds since the scenario began. */
  at: number;
  text: string;
  /** Happenings of one group and one moment share a line: the words before their texts, and after. */
  group?: { before: string; after?: string };
}

export interface ScenarioDrain {
  timeoutMs?: number;
  podSelector?: Readonly<Record<string, string>>;
  tell(eviction: EvictionAnswer): void;
}

/** Where a scenario is played: a simulation, or a live cluster. */
export interface ScenarioTarget {
  apply(manifest: JsonObject): Promise<Answer>;
  delete(target: Target, gracePeriodSeconds: number | undefined): Promise<Answer>;
  patch(target: Target, patch: JsonObject): Promise<Answer>;
  scale(target: Target, replicas: number): Promise<Answer>;
  evict(target: Target): Promise<Answer>;
  /** Begins a drain and goes on; `until` waits for it. Gives whether it came to its end. */
  drain(node: string, options: ScenarioDrain): Promise<boolean>;
  /** Lets time pass until the promise is settled; undefined when it is not within the limit. */
  until<T>(promise: Promise<T>, limitMs: number): Promise<T | undefined>;
  wait(ms: number): Promise<void>;
  get(target: Target): Promise<KubeObject | undefined>;
  /** All objects of a resource, Events included; of one namespace where that applies. */
  list(resource: string, namespace: string | undefined): Promise<KubeObject[]>;
  /** What has happened since it was last asked, as far as the target can tell. */
  news(): Happening[];
  /** Milliseconds since the scenario began, in the target's time. */
  elapsed(): number;
  close(): Promise<void>;
}
