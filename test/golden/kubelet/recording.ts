// The form of recorded lives of pods; the recordings' own README tells of every field.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '#libs/kernel';

export type Fields = Record<string, unknown>;

export interface RecordedNode {
  name: string;
  cpu: number;
  memoryMi: number;
  reservedMi: number;
  pods: number;
  diskMi?: number;
  taints?: object[];
  evictionHard?: Record<string, string>;
  evictionSoft?: Record<string, string>;
  evictionSoftGrace?: Record<string, string>;
  evictionMaxPodGracePeriod?: number;
  evictionMinReclaim?: Record<string, string>;
  pressureTransitionSeconds?: number;
  memoryUsedBySystemMi?: number;
  diskUsedBySystemMi?: number;
  serializeImagePulls?: boolean;
}

export interface TimelineEntry {
  t: number;
  pod: string;
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  status?: Fields;
  metadata?: Fields;
  labels?: Fields | null;
  annotations?: Fields | null;
  spec?: Fields;
}

export interface RecordedEvent {
  name: string;
  type: string;
  reason: string;
  message: string;
  count: number;
  first: number;
  last: number;
  field?: string;
  component: string;
  annotations?: Fields;
}

export interface NodeEntry {
  t: number | 'before';
  type?: 'ADDED' | 'MODIFIED' | 'DELETED';
  status?: Fields;
  spec?: Fields;
  labels?: Fields | null;
  annotations?: Fields | null;
}

export interface NodeEvent {
  t: number;
  type: string;
  reason: string;
  message: string;
  count: number;
  component: string;
}

export interface LeaseEntry {
  t: number;
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  spec: { holderIdentity: string; leaseDurationSeconds: number; renewTime: number };
}

export interface RecordedAction {
  at: number;
  do: string;
  code?: number;
  answer?: { reason: string; message: string };
  pod?: string;
  node?: string;
  grace?: number;
  /** Subresource. */
  sub?: 'ephemeralcontainers' | 'resize' | 'status';
  resource?: string;
  body?: Fields | null;
  mem?: number;
  disk?: number;
  kill?: string;
  network?: 'up' | 'down';
  runtime?: 'up' | 'down';
  file?: string;
}

export interface RecordedLife {
  id: string;
  about: string;
  node?: RecordedNode;
  objects?: KubeObject[];
  script: Record<string, PodScript>;
  pods: { at: number; manifest: KubeObject }[];
  actions: RecordedAction[];
  recordedFor: number;
  timeline: TimelineEntry[];
  events: RecordedEvent[];
  nodeTimeline?: NodeEntry[];
  nodeEvents?: NodeEvent[];
  leaseTimeline?: LeaseEntry[];
  /** The second time. */
  again?: { statuses: string; events: string; timeline?: TimelineEntry[]; events2?: RecordedEvent[] };
}

/** By container; beside them what is about no container: `images`, `sandbox-fail`, `plugin-error`. */
export type PodScript = Record<string, ContainerScript | Record<string, ImageScript> | string>;

export interface Steps {
  steps: ({ from: number } & Fields)[];
  cycle?: number;
}

export interface ContainerScript {
  runs?: { run?: number; exit?: number; oom?: boolean; message?: string; log?: string }[];
  term?: { takes?: number; exit?: number; ignore?: boolean };
  startDelay?: number;
  exec?: Record<string, Steps>;
  http?: Record<string, Record<string, Steps>>;
  tcp?: Record<string, Steps>;
  grpc?: Record<string, Record<string, Steps>>;
  failCreate?: string;
  failCreateTimes?: number;
  failStart?: string;
  failStartTimes?: number;
  resizeFail?: string;
  mem?: { from: number; mib: number }[];
  disk?: { from: number; mib: number }[];
  write?: { at: number; path: string; mib: number };
}

export interface ImageScript {
  delay?: number;
  errors?: string[];
  repeat?: boolean;
  code?: string;
  size?: number;
}

/** The groups of a folder of recordings, by name. */
export function groupsIn(dir: string): string[] {
  return readdirSync(dir)
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => file.slice(0, -'.jsonl'.length))
    .toSorted();
}

export function readGroup(dir: string, group: string): RecordedLife[] {
  const lines = readFileSync(join(dir, `${group}.jsonl`), 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as RecordedLife);
}
