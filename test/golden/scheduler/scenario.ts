import type { KubeObject } from '#libs/kernel';

/** The recordings' format: see golden/scheduler/README.md. */
export interface FilterVerdict {
  plugin?: string;
  code: string;
  reasons: string[];
  skipped?: boolean;
}

export interface ExpectedCandidate {
  node: string;
  victims: string[];
  numPDBViolations: number;
}

export interface ExpectedPreemption {
  status?: string;
  message?: string;
  eligible: boolean;
  potentialNodes?: string[];
  candidates?: ExpectedCandidate[];
  dryRunRejections?: Record<string, FilterVerdict>;
  chosen?: string[];
  decidedBy?: string;
  nominatedNodeName?: string;
  victims?: string[];
}

export interface SingleExpectation {
  preFilter: { code: string; plugin?: string; reasons?: string[]; nodeNames?: string[] };
  feasible: string[];
  filter?: Record<string, FilterVerdict>;
  scores?: Record<string, Record<string, number>>;
  totals?: Record<string, number>;
  best: string[];
  nominatedNodeUsed?: boolean;
  message?: string;
  preemption?: ExpectedPreemption;
}

export interface ExpectedAttempt {
  atMillis: number;
  pod: string;
  poppedFrom: string;
  result: 'bound' | 'nominated' | 'unschedulable';
  node?: string;
  best?: string[];
  totals?: Record<string, number>;
  nominatedNodeUsed?: boolean;
  message?: string;
  preemption?: ExpectedPreemption;
  actionBefore?: string;
  afterEvent?: number;
}

export interface SequenceExpectation {
  attempts: ExpectedAttempt[];
  placements: Record<string, string>;
  evicted?: string[];
  unscheduled?: Record<string, string>;
  nominated?: Record<string, string>;
  gated?: string[];
  requeued?: string[][];
}

export interface ClusterChange {
  op: 'create' | 'update' | 'delete';
  kind: 'Pod' | 'Node';
  namespace?: string;
  name: string;
  object?: KubeObject;
}

export interface Scenario {
  name: string;
  note?: string;
  config?: object;
  nodes?: KubeObject[];
  pods?: KubeObject[];
  pod?: KubeObject;
  pending?: KubeObject[];
  events?: ClusterChange[];
  expect: SingleExpectation | SequenceExpectation;
  [list: string]: unknown;
}

/** Lists of manifests by the resource the scheduler's cache keeps them under. */
export const listedManifests: readonly (readonly [string, string])[] = [
  ['namespaces', 'namespaces'],
  ['pdbs', 'poddisruptionbudgets'],
  ['services', 'services'],
  ['replicationControllers', 'replicationcontrollers'],
  ['replicaSets', 'replicasets'],
  ['statefulSets', 'statefulsets'],
  ['persistentVolumes', 'persistentvolumes'],
  ['persistentVolumeClaims', 'persistentvolumeclaims'],
  ['storageClasses', 'storageclasses'],
  ['csiNodes', 'csinodes'],
];

/** What is compared, each counted by itself. */
export const aspects = ['preFilter', 'filter', 'reasons', 'scores', 'best', 'message', 'preemption', 'sequence', 'requeue'] as const;
export type Aspect = (typeof aspects)[number];

/** Takes one comparison after another: what was expected against what came. */
export type Check = (aspect: Aspect, path: string, expected: unknown, actual: unknown) => void;
