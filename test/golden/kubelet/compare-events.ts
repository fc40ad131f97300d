// Event objects: which there are, how often each was written, and when.
import { parseTime, type KubeObject } from '#libs/kernel';
import type { Difference } from '../play-result';
import { named } from './normal-form';
import { show } from './compare-courses';
import type { RecordedEvent } from './recording';

/** Ours in the recordings' form. @param began ms since the epoch */
export function eventsOf(objects: readonly KubeObject[], kind: string, began: number): RecordedEvent[] {
  const secondOf = (time: string | null | undefined): number => ((parseTime(time) ?? 0) - began) / 1_000;
  return objects.flatMap((object): RecordedEvent[] => {
    const { involvedObject, series, metadata, ...event } = object as unknown as StoredEvent;
    const { kind: of, name, fieldPath } = involvedObject;
    if (of !== kind) return [];
    const first = event.firstTimestamp ?? event.eventTime;
    const last = event.lastTimestamp ?? series?.lastObservedTime ?? first;
    return [
      {
        name,
        type: event.type,
        reason: event.reason,
        message: event.message,
        count: event.count ?? series?.count ?? 1,
        first: secondOf(first),
        last: secondOf(last),
        component: event.source?.component ?? event.reportingComponent,
        ...(fieldPath === undefined ? {} : { field: fieldPath }),
        ...(metadata.annotations ? { annotations: metadata.annotations } : {}),
      },
    ];
  });
}

interface StoredEvent {
  metadata: { annotations?: Record<string, unknown> };
  involvedObject: { kind: string; name: string; fieldPath?: string };
  type: string;
  reason: string;
  message: string;
  count?: number;
  series?: { count: number; lastObservedTime: string };
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  source?: { component?: string };
  reportingComponent: string;
}

const keyOf = ({ name, field, type, reason, message, component }: RecordedEvent): string =>
  [name, field ?? '', component, type, reason, named(message)].join(' | ');

/** The same about other pods of that name, or with other digits, counted together. */
function grouped(events: readonly RecordedEvent[]): Map<string, RecordedEvent> {
  const groups = new Map<string, RecordedEvent>();
  for (const event of events) {
    const known = groups.get(keyOf(event));
    if (!known) groups.set(keyOf(event), { ...event });
    else {
      known.count += event.count;
      known.first = Math.min(known.first, event.first);
      known.last = Math.max(known.last, event.last);
    }
  }
  return groups;
}

/** What each retry tells: how many there are before something else happens is a matter of seconds. */
const repeats: ReadonlySet<string> = new Set(['Pulling', 'BackOff', 'Failed', 'FailedMount', 'FailedCreatePodSandBox']);

/** Retries come up to half their wait later by chance: over so many of them there may be one more or less. */
const retriesPerStray = 15;

/** @param tolerance seconds */
export function compareEvents(recorded: readonly RecordedEvent[], ours: readonly RecordedEvent[], tolerance: number): Difference[] {
  const differences: Difference[] = [];
  const found = grouped(ours);
  const expected = grouped(recorded);
  for (const [key, was] of expected) {
    const is = found.get(key);
    const path = `events[${key}]`;
    if (!is) {
      differences.push({ path, text: `missing (${was.count} times from ${was.first} s on)` });
      continue;
    }
    const isRepeated = was.count > 1 || (is.count > 1 && repeats.has(was.reason));
    const slack = isRepeated ? 1 + Math.floor(was.count / retriesPerStray) : 0;
    if (Math.abs(is.count - was.count) > slack) differences.push({ path: `${path}.count`, text: `expected ${was.count}, got ${is.count}` });
    for (const time of ['first', 'last'] as const) {
      // Once more, or once less, is another moment.
      if (time === 'last' && isRepeated && is.count !== was.count) continue;
      if (Math.abs(is[time] - was[time]) > tolerance)
        differences.push({ path: `${path}.${time}`, text: `expected ${was[time]} s, got ${is[time]} s` });
    }
    if (was.annotations && show(was.annotations) !== show(is.annotations))
      differences.push({ path: `${path}.annotations`, text: `expected ${show(was.annotations)}, got ${show(is.annotations)}` });
  }
  for (const [key, is] of found)
    if (!expected.has(key)) differences.push({ path: `events[${key}]`, text: `not recorded (${is.count} times from ${is.first} s on)` });
  return differences;
}
