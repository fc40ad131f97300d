const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
};

/** `\n`, `\t`, `\033` … as the characters that they stand for. */
export function unescaped(text: string): string {
  return text.replace(/\\(?:([abefnrtv\\"])|0?([0-7]{1,3})|x([0-9a-fA-F]{1,2}))/g, (_, letter?: string, octal?: string, hex?: string) => {
    if (letter !== undefined) return escapes[letter] as string;
    return String.fromCharCode(octal === undefined ? Number.parseInt(hex as string, 16) : Number.parseInt(octal, 8));
  });
}

const specification = /%(?:%|([-0+ ]*)(\d*)(?:\.(\d+))?([sdiucxXofb]))/g;
/** Widest field. */
const widthMax = 1_000;

/** What `printf` writes: the format again and again for as long as there are arguments. */
export function formatted(format: string, args: readonly string[]): string {
  const rest = [...args];
  let text = '';
  do {
    const left = rest.length;
    text += unescaped(format).replace(specification, (whole, flags?: string, width?: string, precision?: string, kind?: string) => {
      if (kind === undefined) return whole === '%%' ? '%' : whole;
      return padded(converted(kind, rest.shift() ?? '', precision), flags ?? '', Math.min(Number(width), widthMax));
    });
    if (rest.length === left) break;
  } while (rest.length > 0);
  return text;
}

function converted(kind: string, arg: string, precision: string | undefined): string {
  const number = Math.trunc(Number(arg)) || 0;
  if (kind === 's') return precision === undefined ? arg : arg.slice(0, Number(precision));
  if (kind === 'b') return unescaped(arg);
  if (kind === 'c') return arg.slice(0, 1);
  if (kind === 'f') return (Number(arg) || 0).toFixed(Math.min(Number(precision ?? 6), 20));
  if (kind === 'x') return number.toString(16);
  if (kind === 'X') return number.toString(16).toUpperCase();
  return kind === 'o' ? number.toString(8) : String(number);
}

function padded(text: string, flags: string, width: number): string {
  if (flags.includes('-')) return text.padEnd(width);
  return text.padStart(width, flags.includes('0') ? '0' : ' ');
}
