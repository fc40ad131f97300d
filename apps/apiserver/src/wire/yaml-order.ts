const isLetter = (text: string): boolean => /^\p{L}$/u.test(text);
const isDigit = (text: string | undefined): boolean => text !== undefined && /^\p{Nd}$/u.test(text);

/** The order of keys in YAML that Go's library writes: letters after all else, runs of digits by the number that they are. */
export function byGoOrder(left: string, right: string): number {
  const a = [...left];
  const b = [...right];
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  const [x, y] = [a[at], b[at]];
  if (x === undefined || y === undefined) return a.length - b.length;
  const letters = Number(isLetter(x)) - Number(isLetter(y));
  if (letters !== 0) return letters;
  if (!isLetter(x)) {
    const [first, second] = [numberAt(a, at), numberAt(b, at)];
    // A zero counts where it goes on a number that has begun before the difference.
    if ((x === '0' || y === '0') && isWithinNumber(a, at)) {
      first.text = `1${first.text}`;
      second.text = `1${second.text}`;
    }
    const difference = BigInt(first.text || 0) - BigInt(second.text || 0);
    if (difference !== 0n) return difference < 0n ? -1 : 1;
    if (first.length !== second.length) return first.length - second.length;
  }
  return (x.codePointAt(0) as number) - (y.codePointAt(0) as number);
}

/** The digits from a place on; those that are not ASCII count as none. */
function numberAt(text: readonly string[], from: number): { text: string; length: number } {
  let to = from;
  while (isDigit(text[to])) to++;
  return {
    text: text
      .slice(from, to)
      .join('')
      .replace(/[^0-9]/g, ''),
    length: to - from,
  };
}

/** Whether a digit other than zero stands before the place, with nothing but digits between. */
function isWithinNumber(text: readonly string[], at: number): boolean {
  for (let i = at - 1; i >= 0 && isDigit(text[i]); i--) if (text[i] !== '0') return true;
  return false;
}
