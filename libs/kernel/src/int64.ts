/*
 * Whole numbers of 64 bits as JavaScript can hold them: those beyond 2^53 by the next one that it has. The two ends of the range, which clients do
 * send, are told apart from their neighbours and written whole.
 */

/** Stands for 2^63 - 1: the last number below it that can be held here. */
export const int64Max = 2 ** 63 - 1024;
export const int64Min = -(2 ** 63);

/** Of the numbers at the ends of int64 the next one that is still within. */
export function nearestInt64(value: number): number {
  return Math.max(int64Min, Math.min(int64Max, value));
}

/** The digits of a number that came as an int64, as Go prints it. */
export function int64Digits(value: number): string {
  if (value >= int64Max) return '9223372036854775807';
  return String(BigInt(Math.max(value, int64Min)));
}

function isEnd(value: unknown): value is number {
  return value === int64Max || value === int64Min;
}

/** How `JSON.stringify` begins both ends; few texts have that. */
const beginning = '922337203685477';
const mark = /"\\u0000int64:(-?\d+)"/g;

/** Whether the text of a value may have one of the ends in it, in part or whole. */
export function mayHaveEnds(text: string): boolean {
  return text.includes(beginning);
}

/** As `JSON.stringify`, with the ends of int64 whole. */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, undefined, indent);
  if (text === undefined || !mayHaveEnds(text)) return text;
  const marked = JSON.stringify(value, (_, item: unknown) => (isEnd(item) ? `\0int64:${int64Digits(item)}` : item), indent);
  return marked.replace(mark, '$1');
}
