import type { JsonObject, KubeObject } from '#libs/kernel';
import type { Target } from '#libs/kube-api';

/** An answer to what a scenario asked for. */
export interface Answer {
  /** HTTP status. */
  code: number;
  /** The message of a refusal. */
  message?: string;
}

/** Where a scenario is played: a simulation, or a live cluster. */
export interface ScenarioTarget {
  apply(manifest: JsonObject): Promise<Answer>;
  delete(target: Target, gracePeriodSeconds: number | undefined): Promise<Answer>;
  patch(target: Target, patch: JsonObject): Promise<Answer>;
  scale(target: Target, replicas: number): Promise<Answer>;
  evict(target: Target): Promise<Answer>;
  /** Resolves when the drain is over or its time-out has passed; each answer to an eviction is told. */
  drain(node: string, timeoutMs: number | undefined, tell: (pod: string, code: number) => void): Promise<boolean>;
  wait(ms: number): Promise<void>;
  get(target: Target): Promise<KubeObject | undefined>;
  list(resource: string): Promise<KubeObject[]>;
  /** Milliseconds since the scenario began, in the target's time. */
  elapsed(): number;
  close(): Promise<void>;
}
