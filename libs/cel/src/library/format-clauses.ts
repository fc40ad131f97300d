/** One `%…` of a format text. */
export interface Clause {
  verb: 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o';
  precision: number;
}

/** A format text that cannot be read, or a value that does not go with its clause. `argument`: place of that value. */
export class FormatError extends Error {
  constructor(
    message: string,
    readonly argument?: number,
  ) {
    super(message);
  }
}

const defaultPrecision = 6;
/** Digits after the point; more are not written, so that a short text stays a bounded one. */
const precisionMax = 1_000;

/**
 * A format text with its clauses replaced, one argument each. `fill` makes the text of an argument.
 * @throws FormatError
 */
export function fillClauses(format: string, size: number, fill: (clause: Clause, index: number) => string): string {
  let text = '';
  let index = 0;
  let argument = 0;
  while (index < format.length) {
    if (format[index] !== '%') {
      text += format[index];
      index += 1;
    } else if (format[index + 1] === '%') {
      text += '%';
      index += 2;
    } else {
      if (index + 1 >= format.length) throw new FormatError('unexpected end of string');
      if (argument >= size) throw new FormatError(`index ${argument} out of range`);
      const [clause, length] = clauseAt(format, index + 1);
      text += filled(() => fill(clause, argument));
      index += 1 + length;
      argument += 1;
    }
  }
  return text;
}

/** @throws FormatError that says where it came of: while an argument was written */
function filled(fill: () => string): string {
  try {
    return fill();
  } catch (error) {
    if (error instanceof FormatError) throw new FormatError(`error during formatting: ${error.message}`, error.argument);
    throw error;
  }
}

function clauseAt(format: string, from: number): [Clause, number] {
  const unreadable = (message: string): FormatError => new FormatError(`could not parse formatting clause: ${message}`);
  const digits = /^\.([0-9]*)/.exec(format.slice(from));
  if (digits && from + digits[0].length >= format.length)
    throw unreadable('error while parsing precision: could not find end of precision specifier');
  const precision = digits?.[1];
  if (precision !== undefined && !/^\d{1,18}$/.test(precision)) {
    const problem = precision === '' ? 'invalid syntax' : 'value out of range';
    throw unreadable(
      `error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "${precision}": ${problem}`,
    );
  }
  const length = digits?.[0].length ?? 0;
  const verb = format[from + length] as string;
  if (!'sdfebxXo'.includes(verb))
    throw unreadable(`unrecognized formatting clause "${String.fromCharCode(byteAt(format, from + length))}"`);
  return [
    { verb: verb as Clause['verb'], precision: precision === undefined ? defaultPrecision : Math.min(Number(precision), precisionMax) },
    length + 1,
  ];
}

/** cel-go reads bytes here, not characters. */
function byteAt(format: string, index: number): number {
  return new TextEncoder().encode(format.slice(index, index + 2))[0] as number;
}

/** What goes with a clause, in the words of cel-go. */
export const wrongType: Readonly<Record<Clause['verb'], string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given',
  d: 'decimal clause can only be used on integers, was given',
  f: 'fixed-point clause can only be used on doubles, was given',
  e: 'scientific clause can only be used on doubles, was given',
  b: 'only integers and bools can be formatted as binary, was given',
  x: 'only integers, byte buffers, and strings can be formatted as hex, was given',
  X: 'only integers, byte buffers, and strings can be formatted as hex, was given',
  o: 'octal clause can only be used on integers, was given',
};
