import { isObject } from '#libs/kernel';
import type { Json, JsonObject } from '#libs/kernel';
import { bodyFormatOf, kindOfJson, parseJson, plainNumbers } from '../decode';
import type { FieldValidation, Refused } from '../decode';
import { badRequest } from '../status';
import { repeatedFields } from './repeated-fields';

/** The kinds of patch that need no field ownership; server-side apply is another matter. */
export type PatchFormat = 'json' | 'merge' | 'strategic';

const mediaTypes: ReadonlyMap<string, PatchFormat | 'apply'> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
]);

export const patchMediaTypes: readonly string[] = [...mediaTypes.keys()];

/** By Content-Type, whose case matters here. `body`: a type of bodies but not of patches. */
export function patchFormatOf(contentType: string | undefined): PatchFormat | 'apply' | 'body' | undefined {
  const type = (contentType ?? '').split(';')[0]?.trim() ?? '';
  const found = mediaTypes.get(type);
  if (found || type === '') return found;
  return bodyFormatOf(type) ? 'body' : undefined;
}

/** A patch as read from a body. `strict`: what fieldValidation has to say of it, duplicate keys and unknown members of operations. */
export interface PatchBody {
  readonly ok: true;
  readonly patch: Json;
  readonly strict: readonly string[];
}

/** The patch in a body, or the 400 of upstream for a text that is none of this format. Nothing of the object is looked at yet. */
export function readPatch(format: PatchFormat, body: Uint8Array | string, fieldValidation: FieldValidation = 'Warn'): PatchBody | Refused {
  const text = typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  const parsed = parseJson(text);
  if (parsed.error !== undefined) return refuse(told(format, parsed.error, fieldValidation));
  const { value, duplicates } = parsed;
  const error = shapeError(format, value, fieldValidation);
  if (error !== undefined) return refuse(told(format, error, fieldValidation));
  // Go reads null as none of it, which a merge patch may not be.
  if (value === null && format === 'merge') return refuse(noMergePatch);
  const repeated = duplicates ? repeatedFields(value, duplicates) : [];
  const strict =
    format === 'json' ? [...unknownMembers(value as Json[] | null), ...repeated].map((text) => `json patch ${text}`) : repeated;
  return { ok: true, patch: plainNumbers(value) ?? (format === 'json' ? [] : {}), strict: fieldValidation === 'Ignore' ? [] : strict };
}

const noMergePatch = 'Invalid JSON Patch';

/** Where fields are validated, Go's decoder reads the body before the patch library does, and has the first word. */
function told(format: PatchFormat, error: string, fieldValidation: FieldValidation): string {
  if (format === 'strategic') return error;
  if (fieldValidation !== 'Ignore') return `error decoding patch: ${error}`;
  return format === 'merge' ? noMergePatch : error;
}

/** What Go's decoder says of a value that is no patch of this format. */
function shapeError(format: PatchFormat, value: Json, fieldValidation: FieldValidation): string | undefined {
  if (value === null) return undefined;
  if (format === 'json') return operationsError(value, fieldValidation);
  // Unread, a list merges as what it is: something that replaces the object.
  const fits = isObject(value) || (format === 'merge' && fieldValidation === 'Ignore' && Array.isArray(value));
  return fits ? undefined : `json: cannot unmarshal ${kindOfJson(value)} into Go value of type map[string]interface {}`;
}

function operationsError(value: Json, fieldValidation: FieldValidation): string | undefined {
  const isRead = fieldValidation !== 'Ignore';
  if (!Array.isArray(value))
    return `json: cannot unmarshal ${kindOfJson(value)} into Go value of type ${isRead ? '[]handlers.jsonPatchOp' : 'jsonpatch.Patch'}`;
  for (const operation of value) {
    if (operation === null) continue;
    if (!isObject(operation))
      return `json: cannot unmarshal ${kindOfJson(operation)} into Go value of type ${isRead ? 'handlers.jsonPatchOp' : 'jsonpatch.Operation'}`;
    const wrong = isRead ? texts.find((name) => !['string', 'undefined'].includes(typeof (operation[name] ?? undefined))) : undefined;
    if (wrong)
      return `json: cannot unmarshal ${kindOfJson(operation[wrong] as Json)} into Go struct field jsonPatchOp.${wrong} of type string`;
  }
  return undefined;
}

const texts = ['op', 'path', 'from'] as const;
const members: ReadonlySet<string> = new Set([...texts, 'value']);

function unknownMembers(operations: Json[] | null): string[] {
  return (operations ?? []).flatMap((operation, index) =>
    Object.keys((operation as JsonObject | null) ?? {})
      .filter((name) => !members.has(name))
      .map((name) => `unknown field ${JSON.stringify(`[${index}].${name}`)}`),
  );
}

function refuse(text: string): Refused {
  return { ok: false, status: badRequest(text) };
}
