import type { Json, JsonObject } from '#libs/kernel';

/** UTF-16 units of the JSON text, about: enough to tell events that are far from a limit from those near it. */
function roughly(value: Json | undefined): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 2;
  if (Array.isArray(value)) for (const item of value) size += 1 + roughly(item);
  else for (const key in value) size += 4 + key.length + roughly(value[key]);
  return size;
}

/** A UTF-16 unit takes at most six bytes, when it is escaped. */
const BYTES_A_UNIT_MAX = 6;

/**
 * Bytes of the data, metadata and types of the events. Exact from a sixth of the limit on; below, an estimate that costs a
 * fraction of writing the text.
 */
export function appendBytes(events: readonly { type: string; data: JsonObject; metadata: JsonObject }[], bytesMax: number): number {
  let rough = 0;
  for (const event of events) rough += event.type.length + roughly(event.data) + roughly(event.metadata);
  if (rough * BYTES_A_UNIT_MAX < bytesMax) return rough;
  let exact = 0;
  for (const { type, data, metadata } of events)
    exact += Buffer.byteLength(type) + Buffer.byteLength(JSON.stringify(data)) + Buffer.byteLength(JSON.stringify(metadata));
  return exact;
}
