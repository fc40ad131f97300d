import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '#libs/kernel';
import { goldenFolder } from '../../../test/golden/golden-folder';

/** One recorded situation; see the recordings' own README for every field. */
export interface RecordedLife {
  id: string;
  about: string;
  node?: { name: string; cpu: number; memoryMi: number; reservedMi: number; pods: number; taints?: object[] };
  script: Record<string, Record<string, ContainerScript>>;
  pods: { at: number; manifest: KubeObject }[];
  actions: RecordedAction[];
  recordedFor: number;
  timeline: { t: number; pod: string; type: string; status?: Record<string, unknown>; metadata?: Record<string, unknown> }[];
  again?: { statuses?: string };
}

export interface ContainerScript {
  runs?: { run?: number; exit?: number; oom?: boolean; message?: string }[];
  term?: { takes?: number; exit?: number; ignore?: boolean };
  startDelay?: number;
  exec?: Record<string, { steps: { from: number; exit?: number; takes?: number }[] }>;
}

export interface RecordedAction {
  at: number;
  do: string;
  pod?: string;
  grace?: number;
  /** Subresource. */
  sub?: string;
  body?: Record<string, unknown>;
  code?: number;
}

const folder = goldenFolder('kubelet');
export const recordingsFound = folder !== undefined;

export function recordedLives(group: string): RecordedLife[] {
  if (!folder) return [];
  const lines = readFileSync(join(folder, `${group}.jsonl`), 'utf8').split('\n');
  return lines.filter(Boolean).map((line) => JSON.parse(line) as RecordedLife);
}

const seconds = (amount: number): string => `${Math.round(amount * 1000)}ms`;

/** A recorded script as annotations of a pod. Undefined when the annotations cannot say it. */
export function annotationsOf(script: Record<string, ContainerScript> | undefined): Record<string, string> | undefined {
  const annotations: Record<string, string> = {};
  for (const [container, does] of Object.entries(script ?? {})) {
    const say = (key: string, value: string): string => (annotations[`kubereel.dev/${container}.${key}`] = value);
    const [first, ...further] = does.runs ?? [];
    if (further.length > 0 || first?.oom || first?.message) return undefined;
    if (Object.keys(does).some((key) => !['runs', 'term', 'startDelay', 'exec'].includes(key)) || !succeedsAlways(does.exec))
      return undefined;
    if (first?.run !== undefined) say('run-for', seconds(first.run));
    if (first?.exit !== undefined) say('exit-code', String(first.exit));
    if (does.startDelay !== undefined) say('startup', seconds(does.startDelay));
    const { term } = does;
    if (term?.ignore) say('on-term', 'ignore');
    else if (term) say('on-term', `${term.takes === undefined ? '' : `takes ${seconds(term.takes)} `}exit ${term.exit ?? 0}`);
  }
  return annotations;
}

/** Simulated probes succeed at once, and hooks take no time. */
function succeedsAlways(exec: ContainerScript['exec']): boolean {
  return Object.values(exec ?? {}).every(({ steps }) => steps.length === 1 && steps[0]?.from === 0 && !steps[0].exit && !steps[0].takes);
}

/** The whole statuses that a pod went through, from the recorded changes of their fields. */
export function recordedStatuses(life: RecordedLife, pod: string): { t: number; status: Record<string, unknown> }[] {
  let status: Record<string, unknown> = {};
  const statuses: { t: number; status: Record<string, unknown> }[] = [];
  for (const entry of life.timeline) {
    if (entry.pod !== pod || !entry.status) continue;
    status = entry.type === 'ADDED' ? {} : { ...status };
    for (const [key, value] of Object.entries(entry.status)) {
      if (value === null) delete status[key];
      else status[key] = value;
    }
    statuses.push({ t: entry.t, status });
  }
  return statuses;
}

const ignored = new Set(['lastTransitionTime', 'lastProbeTime', 'volumeMounts']);

/** A status without times, addresses, hashes and ids; containers are numbered as they appear. */
export function withoutNoise(status: unknown, uid: string | undefined): unknown {
  const text = JSON.stringify(status, (key, value: unknown) => {
    if (ignored.has(key)) return undefined;
    if (key === 'startedAt' || key === 'finishedAt' || key === 'startTime') return value === null ? 'never' : 'once';
    if (key === 'containerID') return 'id';
    if (key === 'hostIP' || key === 'podIP' || key === 'ip') return 'address';
    if (key === 'imageID' && typeof value === 'string') return value.replace(/sha256:.*/, 'sha256');
    if (key === 'message' && typeof value === 'string') return value.replace(/\([^)]*\)$/, '()').replace(uid ?? '<uid>', '<uid>');
    return value;
  });
  return sorted(JSON.parse(text));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

/** A status and how long it lasted, ms. */
export interface Lived {
  status: string;
  for: number;
}

/** Statuses in their order, equal ones in a row as one. Times in ms. */
export function lived(entries: { at: number; status: unknown }[], end: number): Lived[] {
  const result: Lived[] = [];
  entries.forEach(({ at, status }, index) => {
    const text = JSON.stringify(status);
    const lasted = (entries[index + 1]?.at ?? end) - at;
    const last = result[result.length - 1];
    if (last?.status === text) last.for += lasted;
    else result.push({ status: text, for: lasted });
  });
  return result;
}

/** The recording's own resolution, and what is told of a pod's end in two writes that we make one. */
const shortOursMs = 2_100;
const shortRecordedMs = 2_600;

/** What one has and the other lacks, apart from what was too short to be seen. Both go forward together. */
export function differences(ours: readonly Lived[], recorded: readonly Lived[]): string[] {
  const found: string[] = [];
  let place = 0;
  const skip = (until: number): void => {
    for (const skipped of recorded.slice(place, until)) if (skipped.for > shortRecordedMs) found.push(`missing: ${skipped.status}`);
    place = until;
  };
  for (const entry of ours) {
    const next = recorded.findIndex((candidate, index) => index >= place && candidate.status === entry.status);
    if (next >= 0) {
      skip(next);
      place++;
    } else if (entry.for > shortOursMs && place < recorded.length) found.push(`not recorded: ${entry.status}`);
  }
  skip(recorded.length);
  return found;
}
