import { isObject, jsonEqual, type Json, type JsonObject } from '#libs/kernel';
import { compare } from './compare';
import type { Conflict } from './conflicts';
import type { FieldSet } from './field-set';
import { fieldsOf } from './fields-of';
import { schemaErrors } from './schema-errors';
import type { Tracking } from './track-update';
import { goJson } from '../status';

/** The manager of `kubectl apply --server-side`, and the annotation in which its older way of applying keeps what it applied. */
const kubectl = 'kubectl';
const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
/** Of all annotations together. */
const annotationBytesMax = 256 * 1024;

/**
 * The conflicts that are left when kubectl takes over what it has applied before in its older way: what stands in the annotation as it stands
 * in the object is its own.
 */
export function conflictsLeft(manager: string, tracking: Tracking, live: JsonObject, conflicts: readonly Conflict[]): readonly Conflict[] {
  const own = manager === kubectl ? lastApplied(tracking, live) : undefined;
  return own ? conflicts.filter(({ path }) => !own.has(path)) : conflicts;
}

function lastApplied({ type, apiVersion }: Tracking, live: JsonObject): FieldSet | undefined {
  const text = annotationsOf(live)?.[annotation];
  if (typeof text !== 'string' || text === '') return undefined;
  const config = parsed(text);
  if (!isObject(config) || config.apiVersion !== apiVersion || schemaErrors(type, config) !== undefined) return undefined;
  const { added, modified, removed } = compare(type, config, live);
  return fieldsOf(type, config).difference(modified).difference(added).difference(removed);
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The object with the annotation of the older way brought up to date, where it has one and kubectl applies. */
export function withLastApplied(manager: string, object: JsonObject, config: JsonObject): JsonObject {
  const annotations = annotationsOf(object);
  if (manager !== kubectl || !annotations?.[annotation]) return object;
  const value = `${goJson(withoutAnnotation(config))}\n`;
  const changed = { ...annotations, [annotation]: value };
  const bytes = Object.entries(changed).reduce((sum, [key, text]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(text)), 0);
  if (bytes > annotationBytesMax) delete (changed as JsonObject)[annotation];
  if (jsonEqual(changed, annotations)) return object;
  return { ...object, metadata: { ...(object.metadata as JsonObject), annotations: changed } };
}

/** Keys sorted, as Go writes maps. */
function withoutAnnotation(config: JsonObject): Json {
  const metadata = isObject(config.metadata) ? config.metadata : undefined;
  const { [annotation]: _, ...annotations } = (metadata && isObject(metadata.annotations) ? metadata.annotations : {}) as JsonObject;
  const hasAnnotations = metadata?.annotations !== undefined;
  return sorted({ ...config, ...(metadata ? { metadata: { ...metadata, ...(hasAnnotations ? { annotations } : {}) } } : {}) });
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .filter((key) => value[key] !== undefined)
      .map((key) => [key, sorted(value[key] as Json)]),
  );
}

function annotationsOf({ metadata }: JsonObject): JsonObject | undefined {
  const annotations = isObject(metadata) ? metadata.annotations : undefined;
  return isObject(annotations) ? annotations : undefined;
}
