const simple: Readonly<Record<string, number>> = {
  a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, '\\': 92, "'": 39, '"': 34, '`': 96, '?': 63,
}; // prettier-ignore

/** A literal that cannot be read: `unable to unescape string` and the like. */
export class UnescapeError extends Error {}

/** The text of a string literal as it stands in the source, quotes and an `r` before them included. */
export function unescapeString(literal: string): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(unescape(literal, false));
}

/** The bytes of a bytes literal; `\x` and octal escapes are bytes, other text is UTF-8. */
export function unescapeBytes(literal: string): Uint8Array {
  return unescape(literal.slice(1), true);
}

function unescape(literal: string, isBytes: boolean): Uint8Array {
  const isRaw = /^[rR]/.test(literal);
  const quoted = isRaw ? literal.slice(1) : literal;
  const quotes = /^("""|''')/.test(quoted) && quoted.length >= 6 ? 3 : 1;
  const inner = quoted.slice(quotes, -quotes).replaceAll(/\r\n|\r/g, '\n');
  const encoder = new TextEncoder();
  if (isRaw || !inner.includes('\\')) return encoder.encode(inner);
  const bytes: number[] = [];
  for (let rest = inner; rest !== '';) {
    if (!rest.startsWith('\\')) {
      const end = rest.indexOf('\\');
      const plain = end < 0 ? rest : rest.slice(0, end);
      bytes.push(...encoder.encode(plain));
      rest = rest.slice(plain.length);
      continue;
    }
    const [length, value, isByte] = escapeAt(rest, isBytes);
    if (isByte) bytes.push(value);
    else bytes.push(...encoder.encode(String.fromCodePoint(value)));
    rest = rest.slice(length);
  }
  return Uint8Array.from(bytes);
}

/** Length in the source, value, and whether the value is one byte. */
function escapeAt(text: string, isBytes: boolean): [number, number, boolean] {
  const kind = text.charAt(1);
  const plain = simple[kind];
  if (plain !== undefined) return [2, plain, false];
  const digits = /^\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/.exec(text);
  if (!digits) throw new UnescapeError('unable to unescape string');
  const [whole, byte, short, long, octal] = digits;
  const value = octal === undefined ? Number.parseInt((byte ?? short ?? long) as string, 16) : Number.parseInt(octal, 8);
  const isUnicode = short !== undefined || long !== undefined;
  if (isUnicode && (isBytes || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)))
    throw new UnescapeError('unable to unescape string');
  return [whole.length, value, isBytes];
}
