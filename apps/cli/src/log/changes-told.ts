import { pointerParts, type DeltaStep, type Json, type JsonObject, type JsonPatch } from '#libs/kernel';

/**
 * What an update changed, in one line: `Ready=False (MinimumReplicasUnavailable), readyReplicas=2, -unavailableReplicas`. Values of one
 * word are told, others only where they stand; `status` is left out of paths.
 */
export function changesTold({ conditions, patch, changes }: JsonObject): string {
  const told = ((conditions ?? []) as JsonObject[]).map(conditionTold);
  for (const operation of (patch ?? []) as JsonPatch)
    told.push(placeTold(pointerParts(operation.path), operation.op === 'remove' ? undefined : operation.value));
  // As version 0.1.0 wrote it.
  for (const { p, v } of (changes ?? []) as unknown as DeltaStep[]) told.push(placeTold(p.map(String), v));
  return told.join(', ');
}

function conditionTold({ type, status, reason, ...others }: JsonObject): string {
  if (status !== undefined) return `${String(type)}=${String(status)}${reason ? ` (${String(reason)})` : ''}`;
  if (reason) return `${String(type)} (${String(reason)})`;
  return `${String(type)}.${Object.keys(others).join('+')}`;
}

function placeTold(parts: readonly string[], value: Json | undefined): string {
  const place = parts[0] === 'status' && parts.length > 1 ? parts.slice(1) : parts;
  const name = place[place.length - 1] === '-' ? `${place.slice(0, -1).join('.')}[]` : place.join('.');
  if (value === undefined) return `-${name}`;
  const isWord = typeof value !== 'object' && String(value).length <= wordMax && !/\s/.test(String(value));
  return isWord ? `${name}=${String(value)}` : name;
}

const wordMax = 40;
