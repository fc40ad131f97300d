import { goQuote } from '../../../status/go-value';

/** Indexes of an Indexed Job: `1,3-5,7`. */

interface Interval {
  readonly first: number;
  readonly last: number;
}

/** What is wrong with a text of indexes. */
interface Malformed {
  readonly error: string;
}

function indexIn(text: string, completions: number): number | Malformed {
  if (!/^[+-]?\d{1,18}$/.test(text)) return { error: `cannot convert string to integer for index: ${goQuote(text)}` };
  return Number(text) >= completions ? { error: `too large index: ${goQuote(text)}` } : Number(text);
}

function intervalOf(text: string, completions: number): Interval | Malformed {
  const [from = '', to, ...more] = text.split('-');
  if (more.length > 0) {
    const rule = "violates the requirement that an index interval can have at most two parts separated by '-'";
    return { error: `the fragment ${goQuote(text)} ${rule}` };
  }
  const first = indexIn(from, completions);
  if (typeof first !== 'number') return first;
  if (to === undefined) return { first, last: first };
  const last = indexIn(to, completions);
  if (typeof last !== 'number') return last;
  return first >= last ? { error: `non-increasing order, previous: ${first}, current: ${last}` } : { first, last };
}

/** How many indexes a text names, each below `completions`. */
export function countIndexes(text: string, completions: number): number | Malformed {
  let total = 0;
  let before: number | undefined;
  for (const part of text === '' ? [] : text.split(',')) {
    const interval = intervalOf(part, completions);
    if ('error' in interval) return interval;
    const { first, last } = interval;
    if (before !== undefined && before >= first) return { error: `non-increasing order, previous: ${before}, current: ${first}` };
    total += last - first + 1;
    before = last;
  }
  return total;
}

/** The first index that is in both texts, going through them side by side; what cannot be read is passed over. */
export function overlapOf(completed: string, failed: string, completions: number): number | undefined {
  const read = (text: string): Interval[] =>
    text.split(',').flatMap((part) => {
      const interval = intervalOf(part, completions);
      return 'error' in interval ? [] : [interval];
    });
  if (completed === '' || failed === '') return undefined;
  const [theirs, ours] = [read(completed), read(failed)];
  for (let at = 0, other = 0; at < theirs.length && other < ours.length;) {
    const [done, lost] = [theirs[at] as Interval, ours[other] as Interval];
    if (done.first <= lost.last && lost.first <= done.last) return Math.max(done.first, lost.first);
    if (done.first <= lost.first) at++;
    else other++;
  }
  return undefined;
}
