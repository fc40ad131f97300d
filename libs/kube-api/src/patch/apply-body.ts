import { isObject, type JsonObject } from '#libs/kernel';
import { kindOfJson, parseYaml } from '../decode';
import type { Refused } from '../decode';
import { badRequest } from '../status';

/** The body of an apply. `strict`: what fieldValidation has to say of it. */
export interface ApplyBody {
  readonly ok: true;
  readonly config: JsonObject;
  readonly strict: readonly string[];
}

/** Reads the body of an apply, which is YAML. */
export function readApplyConfig(body: Uint8Array): ApplyBody | Refused {
  const parsed = parseYaml(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
  if (parsed.error !== undefined) return refuse(parsed.error);
  const { value, duplicates } = parsed;
  if (value !== null && !isObject(value)) {
    const given = kindOfJson(value);
    return refuse(
      `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${given} into Go value of type map[string]interface {}`,
    );
  }
  return { ok: true, config: value ?? {}, strict: duplicates === undefined ? [] : [duplicates] };
}

function refuse(text: string): Refused {
  return { ok: false, status: badRequest(`error decoding YAML: ${text}`) };
}
