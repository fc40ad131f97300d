import type { KubeObject } from '#libs/kernel';

/** Fields of the same thing in both views: name in core/v1, name in events.k8s.io/v1. */
const sameAs: readonly (readonly [core: string, fresh: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

const newOrder = [
  'metadata',
  'eventTime',
  'series',
  'reportingController',
  'reportingInstance',
  'action',
  'reason',
  'regarding',
  'related',
  'note',
  'type',
  'deprecatedSource',
  'deprecatedFirstTimestamp',
  'deprecatedLastTimestamp',
  'deprecatedCount',
];
/** Shown even when empty: Go writes these structs and times in any case. */
const newAlways = new Set([
  'metadata',
  'eventTime',
  'regarding',
  'deprecatedSource',
  'deprecatedFirstTimestamp',
  'deprecatedLastTimestamp',
]);
const newStructs = new Set(['regarding', 'deprecatedSource']);

const coreOrder = [
  'metadata',
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'series',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
];
const coreAlways = new Set([
  'metadata',
  'involvedObject',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'eventTime',
  'reportingComponent',
  'reportingInstance',
]);
const coreStructs = new Set(['involvedObject', 'source']);
const coreTexts = new Set(['reportingComponent', 'reportingInstance']);

const toNew = new Map(sameAs);
const toCore = new Map(sameAs.map(([core, fresh]) => [fresh, core] as const));

const views = new WeakMap<KubeObject, KubeObject>();

/** A stored Event as events.k8s.io/v1 shows it; the same object for the same event. */
export function newEventOf(event: KubeObject): KubeObject {
  let view = views.get(event);
  if (view === undefined) {
    view = converted(event, toNew, newOrder, (field) => (newAlways.has(field) ? (newStructs.has(field) ? {} : null) : undefined));
    views.set(event, view);
  }
  return view;
}

/** An events.k8s.io/v1 Event as it is stored, which is as core/v1 shows it. */
export function coreEventOf(event: KubeObject): KubeObject {
  const empty = (field: string): unknown =>
    coreStructs.has(field) ? {} : coreTexts.has(field) ? '' : coreAlways.has(field) ? null : undefined;
  return converted(event, toCore, coreOrder, empty);
}

/** The fields renamed and in the order of their view; what is empty is left out unless the view always has it. */
function converted(
  event: KubeObject,
  names: ReadonlyMap<string, string>,
  order: readonly string[],
  empty: (field: string) => unknown,
): KubeObject {
  const renamed = new Map<string, unknown>();
  for (const [field, value] of Object.entries(event)) renamed.set(names.get(field) ?? field, value);
  const result: Record<string, unknown> = {};
  for (const field of order) {
    const value = renamed.get(field);
    const absent = value === undefined || value === null || value === '' || value === 0;
    const shown = absent ? empty(field) : value;
    if (shown !== undefined) result[field] = shown;
  }
  return result as unknown as KubeObject;
}
