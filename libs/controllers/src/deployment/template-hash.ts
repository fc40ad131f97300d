import { jsonEqual, type JsonObject, type KubeObject } from '#libs/kernel';
import { canonicalJson } from '../loop/canonical-json';
import { safeText } from '../loop/safe-text';

export const hashLabel = 'pod-template-hash';

/**
 * Names the ReplicaSet of a template: FNV-1a, 32 bits, in characters that spell no words. Upstream hashes a dump of Go structs; here
 * it is the template as JSON with sorted keys, so the value differs and its properties are the same.
 */
export function templateHash(template: unknown, collisionCount: number | undefined): string {
  let hash = fnv1a(canonicalJson(template), 0x811c9dc5);
  if (collisionCount !== undefined) hash = fnv1a(`/${collisionCount}`, hash);
  return safeText(hash >>> 0);
}

function fnv1a(text: string, start: number): number {
  let hash = start;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash;
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
