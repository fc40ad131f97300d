import { goQuote } from '../status';
import type { Json, JsonObject } from '#libs/kernel';

/**
 * JSON as the API reads it: Go's error texts, a bound on depth, and what native parsing loses — duplicate keys and numbers as
 * they were written.
 */

/** Deeper bodies are refused (upstream: 10,000). No kind is nested deeper than a few dozen. */
export const jsonDepthMax = 500;

/** A number that is no plain integer (fraction, exponent, many digits): its text decides what it may be read as. */
export class WrittenNumber {
  constructor(readonly text: string) {}
}

export interface ParsedJson {
  readonly value: Json;
  /** Keys that an object holds more than once, in order of appearance. Absent where no object has any. */
  readonly duplicates?: ReadonlyMap<object, readonly string[]>;
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

/** Reads a body. Numbers that are no plain integers come as `WrittenNumber`; convert.ts knows what to make of them. */
export function parseJson(text: string): ParsedJson | BrokenJson {
  const { keys, depth, oddNumbers } = measure(text);
  if (depth > jsonDepthMax) return { error: 'exceeded max depth' };
  if (!oddNumbers) {
    try {
      const value = JSON.parse(text) as Json;
      if (countKeys(value) === keys) return { value };
    } catch {
      // The reader below finds the place and says it in Go's words.
    }
  }
  const reader = new Reader(text);
  try {
    const value = reader.document();
    return reader.duplicates.size === 0 ? { value } : { value, duplicates: reader.duplicates };
  } catch (error) {
    if (error instanceof SyntaxError) return { error: error.message };
    throw error;
  }
}

/** Own property, also for a key such as `__proto__`, which plain assignment would not store. */
export function setOwn(target: JsonObject, key: string, value: Json | undefined): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

const escapes: Record<string, string> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Recursive descent with the texts of Go's scanner. */
class Reader {
  readonly duplicates = new Map<object, string[]>();
  private at = 0;

  constructor(private readonly text: string) {}

  document(): Json {
    const value = this.value();
    this.blank();
    if (this.at < this.text.length) this.fail('after top-level value');
    return value;
  }

  private blank(): void {
    while (this.at < this.text.length && ' \t\n\r'.includes(this.text[this.at] as string)) this.at++;
  }

  private fail(where: string): never {
    const character = this.text[this.at];
    if (character === undefined) throw new SyntaxError('unexpected end of JSON input');
    const quoted = character === "'" ? `'\\''` : character === '"' ? `'"'` : `'${goQuote(character).slice(1, -1)}'`;
    throw new SyntaxError(`invalid character ${quoted} ${where}`);
  }

  private value(): Json {
    this.blank();
    const character = this.text[this.at] ?? '';
    if (character === '{') return this.object();
    if (character === '[') return this.array();
    if (character === '"') return this.string();
    if (character === 't') return this.literal('true', true);
    if (character === 'f') return this.literal('false', false);
    if (character === 'n') return this.literal('null', null);
    if (character === '-' || (character >= '0' && character <= '9')) return this.number();
    return this.fail('looking for beginning of value');
  }

  private object(): JsonObject {
    const object: JsonObject = {};
    this.at++;
    this.blank();
    if (this.text[this.at] === '}') return this.skip(object);
    for (;;) {
      this.blank();
      if (this.text[this.at] !== '"') this.fail('looking for beginning of object key string');
      const key = this.string();
      this.blank();
      if (this.text[this.at] !== ':') this.fail('after object key');
      this.at++;
      const value = this.value();
      if (Object.hasOwn(object, key)) this.duplicate(object, key);
      setOwn(object, key, value);
      this.blank();
      if (this.text[this.at] === '}') return this.skip(object);
      if (this.text[this.at] !== ',') this.fail('after object key:value pair');
      this.at++;
    }
  }

  private array(): Json[] {
    const array: Json[] = [];
    this.at++;
    this.blank();
    if (this.text[this.at] === ']') return this.skip(array);
    for (;;) {
      array.push(this.value());
      this.blank();
      if (this.text[this.at] === ']') return this.skip(array);
      if (this.text[this.at] !== ',') this.fail('after array element');
      this.at++;
    }
  }

  private skip<T>(value: T): T {
    this.at++;
    return value;
  }

  private duplicate(object: object, key: string): void {
    const known = this.duplicates.get(object);
    if (!known) this.duplicates.set(object, [key]);
    else if (!known.includes(key)) known.push(key);
  }

  private literal<T>(word: string, value: T): T {
    for (let i = 0; i < word.length; i++) {
      if (this.text[this.at] !== word[i]) this.fail(`in literal ${word} (expecting '${word[i]}')`);
      this.at++;
    }
    return value;
  }

  private string(): string {
    let out = '';
    for (this.at++; ; this.at++) {
      const character = this.text[this.at];
      if (character === '"') return this.skip(out);
      if (character === undefined || character < ' ') this.fail('in string literal');
      if (character !== '\\') out += character;
      else {
        this.at++;
        const escape = this.text[this.at] ?? '';
        if (escape === 'u') out += this.unicode();
        else out += escapes[escape] ?? this.fail('in string escape code');
      }
    }
  }

  private unicode(): string {
    let hex = '';
    for (let i = 0; i < 4; i++) {
      this.at++;
      const digit = this.text[this.at] ?? '';
      if (!/^[0-9a-fA-F]$/.test(digit)) this.fail('in \\u hexadecimal character escape');
      hex += digit;
    }
    return String.fromCharCode(Number.parseInt(hex, 16));
  }

  private number(): Json {
    const start = this.at;
    if (this.text[this.at] === '-') this.at++;
    if (this.text[this.at] === '0') this.at++;
    else this.digits('in numeric literal');
    let plain = true;
    if (this.text[this.at] === '.') {
      plain = false;
      this.at++;
      this.digits('after decimal point in numeric literal');
    }
    if (this.text[this.at] === 'e' || this.text[this.at] === 'E') {
      plain = false;
      this.at++;
      if (this.text[this.at] === '+' || this.text[this.at] === '-') this.at++;
      this.digits('in exponent of numeric literal');
    }
    const text = this.text.slice(start, this.at);
    // Only the converter meets these values; it reads them as what the field's type allows.
    return plain && text.length < 16 ? Number(text) : (new WrittenNumber(text) as unknown as Json);
  }

  private digits(where: string): void {
    const start = this.at;
    while ((this.text[this.at] ?? '') >= '0' && (this.text[this.at] as string) <= '9') this.at++;
    if (this.at === start) this.fail(where);
  }
}

/** The value with its numbers as JavaScript's. */
export function plainNumbers(value: Json): Json {
  if (value instanceof WrittenNumber) return Number(value.text);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plainNumbers);
  const object: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(object, key, plainNumbers(value[key] as Json));
  return object;
}
