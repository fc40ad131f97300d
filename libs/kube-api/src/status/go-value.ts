import { int64Digits, jsonText } from '#libs/kernel';

const escapes: Record<string, string> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};
const plain = /^[ !#-[\]-~]*$/;
const printable = /^[ \p{L}\p{M}\p{N}\p{P}\p{S}]$/u;

/** A text as Go's `%q` writes it; error texts quote values so. */
export function goQuote(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  let quoted = '"';
  for (const character of text) {
    const escape = escapes[character];
    if (escape !== undefined) quoted += escape;
    else if (printable.test(character)) quoted += character;
    else {
      const code = character.codePointAt(0) as number;
      if (code < 0x80) quoted += `\\x${code.toString(16).padStart(2, '0')}`;
      else if (code < 0x10000) quoted += `\\u${code.toString(16).padStart(4, '0')}`;
      else quoted += `\\U${code.toString(16).padStart(8, '0')}`;
    }
  }
  return `${quoted}"`;
}

/** JSON as Go's encoder writes it: `<`, `>`, `&` and the two line separators are escaped. */
export function goJson(value: unknown): string {
  return goEscaped(jsonText(value) ?? 'null');
}

/** JSON that is written already, with these escaped: they stand in texts only. */
export function goEscaped(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (character) => `\\u${(character.codePointAt(0) as number).toString(16).padStart(4, '0')}`);
}

/** A map of texts as Go's encoder writes it: keys sorted. */
export function sortedMap<T>(map: Record<string, T>): Record<string, T> {
  const sorted: Record<string, T> = Object.create(null) as Record<string, T>;
  for (const key of Object.keys(map).sort()) sorted[key] = map[key] as T;
  return sorted;
}

/** A number as Go prints it: whole ones in full. */
export function numberText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) > Number.MAX_SAFE_INTEGER && Math.abs(value) <= 2 ** 63
    ? int64Digits(value)
    : String(value);
}

/** A value as field errors show it: texts quoted, numbers and booleans bare, absent values `null`, the rest as JSON. */
export function goValue(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'boolean') return String(value);
  return goJson(value);
}
