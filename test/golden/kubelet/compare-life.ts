// A recorded life and ours: pods' statuses, what else changed of them, Events, the node.
import type { KubeObject } from '#libs/kernel';
import type { Difference } from '../play-result';
import { courseOf, type State } from './align';
import { compareCourses, valueDifferences, type Tolerance } from './compare-courses';
import { compareEvents, eventsOf } from './compare-events';
import { normalForm, type NormalForm } from './normal-form';
import type { Change, PlayedLife } from './play';
import type { Fields, NodeEntry, RecordedEvent, RecordedLife, TimelineEntry } from './recording';

export function compareLife(life: RecordedLife, played: PlayedLife): Difference[] {
  const tolerance = toleranceOf(life);
  return [
    ...played.answers,
    ...fewest(life.timeline, life.again?.timeline, (timeline) => comparePods(life, timeline, played, tolerance)),
    ...fewest(life.events, life.again?.events2, (events) => {
      const slack = tolerance.step * (1 + restartsIn(life.timeline));
      return compareEvents(events, eventsOf(played.events, 'Pod', played.began).filter(isOfPods(life)), slack);
    }),
    ...compareNode(life, played, tolerance),
  ];
}

/** Recorded twice: either will do. */
function fewest<T>(first: T, second: T | undefined, compare: (recorded: T) => Difference[]): Difference[] {
  const differences = compare(first);
  if (second === undefined || differences.length === 0) return differences;
  const others = compare(second);
  return others.length < differences.length ? others : differences;
}

const isOfPods =
  ({ timeline, events }: RecordedLife) =>
  ({ name }: RecordedEvent): boolean =>
    timeline.some(({ pod }) => pod === name) || events.some((event) => event.name === name);

const relistSeconds = 2.5;
const backOffSlackSeconds = 15;
/** A failed sync is repeated up to so much later by chance. */
const retryJitterSeconds = 5;
const sequentialStartSeconds = 1;
const evictionLookSeconds = 10;

/** Of waits that end with a sync. */
const retried = /"(\w*BackOff|ErrImage\w+|InvalidImageName|CreateContainer\w*Error|FailedCreatePodSandBox)"/;

/** What the recordings tolerate: relisting, moments cut to the second, probes that start up to a period late, retries that come with a sync. */
function toleranceOf({ id, pods, timeline, events }: RecordedLife): Tolerance {
  let step = relistSeconds;
  const periods = pods.flatMap(({ manifest }) =>
    ['containers', 'initContainers'].flatMap((list) =>
      ((manifest.spec?.[list] ?? []) as Fields[]).flatMap((container) =>
        ['startupProbe', 'readinessProbe', 'livenessProbe'].map(
          (probe) => (container[probe] as { periodSeconds?: number } | undefined)?.periodSeconds ?? 0,
        ),
      ),
    ),
  );
  step += Math.max(0, ...periods);
  // Containers that start one after the other, on a busy machine.
  step += Math.max(0, ...pods.map(({ manifest }) => ((manifest.spec?.initContainers ?? []) as unknown[]).length * sequentialStartSeconds));
  let within = relistSeconds + 1;
  const isRetried = retried.test(JSON.stringify([timeline, events]));
  if (isRetried) {
    // Both ends of a wait are learned by relisting, and when its state is first shown comes by chance, too.
    step += backOffSlackSeconds + relistSeconds;
    within += backOffSlackSeconds;
  }
  if (id.startsWith('eviction/')) step += evictionLookSeconds;
  return { step, late: isRetried ? retryJitterSeconds : 0, within };
}

function restartsIn(timeline: readonly TimelineEntry[]): number {
  const counts = JSON.stringify(timeline).matchAll(/"restartCount":(\d+)/g);
  return Math.max(0, ...[...counts].map(([, count]) => Number(count)));
}

