import { isObject } from '#libs/kernel';
import type { Json, JsonObject, KubeObject } from '#libs/kernel';
import { convert, decodeObject, jsonDepthMax } from '../decode';
import type { Conversion, Decoded, FieldValidation, Refused } from '../decode';
import { apiVersionOf } from '../kinds/names';
import type { ObjectForm } from '../kinds/behaviour';
import type { BodyKind } from '../kinds/resource-kind';
import { badRequest, failure, goQuote, invalid, invalidValue, plainError, unprocessablePatch } from '../status';
import type { Failure } from '../status';
import { goPrint } from './go-print';
import { applyJsonPatch, jsonPatchOperationsMax, JsonPatchError } from './json-patch';
import { applyMergePatch } from './merge-patch';
import { quoted, type Opened } from './quoted';
import type { PatchFormat } from './read-patch';
import { applyStrategicMerge, StrategicMergeError } from './strategic-merge';

/**
 * The object that a patch makes of the present one, in wire form, not defaulted. Both are of one kind (a Scale for the scale
 * subresource). Refusals are those of upstream: 400 for a bad form, 422 for what does not fit, 500 for directives it cannot follow.
 * @param strict what was found strange while the patch was read; in warnings and refusals it comes first
 */
export function applyPatch(
  kind: BodyKind,
  format: PatchFormat,
  current: KubeObject,
  patch: Json,
  fieldValidation: FieldValidation = 'Warn',
  strict: readonly string[] = [],
): Decoded | Refused {
  const found = { fieldValidation, strict };
  if (format === 'strategic') return applyStrategic(kind, current, patch as JsonObject, found);
  const document = current as unknown as Json;
  if (format === 'merge') {
    const patched = applyMergePatch(document, patch);
    return decodePatched(kind, patched, found, (opened) => applyMergePatch(document, patch, opened));
  }
  const operations = patch as Json[];
  if (operations.length > jsonPatchOperationsMax) {
    const text = `The allowed maximum operations in a JSON patch is ${jsonPatchOperationsMax}, got ${operations.length}`;
    return refuse(failure(413, 'RequestEntityTooLarge', text));
  }
  try {
    const patched = applyJsonPatch(document, operations);
    return decodePatched(kind, patched, found, (opened) => applyJsonPatch(document, operations, opened));
  } catch (error) {
    if (error instanceof JsonPatchError) return refuse(unprocessablePatch());
    throw error;
  }
}

/** How fields are validated, and what was found strange while the patch was read. */
interface Found {
  readonly fieldValidation: FieldValidation;
  readonly strict: readonly string[];
}

function refuse(status: Failure): Refused {
  return { ok: false, status };
}

function unfit(value: string, text: string): Refused {
  return refuse(invalid('', '', [invalidValue('patch', value, text)]));
}

/** Operations can nest a document deeper than any body may be. */
function isDeeper(document: Json | undefined, levels: number): boolean {
  if (typeof document !== 'object' || document === null) return false;
  return levels === 0 || Object.values(document).some((value) => isDeeper(value, levels - 1));
}

/** @param again makes the document once more, and tells what upstream's patch library took apart: only a refusal wants to know */
function decodePatched(kind: BodyKind, document: Json, found: Found, again: (opened: Opened) => Json): Decoded | Refused {
  if (isDeeper(document, jsonDepthMax)) return refuse(badRequest('exceeded max depth'));
  const own = { kind: kind.kind, apiVersion: apiVersionOf(kind.group, kind.version) };
  const quote = (): string => {
    const opened: Opened = new Set();
    return quoted(again(opened), opened);
  };
  const given = isObject(document) ? document : undefined;
  if (kind.form && given) return decodeCustom(kind, kind.form, given, found, quote);
  if (given && !given['apiVersion']) return withoutVersion(own, given, found, quote);
  const sameKind = given && (given['kind'] ?? own.kind) === own.kind && given['apiVersion'] === own.apiVersion;
  const of = sameKind ? kind.schema : undefined;
  if (of) {
    const conversion = convert(of, document as JsonObject);
    return finish(own, { ...conversion, error: conversion.error ?? kind.unreadable?.(conversion.object) }, quote, found);
  }
  // The patch made another kind of it: whatever the decoder has to say.
  const decoded = decodeObject(kind, JSON.stringify(document), { fieldValidation: found.fieldValidation });
  if (decoded.ok) return decoded;
  return unfit(quote(), decoded.status.message.replace(/^.*? cannot be handled as a \w+: /s, ''));
}

type Own = Record<'kind' | 'apiVersion', string>;

/** What it says of its kind is looked at when it is validated. */
function decodeCustom(
  { group, version }: BodyKind,
  form: ObjectForm,
  document: JsonObject,
  found: Found,
  quote: () => string,
): Decoded | Refused {
  const { kind } = document;
  if (typeof kind !== 'string' || kind === '') return unfit(quote(), `Object 'Kind' is missing in '${quote()}'`);
  return finish({ kind, apiVersion: apiVersionOf(group, version) }, form.read(document), quote, found);
}

/** What names no version is read as the server's own form of the kind, none of whose fields has a name that a client would use. */
function withoutVersion(own: Own, document: JsonObject, found: Found, quote: () => string): Decoded | Refused {
  const unknown = Object.keys(document)
    .filter((key) => key !== 'kind' && key !== 'apiVersion')
    .sort()
    .map((key) => `unknown field ${goQuote(key)}`);
  return finish(own, { object: { metadata: {} }, strict: unknown }, quote, found);
}

function finish(own: Own, conversion: Conversion, quote: () => string, { fieldValidation, strict }: Found): Decoded | Refused {
  if (conversion.error !== undefined) return unfit(quote(), conversion.error);
  const strange = [...strict, ...conversion.strict];
  if (fieldValidation === 'Strict' && strange.length > 0) return unfit(quote(), `strict decoding error: ${strange.join(', ')}`);
  const named = ({ kind: _, apiVersion: __, ...rest }: JsonObject): KubeObject => ({ ...own, ...rest }) as unknown as KubeObject;
  return {
    ok: true,
    object: named(conversion.object),
    ...(conversion.exact ? { exact: named(conversion.exact) } : {}),
    warnings: fieldValidation === 'Ignore' ? [] : strange,
  };
}

function applyStrategic(kind: BodyKind, current: KubeObject, patch: JsonObject, found: Found): Decoded | Refused {
  const of = kind.schema;
  if (!of) return refuse(plainError(`no schema of ${kind.kind}`));
  const own = { kind: kind.kind, apiVersion: apiVersionOf(kind.group, kind.version) };
  const remaining = structuredClone(patch);
  try {
    const merged = applyStrategicMerge(of, current as unknown as JsonObject, remaining);
    const conversion = convert(of, merged, undefined, 'unstructured');
    const unreadable = conversion.error === undefined ? kind.unreadable?.(conversion.object) : undefined;
    if (unreadable !== undefined) return refuse(plainError(unreadable));
    // This converter reports unknown fields in the order of their names.
    const sorted = { ...conversion, strict: [...conversion.strict].sort() };
    return finish(own, sorted, () => goPrint(remaining), found);
  } catch (error) {
    if (!(error instanceof StrategicMergeError)) throw error;
    if (error.code === 422) return refuse(unprocessablePatch());
    return refuse(error.code === 400 ? badRequest(error.message) : plainError(error.message));
  }
}
