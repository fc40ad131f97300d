import { derivedIndex, parseDuration, parseTime, type JsonObject, type KubeObject } from '#libs/kernel';
import { found } from './query';

/** A kwok Stage as it is stored: from which state of an object to which next one, and after how long. */
export interface StageSpec {
  resourceRef?: { apiGroup?: string; kind?: string };
  selector?: {
    matchLabels?: Record<string, string>;
    matchAnnotations?: Record<string, string>;
    matchExpressions?: Requirement[];
  };
  weight?: number;
  weightFrom?: ExpressionFrom;
  delay?: {
    durationMilliseconds?: number;
    durationFrom?: ExpressionFrom;
    jitterDurationMilliseconds?: number;
    jitterDurationFrom?: ExpressionFrom;
  };
  next?: StageNext;
}

interface Requirement {
  key?: string;
  operator?: string;
  values?: string[];
  /** The later form of the same. */
  jq?: Requirement;
}

interface ExpressionFrom {
  expressionFrom?: string;
  jq?: { expression?: string };
}

export interface StageNext {
  statusTemplate?: string;
  patches?: { subresource?: string; root?: string; template?: string; type?: string }[];
  finalizers?: { empty?: boolean; add?: { value: string }[]; remove?: { value: string }[] };
  delete?: boolean;
  event?: { type?: string; reason?: string; message?: string };
}

export const specOfStage = (stage: KubeObject): StageSpec => (stage.spec ?? {}) as StageSpec;

/** Whether an object is in the state that the stage is for. A stage without a selector is for none. */
export function matches({ selector }: StageSpec, object: KubeObject): boolean {
  if (!selector) return false;
  const { labels = {}, annotations = {} } = object.metadata;
  const has = (own: Record<string, string>, wanted: Record<string, string> | undefined): boolean =>
    Object.entries(wanted ?? {}).every(([key, value]) => own[key] === value);
  return (
    has(labels, selector.matchLabels) &&
    has(annotations, selector.matchAnnotations) &&
    (selector.matchExpressions ?? []).every((requirement) => meets(requirement.jq ?? requirement, object))
  );
}

function meets({ key = '', operator, values = [] }: Requirement, object: KubeObject): boolean {
  const data = found(key, object);
  switch (operator) {
    case 'In':
      return data.some((each) => values.includes(String(each)));
    case 'NotIn':
      return !data.some((each) => values.includes(String(each)));
    case 'Exists':
      return data.length > 0;
    default:
      return operator === 'DoesNotExist' && data.length === 0;
  }
}

function expressed(from: ExpressionFrom | undefined, object: KubeObject): string | undefined {
  const query = from?.jq?.expression ?? from?.expressionFrom;
  const [value] = query === undefined ? [] : found(query, object);
  return value === undefined ? undefined : String(value);
}

function weightOf({ weight = 0, weightFrom }: StageSpec, object: KubeObject): number {
  const said = Number(expressed(weightFrom, object) ?? Number.NaN);
  return Number.isInteger(said) && said >= 0 ? said : weight;
}

/** One of the stages that are for the object now, by their weights: the same one for as long as the object is the same. */
export function chosenStage(stages: readonly KubeObject[], object: KubeObject): KubeObject | undefined {
  const matching = stages.filter((stage) => matches(specOfStage(stage), object));
  if (matching.length < 2) return matching[0];
  const { uid, resourceVersion } = object.metadata;
  const draw = (bound: number): number => derivedIndex(`${uid}/${resourceVersion}/stage`, bound);
  const weights = matching.map((stage) => weightOf(specOfStage(stage), object));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return matching[draw(matching.length)];
  let left = draw(total);
  return matching.find((_stage, index) => (left -= weights[index] as number) < 0);
}

/** When the stage's time has come, for an object that has been as it is since then; ms since the epoch. */
export function dueAt(stage: KubeObject, object: KubeObject, since: number): number {
  const { delay } = specOfStage(stage);
  if (!delay) return since;
  const { durationMilliseconds: duration = 0, jitterDurationMilliseconds: jitter } = delay;
  const from = durationOf(expressed(delay.durationFrom, object), since) ?? duration;
  const to = durationOf(expressed(delay.jitterDurationFrom, object), since) ?? jitter;
  if (to === undefined || to <= from) return since + Math.max(0, to === undefined ? from : to);
  return since + from + derivedIndex(`${object.metadata.uid}/${object.metadata.resourceVersion}/${stage.metadata.name}`, to - from);
}

/** A duration, or the moment that it ends at. */
function durationOf(text: string | undefined, since: number): number | undefined {
  if (text === undefined) return undefined;
  const moment = parseTime(text);
  return moment === undefined ? parseDuration(text) : Math.max(0, moment - since);
}

const moments: ReadonlySet<string> = new Set(['lastTransitionTime', 'startedAt', 'finishedAt', 'startTime', 'creationTimestamp', 'time']);

/** The last moment that an object tells of: it has been as it is since then, ms. */
export function lastMoment({ metadata, status }: KubeObject): number {
  let last = 0;
  const walk = (value: unknown, key: string): void => {
    if (typeof value === 'string') {
      if (moments.has(key)) last = Math.max(last, parseTime(value) ?? 0);
    } else if (Array.isArray(value)) for (const each of value) walk(each, key);
    else if (typeof value === 'object' && value !== null) for (const [inner, each] of Object.entries(value)) walk(each, inner);
  };
  walk([metadata.creationTimestamp, status, metadata.managedFields], 'creationTimestamp');
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  const asked = parseTime(deletionTimestamp);
  return asked === undefined ? last : Math.max(last, asked - deletionGracePeriodSeconds * 1_000);
}

/** The finalizers that are left, and those that come; undefined: nothing changes. */
export function finalizersAfter({ finalizers: change }: StageNext, { metadata }: KubeObject): string[] | undefined {
  if (!change) return undefined;
  const before = (metadata.finalizers ?? []) as string[];
  const removed = new Set((change.remove ?? []).map(({ value }) => value));
  const kept = change.empty ? [] : before.filter((each) => !removed.has(each));
  const added = (change.add ?? []).map(({ value }) => value).filter((each) => !kept.includes(each));
  const after = [...kept, ...added];
  return after.length === before.length && after.every((each, index) => each === before[index]) ? undefined : after;
}

/** What a template gave, below its root. */
export const below = (root: string | undefined, patch: JsonObject): JsonObject => (root ? { [root]: patch } : patch);
