import { formatTime, type KubeObject } from '#libs/kernel';
import { listOf, type Loose } from '../../validation/values';

/** Whether requests for a group version can be answered, and why. */
export interface Availability {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** What this server answers itself is there whenever the server is. */
export const availableLocally: Availability = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

const type = 'Available';

/**
 * The APIService with this availability among its conditions; the time of the change stays where the status does. The same object where
 * it says so already.
 * @param now cluster time, ms
 */
export function withAvailability(service: KubeObject, { status, reason, message }: Availability, now: number): KubeObject {
  const conditions: Loose[] = listOf(service.status?.conditions);
  const old = conditions.find((condition) => condition?.type === type);
  if (old?.status === status && old.reason === reason && old.message === message) return service;
  const lastTransitionTime = old?.status === status ? old.lastTransitionTime : formatTime(now);
  const changed = { type, status, lastTransitionTime, reason, message };
  const next = old ? conditions.map((condition) => (condition === old ? changed : condition)) : [...conditions, changed];
  return { ...service, status: { ...service.status, conditions: next } };
}
