import type { Piece, Word } from './syntax';

/** Words that one word becomes. */
const wordsMax = 10_000;

const range = /\{(-?\d+)\.\.(-?\d+)\}/;
const choice = /\{([^{},\s]*(?:,[^{},\s]*)+)\}/;

/** The words that `{1..3}` and `{a,b}` stand for, as bash has them; other shells leave them as they are. */
export function withoutBraces(word: Word): Word[] {
  for (const [index, piece] of word.entries()) {
    const found = piece.kind === 'text' && !piece.isQuoted ? firstBrace(piece.text) : undefined;
    if (!found) continue;
    const before = word.slice(0, index);
    const after = word.slice(index + 1);
    return found.values.flatMap((value) => withoutBraces([...before, plain(found.before + value), plain(found.after), ...after]));
  }
  return [word];
}

function plain(text: string): Piece {
  return { kind: 'text', text, isQuoted: false };
}

function firstBrace(text: string): { before: string; values: string[]; after: string } | undefined {
  const ranged = range.exec(text);
  const chosen = choice.exec(text);
  const match = ranged && (!chosen || ranged.index < chosen.index) ? ranged : chosen;
  if (!match) return undefined;
  const values = match === ranged ? numbers(Number(match[1]), Number(match[2])) : (match[1] as string).split(',');
  if (!values) return undefined;
  return { before: text.slice(0, match.index), values, after: text.slice(match.index + match[0].length) };
}

function numbers(first: number, last: number): string[] | undefined {
  const count = Math.abs(last - first) + 1;
  if (count > wordsMax) return undefined;
  return Array.from({ length: count }, (_, index) => String(first <= last ? first + index : first - index));
}
