import type { KubeObject, ObjectMeta } from './kube-object';

/** Characters of objects' texts kept; beyond it the cache starts anew. */
const keptMax = 48 * 1024 * 1024;

let texts = new WeakMap<KubeObject, string>();
let kept = 0;

/**
 * An object as `JSON.stringify` writes it, but that the text which owners are kept as is not read to be written again. Objects never change,
 * so each is written out once for all who want its text: answers, frames of watches, lists, what is kept of the past.
 */
export function objectText(object: KubeObject): string {
  const known = texts.get(object);
  if (known !== undefined) return known;
  const text = written(object);
  if (kept > keptMax) {
    texts = new WeakMap();
    kept = 0;
  }
  kept += text.length;
  texts.set(object, text);
  return text;
}

/** The same for whoever goes through all objects there are: what nobody else has asked for is not kept. */
export function passingText(object: KubeObject): string {
  return texts.get(object) ?? written(object);
}

/** The metadata of an object in the same way. */
export function metadataText(metadata: ObjectMeta): string {
  const { managedFields } = metadata;
  if (!managedFields || Array.isArray(managedFields)) return JSON.stringify(metadata);
  const text = JSON.stringify({ ...metadata, managedFields: undefined });
  return managedFields.json === '' ? text : `${text.slice(0, -1)},"managedFields":${managedFields.json}}`;
}

function written(object: KubeObject): string {
  const { metadata } = object;
  if (!metadata?.managedFields || Array.isArray(metadata.managedFields)) return JSON.stringify(object);
  let text = '{';
  for (const key of Object.keys(object)) {
    const value = key === 'metadata' ? metadataText(metadata) : JSON.stringify(object[key]);
    if (value !== undefined) text += `${text === '{' ? '' : ','}${JSON.stringify(key)}:${value}`;
  }
  return `${text}}`;
}
