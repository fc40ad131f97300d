import { nearestInt64, type Json, type JsonObject } from '#libs/kernel';
import { JsonReader, setOwn, WrittenNumber } from './json-reader';
import type { RepeatedKeys } from './repeated-keys';

/**
 * JSON as the API reads it: Go's error texts, a bound on depth, and what native parsing loses — duplicate keys and numbers as
 * they were written.
 */

/** Deeper bodies are refused (upstream: 10,000). No kind is nested deeper than a few dozen. */
export const jsonDepthMax = 500;

export interface ParsedJson {
  readonly value: Json;
  /** Keys that an object holds more than once, in order of appearance, with what they held before. Absent where no object has any. */
  readonly duplicates?: RepeatedKeys;
  readonly error?: undefined;
}
export interface BrokenJson {
  readonly error: string;
  readonly value?: undefined;
}

interface Measure {
  /** Keys of all objects, as written. */
  keys: number;
  depth: number;
  oddNumbers: boolean;
}

/** One pass over the text: enough to know whether native parsing loses anything. */
function measure(text: string): Measure {
  let keys = 0;
  let open = 0;
  let depth = 0;
  let oddNumbers = false;
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) {
      for (i++; i < text.length; i++) {
        const inside = text.charCodeAt(i);
        if (inside === 0x5c) i++;
        else if (inside === 0x22) break;
      }
      digits = 0;
    } else if (code >= 0x30 && code <= 0x39) {
      if (++digits > 15) oddNumbers = true;
    } else if (code === 0x2e || ((code === 0x65 || code === 0x45) && digits > 0)) oddNumbers = true;
    else {
      digits = 0;
      if (code === 0x3a) keys++;
      else if (code === 0x7b || code === 0x5b) depth = Math.max(depth, ++open);
      else if (code === 0x7d || code === 0x5d) open--;
    }
  }
  return { keys, depth, oddNumbers };
}

function countKeys(value: Json | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) {
    let sum = 0;
    for (const item of value) sum += countKeys(item);
    return sum;
  }
  const keys = Object.keys(value);
  let sum = keys.length;
  for (const key of keys) sum += countKeys(value[key]);
  return sum;
}

/** An escape that may be half a character: native parsing would keep it, and nothing could store it. */
const halfEscape = /\\u[dD][89a-fA-F]/;

/** Reads a body. Numbers that are no plain integers come as `WrittenNumber`; convert.ts knows what to make of them. */
export function parseJson(text: string): ParsedJson | BrokenJson {
  const { keys, depth, oddNumbers } = measure(text);
  if (depth > jsonDepthMax) return { error: 'exceeded max depth' };
  if (!oddNumbers && !halfEscape.test(text)) {
    try {
      const value = JSON.parse(text) as Json;
      if (countKeys(value) === keys) return { value };
    } catch {
      // The reader below finds the place and says it in Go's words.
    }
  }
  const reader = new JsonReader(text);
  try {
    const value = reader.document();
    return reader.duplicates.size === 0 ? { value } : { value, duplicates: reader.duplicates };
  } catch (error) {
    if (error instanceof SyntaxError) return { error: error.message };
    throw error;
  }
}

const int64Text = /^-?\d{16,19}$/;

function plainNumber(text: string): number {
  const number = Number(text);
  const isInt64 = int64Text.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
  return isInt64 ? nearestInt64(number) : number;
}

/** The value with its numbers as JavaScript's. */
export function plainNumbers(value: Json): Json {
  if (value instanceof WrittenNumber) return plainNumber(value.text);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plainNumbers);
  const object: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(object, key, plainNumbers(value[key] as Json));
  return object;
}
