import type { RecordedEvent } from '#libs/event-log';
import type { Basis } from '#libs/events';
import { jsonEqual, parseTime, type JsonObject, type KubeObject } from '#libs/kernel';
import { isTerminal } from './pod-state';

/**
 * Moments of a pod's life to the millisecond, of a pod that has a node and is not over. Statuses say whole seconds, and some delays are
 * shorter. Immutable: a change gives another.
 */
export interface PodMarks {
  accepted?: number;
  /** When the kubelet wrote down the present generation, if it is not the one it took the pod with. */
  observed?: number;
  /** The first deletion request, and the grace it gave, in seconds. */
  deletion?: { at: number; graceSeconds: number };
  /** While it is being resized. */
  resize?: ResizeMark;
  /** The kubelet's own order that it stops. */
  order?: KubeletOrder;
  /** By container that was not made yet: pulls of its image that had to wait for others on the node. */
  pulls?: Readonly<Record<string, readonly WaitedPull[]>>;
  /** By container. */
  runs?: Readonly<Record<string, RunMark>>;
  /** What its kubelet has told of it by `Reported`, by `toldKey`. */
  told?: Readonly<Record<string, ToldMark>>;
  /** By type of Event. */
  budgets?: Readonly<Record<string, EventBudget>>;
}

/** That a whole pod stops, because its kubelet says so: it fails with this, unless all its containers end with 0. */
export interface KubeletOrder {
  node: string;
  /** Ms since the epoch. */
  at: number;
  graceSeconds: number;
  reason: string;
  message: string;
  /** Message of the condition DisruptionTarget; absent: it gets none. */
  disruption?: string;
  /** Who is to have its room, `NAMESPACE/NAME`; absent: nobody in particular. */
  preemptor?: string;
}

/** Start and end of a container's run; `run` is its restart count. */
export interface RunMark {
  run: number;
  started?: number;
  finished?: number;
  /** When the status first showed that it runs, where that was later than its start. */
  shown?: number;
  /** The wait before the next run, ms: counted from the end of this one, unless that comes late. */
  backOffMs?: number;
  /** The kubelet itself has ended it, for another to follow. */
  killed?: boolean;
  /** When the container was given other resources, ms: a new run of it is another container's. */
  resized?: number;
}

/** A pull of an image that has waited for others. Ms. */
export interface WaitedPull {
  askedAt: number;
  startsAt: number;
}

/** A pod of which the spec asks for other resources than its containers had before. */
export interface ResizeMark {
  /** By container: what the kubelet has set aside for it, as a container's `resources`. */
  allocated: Readonly<Record<string, JsonObject>>;
  /** When the kubelet set that aside, ms; absent: before the resize. */
  at?: number;
}

/** An Event that the kubelet has written about the pod. */
export interface ToldMark {
  /** How often it has happened in all. */
  count: number;
  /** How often in the run of the container (or since the moment) that it was last told about. */
  times: number;
  /** When it was last told, ms. */
  at: number;
}

/** What a source may still write about a pod: `left` at the moment `at` (ms). */
export interface EventBudget {
  left: number;
  at: number;
}

/** Events of one type that a source may write about an object at once, and after how long there is one more, ms (client-go's spam filter). */
export const eventBurst = 25;
export const eventRefillMs = 300_000;

export const noMarks: PodMarks = {};

/** The mark when it lies in the second that the text names; otherwise that second. */
export function preciseTime(text: string | null | undefined, mark: number | undefined): number | undefined {
  const second = parseTime(text);
  return second !== undefined && mark !== undefined && Math.floor(mark / 1000) * 1000 === second ? mark : second;
}

/** When the author of an append decided on it, as far as he says; else when it was written. Ms since the epoch. */
export function decidedAt({ metadata }: RecordedEvent): number {
  const { actor, basis, time } = metadata as unknown as { actor?: string; basis?: Basis; time: number };
  return actor === 'kubelet' && basis ? basis.now : time;
}

