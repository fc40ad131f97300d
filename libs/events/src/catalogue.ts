import type { JsonObject } from '#libs/kernel';
import { problemsOf } from '#libs/validation';
import * as decisionEvents from './types/decision-events';
import * as lifecycleEvents from './types/lifecycle-events';
import * as objectEvents from './types/object-events';
import * as podEvents from './types/pod-events';
import * as pressureEvents from './types/pressure-events';

export interface EventClass {
  new (): object;
  readonly version: number;
}

/** Turns a payload of version `from` into one of version `from + 1`. */
export interface Upcaster {
  type: string;
  from: number;
  upcast(data: JsonObject): JsonObject;
}

/** Every event type, by name. The catalogue page in docs/ is generated from this. */
export const eventClasses: ReadonlyMap<string, EventClass> = new Map(
  Object.entries({ ...objectEvents, ...podEvents, ...decisionEvents, ...pressureEvents, ...lifecycleEvents }) as unknown as [
    string,
    EventClass,
  ][],
);

/** Facts of the kubelet led to no status by themselves: that stood beside them. */
const apart = ['PodAcceptedByKubelet', 'ContainerStarted', 'ContainerExited', 'ContainersStopping', 'PodTerminated'];

export const upcasters: readonly Upcaster[] = [
  ...apart.map((type) => ({ type, from: 1, upcast: (data: JsonObject) => ({ ...data, apart: true }) })),
  // Whether a step of `changes` adds to a list or replaces what is there depends on the list: they stay as they are, and are folded as such.
  ...['Updated', 'StatusUpdated'].map((type) => ({ type, from: 1, upcast: (data: JsonObject) => data })),
];

export class InvalidEventError extends Error {
  override name = 'InvalidEventError';
  constructor(
    readonly type: string,
    readonly problems: readonly string[],
    place?: string,
  ) {
    super(`${place === undefined ? '' : `${place}: `}${type}: ${problems.join('; ')}`);
  }
}

/**
 * Holds a payload against its class.
 * @param place where the event stands in a log, for the message
 * @throws InvalidEventError naming each property that is off, or that the type is unknown.
 */
export function validateEvent(type: string, data: JsonObject, place?: string): void {
  const eventClass = eventClasses.get(type);
  if (!eventClass) throw new InvalidEventError(type, ['unknown event type']);
  const problems = problemsOf(eventClass, data);
  if (problems.length > 0)
    throw new InvalidEventError(
      type,
      problems.flatMap(({ texts }) => texts),
      place,
    );
}

export function versionOf(type: string): number {
  return eventClasses.get(type)?.version ?? 1;
}

/** The payload as the newest version has it; stored events are never rewritten. */
export function upcast(type: string, version: number, data: JsonObject): JsonObject {
  let result = data;
  for (let at = version; at < versionOf(type); at++) {
    const step = upcasters.find((candidate) => candidate.type === type && candidate.from === at);
    if (!step) throw new InvalidEventError(type, [`no way from version ${at} to ${at + 1}`]);
    result = step.upcast(result);
  }
  return result;
}
