import { formatTime, type KubeObject } from '#libs/kernel';
import type { DefinitionCondition, DefinitionStatus } from './types';

/** What a condition says; when it came to say so is for the status to keep. */
export type DefinitionFinding = Required<Pick<DefinitionCondition, 'type' | 'status' | 'reason' | 'message'>>;

export function conditionOf(definition: KubeObject, type: string): DefinitionCondition | undefined {
  return (definition.status as DefinitionStatus | undefined)?.conditions?.find((condition) => condition.type === type);
}

export function isConditionTrue(definition: KubeObject, type: string): boolean {
  return conditionOf(definition, type)?.status === 'True';
}

/** The custom kind can be used: the server answers requests for its objects. */
export function isEstablished(definition: KubeObject): boolean {
  return isConditionTrue(definition, 'Established');
}

export function saysSo(condition: DefinitionCondition | undefined, { status, reason, message }: DefinitionFinding): boolean {
  return condition?.status === status && condition.reason === reason && condition.message === message;
}

/**
 * The definition with this finding among its conditions; the time of the change stays where the status does.
 * @param now cluster time, ms since the epoch
 */
export function withDefinitionCondition(
  definition: KubeObject,
  { type, status, reason, message }: DefinitionFinding,
  now: number,
): KubeObject {
  const conditions = (definition.status as DefinitionStatus | undefined)?.conditions ?? [];
  const old = conditions.find((condition) => condition.type === type);
  const lastTransitionTime = old?.status === status && old.lastTransitionTime ? old.lastTransitionTime : formatTime(now);
  const changed: DefinitionCondition = { type, status, lastTransitionTime, reason, message };
  const next = old ? conditions.map((condition) => (condition === old ? changed : condition)) : [...conditions, changed];
  return { ...definition, status: { ...definition.status, conditions: next } };
}
