import { goQuote } from '#libs/kube-api';

/** Query parameters as Go's `url.ParseQuery` gives them: pairs that cannot be decoded are dropped, the rest stay. */
export class Query {
  private readonly values = new Map<string, string[]>();

  constructor(text: string) {
    for (const pair of text.split('&')) {
      if (pair === '') continue;
      const equals = pair.indexOf('=');
      const key = decode(equals < 0 ? pair : pair.slice(0, equals));
      const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
      if (key === undefined || value === undefined) continue;
      const known = this.values.get(key);
      if (known) known.push(value);
      else this.values.set(key, [value]);
    }
  }

  has(name: string): boolean {
    return this.values.has(name);
  }

  /** The first value; the empty text when there is none. */
  text(name: string): string {
    return this.values.get(name)?.[0] ?? '';
  }

  all(name: string): readonly string[] {
    return this.values.get(name) ?? [];
  }

  /** Each name with each of its values. */
  entries(): [name: string, value: string][] {
    return [...this.values].flatMap(([name, values]) => values.map((value): [string, string] => [name, value]));
  }

  /** Anything but `false` and `0` is true, a bare name too; absent: undefined. */
  flag(name: string): boolean | undefined {
    const value = this.values.get(name)?.[0];
    if (value === undefined) return undefined;
    return !(value === '0' || value.toLowerCase() === 'false');
  }

  /** An int64; an empty value is as good as none. `error` in Go's words. */
  integer(name: string): { value: number | undefined } | { error: string } {
    const text = this.text(name);
    if (text === '') return { value: undefined };
    const parse = `strconv.ParseInt: parsing ${goQuote(text)}`;
    if (!/^[+-]?\d+$/.test(text)) return { error: `${parse}: invalid syntax` };
    const value = BigInt(text);
    if (value > int64Max || value < -int64Max - 1n) return { error: `${parse}: value out of range` };
    return { value: Number(value) };
  }
}

const int64Max = 9_223_372_036_854_775_807n;

function decode(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
}
