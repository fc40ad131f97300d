import { jsonText, mayHaveEnds } from './int64';
import type { KubeObject, ObjectMeta } from './kube-object';

/** Characters of objects' texts kept; beyond it the cache starts anew. */
const keptMax = 48 * 1024 * 1024;

let texts = new WeakMap<KubeObject, string>();
let kept = 0;

/**
 * An object as `JSON.stringify` writes it, but that the text which owners are kept as is not read to be written again. Objects never change,
 * so each is written out once for all who want its text: answers, frames of watches, lists, what is kept of the past. The ends of int64 are
 * whole in it (`int64.ts`).
 */
export function objectText(object: KubeObject): string {
  const known = texts.get(object);
  if (known !== undefined) return known;
  const plain = written(object, JSON.stringify);
  const text = mayHaveEnds(plain) ? written(object, jsonText) : plain;
  if (kept > keptMax) {
    texts = new WeakMap();
    kept = 0;
  }
  kept += text.length;
  texts.set(object, text);
  return text;
}

/**
 * The same for whoever goes through all objects there are, and reads the text again: what nobody else has asked for is not kept, and every
 * number is read as the one that it was.
 */
export function passingText(object: KubeObject): string {
  const known = texts.get(object);
  return known === undefined || mayHaveEnds(known) ? written(object, JSON.stringify) : known;
}

/** The metadata of an object in the same way. */
export function metadataText(metadata: ObjectMeta): string {
  const { managedFields } = metadata;
  if (!managedFields || Array.isArray(managedFields)) return JSON.stringify(metadata);
  const text = JSON.stringify({ ...metadata, managedFields: undefined });
  return managedFields.json === '' ? text : `${text.slice(0, -1)},"managedFields":${managedFields.json}}`;
}

function written(object: KubeObject, textOf: (value: unknown) => string | undefined): string {
  const { metadata } = object;
  if (!metadata?.managedFields || Array.isArray(metadata.managedFields)) return textOf(object) as string;
  let text = '{';
  for (const key of Object.keys(object)) {
    const value = key === 'metadata' ? metadataText(metadata) : textOf(object[key]);
    if (value !== undefined) text += `${text === '{' ? '' : ','}${JSON.stringify(key)}:${value}`;
  }
  return `${text}}`;
}
