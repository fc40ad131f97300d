import { isObject } from '#libs/kernel';
import type { Json, JsonObject, KubeObject } from '#libs/kernel';
import { bodyFormatOf, convert, decodeObject, jsonDepthMax, parseJson, plainNumbers } from '../decode';
import type { Conversion, Decoded, FieldValidation, Refused } from '../decode';
import { apiVersionOf } from '../kinds/names';
import type { BodyKind } from '../kinds/resource-kind';
import { badRequest, failure, goJson, invalid, invalidValue, plainError, unprocessablePatch } from '../status';
import type { Failure } from '../status';
import { goPrint } from './go-print';
import { applyJsonPatch, jsonPatchOperationsMax, JsonPatchError } from './json-patch';
import { applyMergePatch } from './merge-patch';
import { applyStrategicMerge, StrategicMergeError } from './strategic-merge';

/** The kinds of patch that need no field ownership; server-side apply is another matter. */
export type PatchFormat = 'json' | 'merge' | 'strategic';

const mediaTypes: ReadonlyMap<string, PatchFormat | 'apply'> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
]);

export const patchMediaTypes: readonly string[] = [...mediaTypes.keys()];

/** By Content-Type. `body`: a type of bodies but not of patches, which upstream refuses in other words. */
export function patchFormatOf(contentType: string | undefined): PatchFormat | 'apply' | 'body' | undefined {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const found = mediaTypes.get(type);
  if (found || type === '') return found;
  return bodyFormatOf(type) ? 'body' : undefined;
}

/** A patch as read from a body. `strict`: duplicate keys, for fieldValidation. */
export interface PatchBody {
  readonly ok: true;
  readonly patch: Json;
  readonly strict: readonly string[];
}

/** The patch in a body, or the 400 of upstream for a text that is none of this format. Nothing of the object is looked at yet. */
export function readPatch(format: PatchFormat, body: Uint8Array | string): PatchBody | Refused {
  const text = typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  const parsed = parseJson(text);
  if (parsed.error !== undefined) return refuse(badRequest(`error decoding patch: ${parsed.error}`));
  const patch = plainNumbers(parsed.value);
  const wanted = format === 'json' ? Array.isArray(patch) : patch === null || isObject(patch);
  if (!wanted) {
    const given = Array.isArray(patch) ? 'array' : isObject(patch) ? 'object' : typeof patch === 'boolean' ? 'bool' : typeof patch;
    const type = format === 'json' ? '[]handlers.jsonPatchOp' : 'map[string]interface {}';
    return refuse(badRequest(`error decoding patch: json: cannot unmarshal ${given} into Go value of type ${type}`));
  }
  const strict = [...(parsed.duplicates?.values() ?? [])]
    .flatMap((keys) => [...keys])
    .slice(0, 100)
    .map((key) => `duplicate field ${JSON.stringify(key)}`);
  return { ok: true, patch: patch ?? {}, strict };
}

/**
 * The object that a patch makes of the present one, in wire form, not defaulted. Both are of one kind (a Scale for the scale
 * subresource). Refusals are those of upstream: 400 for a bad form, 422 for what does not fit, 500 for directives it cannot follow.
 */
export function applyPatch(
  kind: BodyKind,
  format: PatchFormat,
  current: KubeObject,
  patch: Json,
  fieldValidation: FieldValidation = 'Warn',
): Decoded | Refused {
  if (format === 'strategic') return applyStrategic(kind, current, patch as JsonObject, fieldValidation);
  if (format === 'merge') return decodePatched(kind, applyMergePatch(current as unknown as JsonObject, patch), fieldValidation);
  const operations = patch as Json[];
  if (operations.length > jsonPatchOperationsMax) {
    const text = `The allowed maximum operations in a JSON patch is ${jsonPatchOperationsMax}, got ${operations.length}`;
    return refuse(failure(413, 'RequestEntityTooLarge', text));
  }
  try {
    return decodePatched(kind, applyJsonPatch(current as unknown as Json, operations), fieldValidation);
  } catch (error) {
    if (error instanceof JsonPatchError) return refuse(unprocessablePatch());
    throw error;
  }
}

function refuse(status: Failure): Refused {
  return { ok: false, status };
}

function unfit(value: string, text: string): Refused {
  return refuse(invalid('', '', [invalidValue('patch', value, text)]));
}

/** Top-level keys sorted, as upstream's patch library leaves them; error texts quote the whole document. */
function quoted(document: Json): string {
  if (!isObject(document)) return goJson(document);
  return goJson(Object.fromEntries(Object.entries(document).sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** Operations can nest a document deeper than any body may be. */
function isDeeper(document: Json | undefined, levels: number): boolean {
  if (typeof document !== 'object' || document === null) return false;
  return levels === 0 || Object.values(document).some((value) => isDeeper(value, levels - 1));
}

function decodePatched(kind: BodyKind, document: Json, fieldValidation: FieldValidation): Decoded | Refused {
  if (isDeeper(document, jsonDepthMax)) return refuse(badRequest('exceeded max depth'));
  const own = { kind: kind.kind, apiVersion: apiVersionOf(kind.group, kind.version) };
  const sameKind =
    isObject(document) && (document['kind'] ?? own.kind) === own.kind && (document['apiVersion'] ?? own.apiVersion) === own.apiVersion;
  const of = sameKind ? kind.schema : undefined;
  if (of) return finish(own, convert(of, document as JsonObject), quoted, document, fieldValidation);
  // The patch made another kind of it: whatever the decoder has to say.
  const decoded = decodeObject(kind, JSON.stringify(document), { fieldValidation });
  if (decoded.ok) return decoded;
  return unfit(quoted(document), decoded.status.message.replace(/^.*? cannot be handled as a \w+: /s, ''));
}

function finish(
  own: { kind: string; apiVersion: string },
  conversion: Conversion,
  show: (shown: Json) => string,
  shown: Json,
  fieldValidation: FieldValidation,
): Decoded | Refused {
  if (conversion.error !== undefined) return unfit(show(shown), conversion.error);
  if (fieldValidation === 'Strict' && conversion.strict.length > 0) {
    return unfit(show(shown), `strict decoding error: ${conversion.strict.join(', ')}`);
  }
  const { kind: _, apiVersion: __, ...rest } = conversion.object;
  return {
    ok: true,
    object: { ...own, ...rest } as unknown as KubeObject,
    warnings: fieldValidation === 'Ignore' ? [] : [...conversion.strict],
  };
}

function applyStrategic(kind: BodyKind, current: KubeObject, patch: JsonObject, fieldValidation: FieldValidation): Decoded | Refused {
  const of = kind.schema;
  if (!of) return refuse(plainError(`no schema of ${kind.kind}`));
  const own = { kind: kind.kind, apiVersion: apiVersionOf(kind.group, kind.version) };
  try {
    const merged = applyStrategicMerge(of, current as unknown as JsonObject, patch);
    const conversion = convert(of, merged, undefined, 'unstructured');
    // This converter reports unknown fields in the order of their names.
    const sorted = { ...conversion, strict: [...conversion.strict].sort() };
    return finish(own, sorted, goPrint, patch, fieldValidation);
  } catch (error) {
    if (!(error instanceof StrategicMergeError)) throw error;
    return refuse(error.badRequest ? badRequest(error.message) : plainError(error.message));
  }
}
