// Core Events of a step: what was told of which object, how often by its end.
import type { KubeObject } from '#libs/kernel';
import type { Difference } from '../play-result';
import type { Bindings } from './bindings';
import type { Frame, RecordedEvent, Session } from './recording';

/** A race of the real one with itself. */
const untold: ReadonlySet<string> = new Set(['FailedToUpdateEndpointSlices', 'FailedToUpdateEndpoint']);
/** Left out of recordings that are not about nodes. */
const ofNodes: ReadonlySet<string> = new Set(['RegisteredNode', 'RemovingNode']);

/** Told at each look at a budget: how many looks there are is not promised. */
const looks: ReadonlySet<string> = new Set(['NoPods', 'UnmanagedPods', 'CalculateExpectedPodCountFailed', 'MultiplePodDisruptionBudgets']);

export class EventCounts {
  private counts = new Map<string, number>();

  remember(events: Iterable<KubeObject>): void {
    this.counts = new Map([...events].map((event) => [event.metadata.uid, countOf(event)]));
  }

  /** Those that came or were counted again since. */
  *changed(events: Iterable<KubeObject>): Iterable<RecordedEvent> {
    for (const event of events) {
      const count = countOf(event);
      if (this.counts.get(event.metadata.uid) !== count) yield asRecorded(event, count);
    }
  }
}

function countOf(event: KubeObject): number {
  const { count, series } = event as unknown as { count?: number; series?: { count: number } };
  return series?.count ?? count ?? 1;
}

function asRecorded(event: KubeObject, count: number): RecordedEvent {
  const { involvedObject, type, reason, message, source, reportingComponent } = event as unknown as {
    involvedObject: { kind: string; name: string };
    type: string;
    reason: string;
    message: string;
    source?: { component?: string };
    reportingComponent?: string;
  };
  const from = source?.component || reportingComponent || '';
  return { on: `${involvedObject.kind}/${involvedObject.name}`, type, reason, message, from, count };
}

export interface EventsOfStep {
  frames: readonly Frame[];
  played: readonly RecordedEvent[];
  bindings: Bindings;
  session: Session;
}

/** Numbers of Events that differ in their messages alone are compared where some of them were combined: which ones is a matter of chance. */
export function compareEvents({ frames, played, bindings, session }: EventsOfStep): Difference[] {
  const isOfNodes = session.controller === 'nodelifecycle';
  const hasNewPods = frames.some(({ type, object }) => type === 'ADDED' && object.startsWith('Pod/'));
  const isShown = ({ reason }: RecordedEvent): boolean =>
    !untold.has(reason) && (isOfNodes || !ofNodes.has(reason)) && !(reason === 'NoPods' && hasNewPods);
  const recorded = recordedEvents(frames).filter(isShown);
  let left = played.filter(isShown);
  const isRetried = retriedIn(session, bindings);
  const differences: Difference[] = [];
  const combined = new Set([...recorded, ...left].filter(isCombined).map((event) => kinOf(event, bindings)));
  for (const kin of combined) {
    const [wanted, got] = [recorded, left].map((events) => totalOf(events.filter((event) => kinOf(event, bindings) === kin)));
    left = left.filter((event) => kinOf(event, bindings) !== kin);
    if (wanted !== got && !isRetried(kin)) differences.push({ path: 'events', text: `${kin}: recorded ${wanted} in all, played ${got}` });
  }
  let missing: RecordedEvent[] = [];
  for (const event of recorded) {
    if (combined.has(kinOf(event, bindings))) continue;
    const alike = left.filter((other) => bindings.match(textOf(event), textOf(other)));
    const partner = alike.find(({ count }) => count === event.count) ?? alike[0];
    if (partner) left.splice(left.indexOf(partner), 1);
    if (isRetried(kinOf(event, bindings))) continue;
    if (!partner) missing.push(event);
    else if (partner.count !== event.count && !looks.has(event.reason))
      differences.push({ path: 'events', text: `${textOf(partner)}: recorded ${event.count} times, played ${partner.count} times` });
  }
  // Which of a batch are told of before the budget of their object is spent is chance.
  missing = missing.filter((event) => {
    const partner = left.findIndex((other) => kinOf(other, bindings) === kinOf(event, bindings) && isAboutDrawn(event, other));
    if (partner >= 0) left.splice(partner, 1);
    return partner < 0;
  });
  for (const event of missing) differences.push({ path: 'events', text: `recorded ${bindings.resolveText(textOf(event))}, not played` });
  const more = left.filter((event) => !isRetried(kinOf(event, bindings)));
  return [...differences, ...more.map((event) => ({ path: 'events', text: `played ${textOf(event)}, not recorded` }))];
}

/** Alike but for a name that was drawn. */
function isAboutDrawn(recorded: RecordedEvent, played: RecordedEvent): boolean {
  const words = recorded.message.split(' ');
  const others = played.message.split(' ');
  return words.length === others.length && words.every((word, index) => word === others[index] || /<rand:\d+>/.test(word));
}

/** Of one that was counted again, its last state. Those about names that were refused are each another one. */
function recordedEvents(frames: readonly Frame[]): RecordedEvent[] {
  const events: RecordedEvent[] = [];
  for (const { type, event } of frames) {
    if (!event) continue;
    const before = type === 'MODIFIED' ? events.findIndex((other) => keyOf(other) === keyOf(event)) : -1;
    if (before >= 0) events[before] = event;
    else events.push(event);
  }
  return events;
}

const combinedText = '(combined from similar events)';

function isCombined({ message }: RecordedEvent): boolean {
  return message.startsWith(combinedText);
}

/** What is combined is one Event with another message each time. */
function keyOf(event: RecordedEvent): string {
  const { on, type, reason, from } = event;
  return isCombined(event) ? [on, type, reason, from].join(' ') : textOf(event);
}

function kinOf({ on, type, reason, from }: RecordedEvent, bindings: Bindings): string {
  return bindings.resolveText([on, type, reason, from].join(' '));
}

/** Each of those that stand alone once, and how often the combined one was counted. */
function totalOf(events: readonly RecordedEvent[]): number {
  return events.reduce((sum, event) => sum + (isCombined(event) ? event.count : 1), 0);
}

/** What was refused is tried again after delays of real time: how often falls into a step is chance. */
function retriedIn({ steps }: Session, bindings: Bindings): (kin: string) => boolean {
  const retried = new Set<string>();
  for (const { frames } of steps) {
    for (const { event } of frames) if (event && /<rand>/.test(event.message)) retried.add(kinOf(event, bindings));
  }
  return (kin) => retried.has(kin);
}

function textOf({ on, type, reason, message, from }: RecordedEvent): string {
  return [on, type, reason, from, message.replace(/Chose ".*" arbitrarily/, 'Chose one arbitrarily')].join(' ');
}
