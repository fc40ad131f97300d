import type { JsonObject } from '#libs/kernel';
import type { SimulatedNodes } from '../simulation/nodes';

/** What is done in one step; exactly one of them. */
export type StepAction =
  | { apply: JsonObject[] }
  | { delete: string; gracePeriodSeconds?: number }
  | { patch: string; with: JsonObject }
  | { scale: string; replicas: number }
  | { evict: string }
  | { drain: string; timeoutMs?: number; podSelector?: Record<string, string>; background: boolean }
  | { finish: string; withinMs: number }
  | { uncordon: string }
  | { wait: number }
  | { show: 'nodes' | 'pods' }
  | { expect: JsonObject }
  /** Only words. */
  | { tell: true };

export type ScenarioStep = StepAction & {
  /** Told to the reader before the step. */
  say?: string;
  /** The step is meant to be refused with this code; for a drain: not to come to an end. */
  refused?: number;
};

/** A story that can be run: in virtual time, or against a live cluster. Its form is described in docs/scenarios.md. */
export interface Scenario {
  name: string;
  /** Two or three sentences: the rule that the story is about. */
  tells: string;
  nodes: SimulatedNodes | undefined;
  /** A KubeSchedulerConfiguration; a simulation's scheduler takes it. */
  scheduler?: JsonObject;
  steps: ScenarioStep[];
}
