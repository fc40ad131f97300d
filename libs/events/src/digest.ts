import { hash } from 'node:crypto';
import type { JsonObject } from '#libs/kernel';

/** 128 bits, base64url. Covers what was recorded and the predecessor's digest, so that a changed, removed or inserted event shows. */
export function digestOf(
  event: { id: string; type: string; data: JsonObject; metadata: JsonObject },
  stream: string,
  follows: string | undefined,
): string {
  const text = `${stream}\n${event.id}\n${event.type}\n${follows ?? ''}\n${JSON.stringify(event.data)}${JSON.stringify(unsigned(event.metadata))}`;
  return hash('sha256', text, 'base64url').slice(0, 22);
}

/** Metadata without the digest; an event that is about to get its first one has none to leave out. */
function unsigned(metadata: JsonObject): JsonObject {
  if (!('digest' in metadata)) return metadata;
  const { digest: _, ...rest } = metadata;
  return rest;
}

/** Short digest of a configuration or any other JSON. */
export function jsonDigest(value: unknown): string {
  return textDigest(JSON.stringify(value) ?? '');
}

export function textDigest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 16);
}
