import type { Flight, SchedulerState } from './scheduler-state';

/** A pod's attempt has been decided on: until the log has the outcome the pod is in flight. */
export function takeOff(state: SchedulerState, flight: Flight): void {
  state.flights.set(flight.uid, flight);
  state.underWay.set(flight.ordinal, flight);
  if (!flight.waiting) return;
  state.waits.add(flight);
  if (flight.waiting.for === 'permit') state.held.add(flight.uid);
  lookAtHeldPodsAgain(state);
}

/** The flight is over, or a later decision carries it on. */
export function endFlight(state: SchedulerState, flight: Flight): void {
  if (state.flights.get(flight.uid) === flight) state.flights.delete(flight.uid);
  state.underWay.delete(flight.ordinal);
  state.waits.delete(flight);
  state.held.delete(flight.uid);
}

/** Permit plugins may let a pod go whenever anything has changed. */
export function lookAtHeldPodsAgain(state: SchedulerState): void {
  for (const flight of state.waits) if (flight.waiting?.for === 'permit') flight.isToBeLookedAt = true;
}