/** Marks after a change of the pod: `at` is when its author decided on it, ms. */
export function marksAfter(
  marks: PodMarks,
  before: KubeObject | undefined,
  object: KubeObject,
  events: readonly Pick<RecordedEvent, 'type' | 'data'>[],
  at: number,
): PodMarks {
  if (isTerminal(object)) return noMarks;
  const old = before && before.metadata.uid === object.metadata.uid ? before : undefined;
  const next: PodMarks = old ? { ...marks } : {};
  const was = old ? statusOf(old) : undefined;
  const is = statusOf(object);
  if (is.startTime !== was?.startTime) next.accepted = at;
  if (was?.observedGeneration !== undefined && is.observedGeneration !== was.observedGeneration) next.observed = at;
  const grace = object.metadata.deletionGracePeriodSeconds;
  if (object.metadata.deletionTimestamp && !old?.metadata.deletionTimestamp) next.deletion = { at, graceSeconds: grace ?? 0 };
  const resize = resizeMark(next.resize, old, object);
  if (resize !== next.resize) next.resize = resize;
  const runs = runMarks(next.runs, was, is, at);
  if (runs !== next.runs) next.runs = runs;
  for (const { type, data } of events) {
    if (type === 'ContainerStarted' || type === 'ContainerStartFailed') noteStart(next, data, at);
    else if (type === 'ContainerExited') noteEnd(next, data);
    else if (type === 'PodResizeAllocated') noteAllocation(next, data, object, at);
  }
  return next;
}

/** What a start says beside the status: its own moment, and the waits before and after it. */
function noteStart(marks: PodMarks, { container, at, backOffMs, untold }: JsonObject, shown: number): void {
  if (marks.pulls?.[container as string]) marks.pulls = { ...marks.pulls, [container as string]: [] };
  if (typeof at === 'number') noteRun(marks, container as string, { started: at, shown });
  if (typeof backOffMs === 'number') noteRun(marks, container as string, { backOffMs });
  for (const [key, times] of Object.entries((untold ?? {}) as Record<string, number>)) {
    const told = marks.told?.[key];
    if (told) marks.told = { ...marks.told, [key]: { ...told, count: told.count + times } };
  }
}

function noteEnd(marks: PodMarks, { container, at, killed }: JsonObject): void {
  // The next run may have begun in the same append.
  if (marks.runs?.[container as string]?.finished === undefined) return;
  if (typeof at === 'number') noteRun(marks, container as string, { finished: at });
  if (killed === true) noteRun(marks, container as string, { killed });
}

/** What was set aside before the spec asked for something else is kept until nothing of the resize is left to be done. */
function resizeMark(mark: ResizeMark | undefined, before: KubeObject | undefined, object: KubeObject): ResizeMark | undefined {
  if (mark) return isResizing(object) ? mark : undefined;
  if (!before || before.spec === object.spec || statusOf(before).startTime === undefined) return undefined;
  const allocated = resourcesOf(before);
  return jsonEqual(allocated, resourcesOf(object)) ? undefined : { allocated };
}

/** The kubelet has not taken note of the spec, or says that it is not through with it. */
function isResizing({ metadata, status }: KubeObject): boolean {
  const { observedGeneration, conditions = [] } = (status ?? {}) as PodStatus;
  return observedGeneration !== metadata.generation || conditions.some(({ type }) => type.startsWith('PodResize'));
}

/** By container. */
function resourcesOf({ spec }: KubeObject): Record<string, JsonObject> {
  const { containers = [], initContainers = [] } = (spec ?? {}) as Record<string, { name: string; resources?: JsonObject }[] | undefined>;
  return Object.fromEntries([...containers, ...initContainers].map(({ name, resources = {} }) => [name, resources]));
}

/** Set aside is what the spec asks for; some of the containers have it already. */
function noteAllocation(marks: PodMarks, { containers }: JsonObject, object: KubeObject, at: number): void {
  for (const name of containers as string[]) noteRun(marks, name, { resized: at });
  marks.resize = isResizing(object) ? { allocated: resourcesOf(object), at } : undefined;
}

function noteRun(marks: PodMarks, container: string, more: Partial<RunMark>): void {
  const run = marks.runs?.[container];
  if (run) marks.runs = { ...marks.runs, [container]: { ...run, ...more } };
}

