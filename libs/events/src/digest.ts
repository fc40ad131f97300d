import { createHash } from 'node:crypto';
import type { JsonObject } from '#libs/kernel';

/** 128 bits, base64url. Covers what was recorded and the predecessor's digest, so that a changed, removed or inserted event shows. */
export function digestOf(
  event: { id: string; type: string; data: JsonObject; metadata: JsonObject },
  stream: string,
  follows: string | undefined,
): string {
  const { digest: _, ...signed } = event.metadata as JsonObject & { digest?: string };
  return createHash('sha256')
    .update(`${stream}\n${event.id}\n${event.type}\n${follows ?? ''}\n`)
    .update(JSON.stringify(event.data))
    .update(JSON.stringify(signed))
    .digest('base64url')
    .slice(0, 22);
}

/** Short digest of a configuration or any other JSON. */
export function jsonDigest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value) ?? '').digest('base64url').slice(0, 16);
}
