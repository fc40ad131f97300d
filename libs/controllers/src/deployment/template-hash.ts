import { isObject, jsonEqual, type JsonObject, type KubeObject } from '#libs/kernel';

export const hashLabel = 'pod-template-hash';

const safeCharacters = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * Names the ReplicaSet of a template: FNV-1a, 32 bits, in characters that spell no words. Upstream hashes a dump of Go structs; here
 * it is the template as JSON with sorted keys, so the value differs and its properties are the same.
 */
export function templateHash(template: unknown, collisionCount: number | undefined): string {
  let hash = fnv1a(canonical(template), 0x811c9dc5);
  if (collisionCount !== undefined) hash = fnv1a(`/${collisionCount}`, hash);
  return [...String(hash >>> 0)].map((digit) => safeCharacters[digit.charCodeAt(0) % safeCharacters.length]).join('');
}

function fnv1a(text: string, start: number): number {
  let hash = start;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return `{${keys
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
    .join(',')}}`;
}

/** Whether two templates say the same, the hash label aside. */
export function sameTemplate(a: KubeObject['spec'], b: KubeObject['spec']): boolean {
  return jsonEqual(withoutHash(a), withoutHash(b));
}

function withoutHash(template: JsonObject): JsonObject {
  const metadata = (template.metadata ?? {}) as JsonObject;
  const { [hashLabel]: _, ...labels } = (metadata.labels ?? {}) as JsonObject;
  return { ...template, metadata: { ...metadata, labels } };
}
