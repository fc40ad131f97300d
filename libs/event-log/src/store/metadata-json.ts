/**
 * JSON of stream metadata, read as EventStoreDB's reader (Newtonsoft's) does: leniently as to form – comments, single quotes, names
 * without quotes, a comma at the end – and without turning numbers into floating point, as `$tb` may be 2^63 - 1.
 */
export type MetadataValue =
  | { kind: 'integer'; text: string }
  | { kind: 'float'; text: string }
  | { kind: 'string'; value: string }
  | { kind: 'literal'; value: 'true' | 'false' | 'null' | 'undefined' }
  | { kind: 'array'; items: MetadataValue[] }
  | { kind: 'object'; members: MetadataMember[] };

export type MetadataMember = [name: string, value: MetadataValue];

/** Deeper than that metadata are not read, so that no text can exhaust the stack. */
const DEPTH_MAX = 64;

const SPACE = /(?:[\s\ufeff]|\/\*[^]*?\*\/|\/\/[^\n\r]*)*/y;
const COMMENT = /\//;
const NUMBER = /-?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/y;
const BARE_NAME = /[\p{L}\p{N}_$]+/uy;
const LITERAL = /true|false|null|undefined/y;
const NOT_A_NUMBER = /NaN|-?Infinity/y;
const ESCAPES: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', '\\': '\\', "'": "'", '"': '"', '/': '/' };

class Reader {
  private at = 0;
  private depth = 0;

  /** @param comments whether they may stand outside of the members' values */
  constructor(
    private readonly text: string,
    private readonly comments: boolean,
  ) {}

  /** The members of the object at the beginning. @param whole nothing may stand behind it */
  top(whole: boolean): MetadataMember[] {
    this.space();
    const value = this.object();
    this.space();
    if (whole && this.at < this.text.length) throw new SyntaxError('text after the object');
    return value;
  }

  private take(expression: RegExp): string | undefined {
    expression.lastIndex = this.at;
    const found = expression.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private space(): void {
    const skipped = this.take(SPACE);
    if (!this.comments && this.depth < 2 && skipped && COMMENT.test(skipped)) throw new SyntaxError('a comment');
  }

  private next(character: string): boolean {
    this.space();
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private expect(character: string): void {
    if (!this.next(character)) throw new SyntaxError(`${character} is missing at ${this.at}`);
  }

  private object(): MetadataMember[] {
    this.expect('{');
    if ((this.depth += 1) > DEPTH_MAX) throw new SyntaxError('nested too deeply');
    const members: MetadataMember[] = [];
    while (!this.next('}')) {
      const name = this.name();
      this.expect(':');
      members.push([name, this.value()]);
      if (!this.next(',') && this.text[this.at] !== '}') throw new SyntaxError(`, or } is missing at ${this.at}`);
    }
    this.depth -= 1;
    return members;
  }

  private array(): MetadataValue[] {
    if ((this.depth += 1) > DEPTH_MAX) throw new SyntaxError('nested too deeply');
    const items: MetadataValue[] = [];
    while (!this.next(']')) {
      items.push(this.value());
      if (!this.next(',') && this.text[this.at] !== ']') throw new SyntaxError(`, or ] is missing at ${this.at}`);
    }
    this.depth -= 1;
    return items;
  }

  private name(): string {
    this.space();
    const quote = this.text[this.at];
    if (quote === '"' || quote === "'") return this.string(quote);
    const bare = this.take(BARE_NAME);
    if (bare === undefined) throw new SyntaxError(`a name is missing at ${this.at}`);
    return bare;
  }

  private value(): MetadataValue {
    this.space();
    const first = this.text[this.at];
    if (first === '"' || first === "'") return { kind: 'string', value: this.string(first) };
    if (first === '{') return { kind: 'object', members: this.object() };
    if (this.next('[')) return { kind: 'array', items: this.array() };
    const literal = this.take(LITERAL);
    if (literal !== undefined) return { kind: 'literal', value: literal as 'true' };
    const odd = this.take(NOT_A_NUMBER);
    if (odd !== undefined) return { kind: 'float', text: odd };
    const number = this.take(NUMBER);
    if (number === undefined) throw new SyntaxError(`a value is missing at ${this.at}`);
    if (/^0[xX]/.test(number)) return { kind: 'integer', text: String(BigInt(number)) };
    // Digits after a zero are octal.
    if (/^0[0-7]+$/.test(number)) return { kind: 'integer', text: String(BigInt(`0o${number}`)) };
    return { kind: /^(?:0|-?\d+)$/.test(number) && !/^0[0-9]/.test(number) ? 'integer' : 'float', text: number };
  }

  private string(quote: string): string {
    this.at += 1;
    let value = '';
    for (;;) {
      const character = this.text[this.at++];
      if (character === undefined) throw new SyntaxError('a string has no end');
      if (character === quote) return value;
      value += character === '\\' ? this.escape() : character;
    }
  }

  private escape(): string {
    const letter = this.text[this.at++] ?? '';
    if (letter !== 'u') {
      const escaped = ESCAPES[letter];
      if (escaped === undefined) throw new SyntaxError(`\\${letter} is no escape`);
      return escaped;
    }
    const hex = this.text.slice(this.at, this.at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(hex)) throw new SyntaxError(`\\u${hex} is no escape`);
    this.at += 4;
    return String.fromCharCode(Number.parseInt(hex, 16));
  }
}

/**
 * Undefined: no object stands at the beginning.
 * @param whole nothing may stand behind it, and comments anywhere; else only within the members' values, as a real server reads settings
 */
export function readMetadata(text: string, whole = false): MetadataMember[] | undefined {
  try {
    return new Reader(text, whole).top(whole);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Exponents of ten between which .NET writes a number without one. */
const PLAIN = { from: -4, below: 15 };

/** As .NET writes the nearest number of double precision; what is none stays as it is. */
function floatText(text: string): string {
  const number = Number(text);
  if (!Number.isFinite(number)) return text;
  const [mantissa = '0', power = '0'] = number.toExponential().split('e');
  const exponent = Number(power);
  if (number !== 0 && (exponent < PLAIN.from || exponent >= PLAIN.below)) {
    return `${mantissa}E${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  const plain = String(number);
  return plain.includes('.') ? plain : `${plain}.0`;
}

function written(value: MetadataValue): string {
  switch (value.kind) {
    case 'integer':
      return value.text;
    case 'float':
      return floatText(value.text);
    case 'string':
      return JSON.stringify(value.value);
    case 'literal':
      return value.value;
    case 'array':
      return `[${value.items.map(written).join(',')}]`;
    case 'object':
      return writeMetadata(value.members);
  }
}

export function writeMetadata(members: readonly MetadataMember[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${written(value)}`).join(',')}}`;
}