function comparePods(life: RecordedLife, timeline: readonly TimelineEntry[], played: PlayedLife, tolerance: Tolerance): Difference[] {
  const names = [...new Set(timeline.map(({ pod }) => pod))];
  return names.flatMap((pod) => {
    const recorded = timeline.filter((entry) => entry.pod === pod);
    const ours = played.pods.filter(({ object }) => object.metadata.name === pod);
    const end = life.recordedFor;
    return [
      ...compareCourses(`${pod}.status`, recordedStatuses(recorded, end), ourStatuses(ours, played.began, end), tolerance, end),
      ...compareCourses(`${pod}.metadata`, recordedMetadata(recorded, end), ourMetadata(ours, played.began, end), tolerance),
      ...compareSpecs(pod, recorded, ours),
    ];
  });
}

/** Fields that changed put into the whole; null takes one away. */
function merged(before: Fields, changed: Fields | null | undefined): Fields {
  const after = { ...before };
  for (const [key, value] of Object.entries(changed ?? {})) {
    if (value === null) delete after[key];
    else after[key] = value;
  }
  return after;
}

const gone = 'gone';

function recordedStatuses(entries: readonly TimelineEntry[], end: number): State[] {
  let status: Fields = {};
  const states = entries.map(({ t, type, status: changed }) => {
    status = merged(type === 'ADDED' ? {} : status, changed);
    return { t, form: normalForm(type === 'DELETED' ? gone : status, undefined) };
  });
  return courseOf(states, end);
}

function ourStatuses(changes: readonly Change[], began: number, end: number): State[] {
  return courseOf(
    changes.map(({ t, type, object }) => ({ t, form: normalForm(type === 'DELETED' ? gone : object.status, began) })),
    end,
  );
}

const metadataKept = ['deletionTimestamp', 'deletionGracePeriodSeconds', 'generation', 'finalizers'] as const;

function recordedMetadata(entries: readonly TimelineEntry[], end: number): State[] {
  let metadata: Fields = {};
  const states = entries.map(({ t, type, metadata: changed }) => {
    metadata = merged(type === 'ADDED' ? {} : metadata, changed);
    return { t, form: normalForm(type === 'DELETED' ? gone : picked(metadata), undefined) };
  });
  return courseOf(states, end);
}

function ourMetadata(changes: readonly Change[], began: number, end: number): State[] {
  return courseOf(
    changes.map(({ t, type, object }) => ({
      t,
      form: normalForm(type === 'DELETED' ? gone : picked(object.metadata as unknown as Fields), began),
    })),
    end,
  );
}

function picked(metadata: Fields): Fields {
  return Object.fromEntries(metadataKept.flatMap((key) => (metadata[key] === undefined ? [] : [[key, metadata[key]]])));
}

/** Changes of the spec, whenever they came. */
function compareSpecs(pod: string, recorded: readonly TimelineEntry[], ours: readonly Change[]): Difference[] {
  let expected: Fields = {};
  for (const { type, spec } of recorded) expected = merged(type === 'ADDED' ? {} : expected, spec);
  const last = ours.findLast(({ type }) => type !== 'DELETED')?.object.spec as Fields | undefined;
  return Object.keys(expected).flatMap((key) => valueDifferences(`${pod}.spec.${key}`, expected[key], last?.[key]));
}

const nodeStatusKept = ['capacity', 'allocatable', 'conditions'] as const;

function compareNode(life: RecordedLife, played: PlayedLife, tolerance: Tolerance): Difference[] {
  const { nodeTimeline, nodeEvents = [], leaseTimeline } = life;
  if (!nodeTimeline) return [];
  const end = life.recordedFor;
  const name = life.node?.name ?? '';
  const recorded = recordedNodeStates(nodeTimeline, end);
  const ours = ourNodeStates(played, name, end);
  const differences = [
    ...compareCourses('node.status', recorded.status, ours.status, tolerance),
    ...compareCourses('node.taints', recorded.taints, ours.taints, tolerance),
    ...compareCourses('node.labels', recorded.labels, ours.labels, tolerance),
  ];
  const told = eventsOf(played.events, 'Node', played.began).filter((event) => event.name === name);
  return [...differences, ...compareNodeEvents(nodeEvents, told, tolerance), ...compareLeases(leaseTimeline, played, name)];
}

