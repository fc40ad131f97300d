import { setOwn, type Json, type JsonObject } from '#libs/kernel';
import { goQuote } from '../status';

/** A number that is no plain integer (fraction, exponent, many digits): its text decides what it may be read as. */
export class WrittenNumber {
  constructor(readonly text: string) {}
}

export { setOwn };

/** Half a character, which UTF-8 cannot carry. */
const half = /\p{Surrogate}/gu;

const escapes: Record<string, string> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Recursive descent with the texts of Go's scanner. */
export class JsonReader {
  readonly duplicates = new Map<object, Map<string, Json[]>>();
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
      if (Object.hasOwn(object, key)) this.duplicate(object, key, object[key] as Json);
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

  private duplicate(object: object, key: string, before: Json): void {
    let known = this.duplicates.get(object);
    if (!known) this.duplicates.set(object, (known = new Map()));
    const values = known.get(key);
    if (values) values.push(before);
    else known.set(key, [before]);
  }

  private literal<T>(word: string, value: T): T {
    for (let i = 0; i < word.length; i++) {
      if (this.text[this.at] !== word[i]) this.fail(`in literal ${word} (expecting '${word[i]}')`);
      this.at++;
    }
    return value;
  }

  /** As Go reads it: half a character, which only an escape can bring in, becomes U+FFFD. */
  private string(): string {
    let out = '';
    for (this.at++; ; this.at++) {
      const character = this.text[this.at];
      if (character === '"') return this.skip(out.replace(half, '\ufffd'));
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