interface ContainerStatus {
  name: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  state: any;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  lastState: any;
  restartCount: number;
  containerID?: string;
}

interface PodStatus {
  startTime?: string;
  observedGeneration?: number;
  conditions?: { type: string }[];
  initContainerStatuses?: ContainerStatus[];
  containerStatuses?: ContainerStatus[];
  ephemeralContainerStatuses?: ContainerStatus[];
}

function statusOf(pod: KubeObject): PodStatus {
  return (pod.status ?? {}) as PodStatus;
}

type RunMarks = PodMarks['runs'];

function runMarks(marks: RunMarks, was: PodStatus | undefined, is: PodStatus, at: number): RunMarks {
  let result = marks;
  for (const list of ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const) {
    const now = is[list];
    const before = was?.[list];
    if (now === before || !now) continue;
    now.forEach((status, index) => {
      const mark = runMark(result?.[status.name], status, before?.[index], at);
      if (mark && mark !== result?.[status.name]) result = { ...result, [status.name]: mark };
    });
  }
  return result;
}

function runMark(mark: RunMark | undefined, status: ContainerStatus, before: ContainerStatus | undefined, at: number): RunMark | undefined {
  if (!status.containerID || status === before) return mark;
  const run = status.restartCount;
  const known = mark?.run === run ? mark : { run };
  const { running, terminated = status.lastState?.terminated } = status.state;
  if (running && known.started === undefined) return { ...known, started: preciseMoment(running.startedAt, at) };
  if (!running && terminated && known.finished === undefined) {
    const started = known.started === undefined ? { started: preciseMoment(terminated.startedAt, at) } : {};
    return { ...known, ...started, finished: preciseMoment(terminated.finishedAt, at) };
  }
  return known;
}

/** A run may have begun or ended before the kubelet wrote it down; then only the second is known. */
function preciseMoment(text: string | undefined, at: number): number {
  return preciseTime(text, at) ?? at;
}

/** One Event of the kubelet about a pod, told apart from others as its recorder does. */
export function toldKey(type: string, reason: string, message: string, fieldPath: string | undefined): string {
  return `${type}/${reason}/${fieldPath ?? ''}/${message}`;
}

/** Marks after the kubelet has told something of the pod at a moment, ms. */
export function marksAfterReport(marks: PodMarks, data: JsonObject, at: number): PodMarks {
  const { type, reason, message, fieldPath, count, times = 1 } = data as Record<string, string> & { count?: number; times?: number };
  const budget = budgetAt(marks.budgets?.[type as string], at);
  const budgets = { ...marks.budgets, [type as string]: { left: Math.max(0, budget.left - 1), at } };
  const key = toldKey(type as string, reason as string, message as string, fieldPath);
  const total = count ?? (marks.told?.[key]?.count ?? 0) + 1;
  return { ...marks, budgets, told: { ...marks.told, [key]: { count: total, times, at } } };
}

/** Marks after a pull for a container was put off. */
export function marksAfterWait(marks: PodMarks, container: string, wait: WaitedPull): PodMarks {
  return { ...marks, pulls: { ...marks.pulls, [container]: [...(marks.pulls?.[container] ?? []), wait] } };
}

/** What may be written at a moment, ms. */
export function budgetAt(budget: EventBudget | undefined, at: number): EventBudget {
  if (!budget) return { left: eventBurst, at };
  return { left: Math.min(eventBurst, budget.left + Math.max(0, at - budget.at) / eventRefillMs), at };
}

/**
 * Marks after the node's kubelet process has begun anew: how long containers have to wait, what it has told how often, and what it may still tell, the
 * former one kept to itself. That something was told stays known, for it not to be told again.
 */
export function marksAfterRestart(marks: PodMarks): PodMarks {
  const { budgets: _, runs, told, ...rest } = marks;
  return {
    ...rest,
    ...(runs && { runs: mapped(runs, ({ backOffMs: _wait, ...run }) => run) }),
    ...(told && { told: mapped(told, (mark) => ({ ...mark, count: 0 })) }),
  };
}

function mapped<A, B>(entries: Readonly<Record<string, A>>, change: (entry: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(entries).map(([key, entry]) => [key, change(entry)]));
}