interface NodeCourses {
  status: State[];
  taints: State[];
  labels: State[];
}

function recordedNodeStates(entries: readonly NodeEntry[], end: number): NodeCourses {
  let status: Fields = {};
  let spec: Fields = {};
  let labels: Fields = {};
  let isGone = false;
  const states = entries.map((entry) => {
    status = merged(entry.type === 'ADDED' ? {} : status, entry.status);
    spec = merged(entry.type === 'ADDED' ? {} : spec, entry.spec);
    labels = merged(entry.type === 'ADDED' ? {} : labels, entry.labels);
    isGone = entry.type === 'DELETED';
    return { t: entry.t === 'before' ? -1 : entry.t, status, taints: spec.taints ?? [], labels, isGone };
  });
  return courses(states, undefined, end);
}

function ourNodeStates({ node, began }: PlayedLife, name: string, end: number): NodeCourses {
  const own = node.filter(({ object }) => object.metadata.name === name);
  const before = own.findLastIndex(({ t }) => t < -1);
  const states = own.slice(Math.max(0, before)).map(({ t, type, object }) => ({
    t: Math.max(-1, t),
    status: object.status as Fields,
    taints: (object.spec as Fields | undefined)?.taints ?? [],
    labels: object.metadata.labels ?? {},
    isGone: type === 'DELETED',
  }));
  return courses(states, began, end);
}

/** How long a node had been as it was when the first pod came is chance. */
const withoutPast = (t: number, form: NormalForm): NormalForm => (t > 0 ? form : { ...form, times: new Map() });

interface NodeState {
  t: number;
  status: Fields;
  taints: unknown;
  labels: object;
  isGone: boolean;
}

function courses(states: readonly NodeState[], began: number | undefined, end: number): NodeCourses {
  const course = (part: (state: NodeState) => unknown): State[] =>
    courseOf(
      states.map((state) => ({ t: state.t, form: withoutPast(state.t, normalForm(state.isGone ? gone : part(state), began)) })),
      end,
    );
  return {
    status: course(({ status }) => Object.fromEntries(nodeStatusKept.map((key) => [key, status[key]]))),
    taints: course(({ taints }) => taints),
    labels: course(({ labels }) => labels),
  };
}

/** Node events are told each time they are written: the last count of each counts. */
function compareNodeEvents(recorded: NonNullable<RecordedLife['nodeEvents']>, ours: RecordedEvent[], tolerance: Tolerance): Difference[] {
  const last = new Map<string, RecordedEvent>();
  for (const { t, ...event } of recorded) {
    const key = `${event.component}/${event.reason}/${event.message}`;
    last.set(key, { name: ours[0]?.name ?? '', ...event, first: last.get(key)?.first ?? t, last: t });
  }
  // What was told before the watch began is counted, but not seen.
  const seen = ours.filter(({ last: at }) => at >= -1);
  return compareEvents([...last.values()], seen, tolerance.step + evictionLookSeconds).filter(({ path }) => !path.endsWith('.first'));
}

/** A Lease is renewed every 10 s, give or take. */
function compareLeases(recorded: RecordedLife['leaseTimeline'], played: PlayedLife, name: string): Difference[] {
  if (!recorded) return [];
  const ours = played.leases.filter(({ t, object }) => object.metadata.name === name && t >= 0);
  const differences: Difference[] = [];
  if (Math.abs(recorded.length - ours.length) > 1)
    differences.push({ path: 'lease', text: `expected ${recorded.length} writes, got ${ours.length}` });
  const [was, is] = [recorded.at(-1)?.spec, ours.at(-1)?.object.spec as KubeObject['spec'] | undefined];
  for (const key of ['holderIdentity', 'leaseDurationSeconds'] as const)
    differences.push(...valueDifferences(`lease.spec.${key}`, was?.[key], is?.[key]));
  return differences;
}
