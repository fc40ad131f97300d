import { isObject, type Json, type JsonObject, type KubeObject } from '#libs/kernel';
import type { Frame } from './recording.fixture';

/** Kinds of which whole objects are compared at the end of each step. */
const compared = new Set(['Endpoints', 'EndpointSlice', 'Job']);

export function isComparedWhole(kind: string): boolean {
  return compared.has(kind);
}

/** Recorded objects as their frames make them, by `Kind/name`. */
export class WholeObjects {
  private readonly objects = new Map<string, JsonObject | null>();

  /** Takes the frames of a step; gives what has changed in it. */
  follow(frames: readonly Frame[]): Map<string, JsonObject | null> {
    const touched = new Map<string, JsonObject | null>();
    for (const { type, object, set, change } of frames) {
      const kind = object.slice(0, object.indexOf('/'));
      if (!compared.has(kind) && kind !== 'Pod') continue;
      const before = this.objects.get(object);
      const after = type === 'DELETED' ? null : (set ?? (merged(before ?? {}, change ?? {}) as JsonObject));
      if (kind === 'Pod' && !before && !isOfJob(after ?? {})) continue;
      this.objects.set(object, after);
      touched.set(object, after);
    }
    return touched;
  }
}

function isOfJob({ metadata }: JsonObject): boolean {
  const owners = ((metadata as JsonObject | undefined)?.ownerReferences ?? []) as JsonObject[];
  return owners.some(({ kind }) => kind === 'Job');
}

/** What a Job makes of its template: the rest of a pod has defaults, or is the session's. */
export function podOfJob({ metadata, spec }: JsonObject): JsonObject {
  const { hostname, containers } = spec as { hostname?: string; containers: JsonObject[] };
  return { metadata, spec: { hostname, env: containers.map(({ env }) => env) } } as JsonObject;
}

/** A JSON merge patch, applied. */
function merged(value: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(value) ? { ...value } : {};
  for (const [key, item] of Object.entries(patch as JsonObject)) {
    if (item === null) delete result[key];
    else result[key] = merged(result[key], item as Json);
  }
  return result;
}

/** An object as the recording has objects. */
export function recordedForm(object: KubeObject): JsonObject {
  const { metadata, apiVersion: _version, kind: _kind, ...rest } = JSON.parse(JSON.stringify(object)) as KubeObject;
  const { name: _name, namespace: _namespace, resourceVersion: _rv, creationTimestamp: _time, managedFields: _owners, ...shown } = metadata;
  return { metadata: shown, ...rest } as unknown as JsonObject;
}

const triggerTime = 'endpoints.kubernetes.io/last-change-trigger-time';

/**
 * What two forms may differ in is taken out: lists whose order is not promised, and what is absent or null.
 * @param isOnce written once in its step: changes that fall together move the time that caused the last write
 */
export function comparable(value: Json, isOnce: boolean): Json {
  if (Array.isArray(value)) {
    const items = value.map((item) => comparable(item, isOnce));
    return items.some((item) => isObject(item) && ('ip' in item || 'addresses' in item)) ? items.sort(byText) : items;
  }
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const [key, item] of Object.entries(value as JsonObject)) {
    if (item === null || (isObject(item) && Object.keys(item).length === 0)) continue;
    if (Array.isArray(item) && item.length === 0) continue;
    // How often something was written in between is not promised.
    if (key === 'generation' || (key === triggerTime && !isOnce)) continue;
    const shown = comparable(item as Json, isOnce);
    if (!isObject(shown) || Object.keys(shown).length > 0) result[key] = shown;
  }
  return result;
}

function byText(a: Json, b: Json): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

/** Of kinds with pods in them the recording leaves out what pods have by default. */
export function withoutTemplate(object: JsonObject): JsonObject {
  const { template: _template, jobTemplate: _job, ...spec } = (object.spec ?? {}) as JsonObject;
  return { ...object, spec };
}
