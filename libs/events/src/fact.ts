import type { JsonObject } from '#libs/kernel';
import type * as decisionEvents from './types/decision-events';
import type * as lifecycleEvents from './types/lifecycle-events';
import type * as objectEvents from './types/object-events';
import type * as podEvents from './types/pod-events';
import type * as pressureEvents from './types/pressure-events';

type Classes = typeof objectEvents & typeof podEvents & typeof decisionEvents & typeof pressureEvents & typeof lifecycleEvents;
export type EventType = keyof Classes;
export type EventData<T extends EventType> = InstanceType<Classes[T]>;

/** What happened, not yet recorded: a type and its payload. */
export interface Fact {
  type: EventType;
  data: JsonObject;
}

/** A fact, checked against its class at compile time. */
export function fact<T extends EventType>(type: T, data: EventData<T>): Fact {
  return { type, data: data as unknown as JsonObject };
}
