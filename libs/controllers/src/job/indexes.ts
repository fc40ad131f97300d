/** A run of indexes, both ends included. */
export interface IndexRun {
  first: number;
  last: number;
}

/** Completion indexes in order, as a Job's status writes them: `1,3-5,7`. */
export type Indexes = readonly IndexRun[];

/** What the text says of indexes below `completions`; what cannot be read is passed over. */
export function parseIndexes(text: string | undefined, completions: number): Indexes {
  const runs: IndexRun[] = [];
  for (const part of text ? text.split(',') : []) {
    const match = /^(\d+)(?:-(\d+))?/.exec(part);
    if (!match) continue;
    const first = Number(match[1]);
    if (first >= completions) break;
    const last = match[2] === undefined ? first : Math.min(Number(match[2]), completions - 1);
    append(runs, { first, last });
  }
  return runs;
}

export function mergeIndexes(a: Indexes, b: Indexes): Indexes {
  const runs: IndexRun[] = [];
  for (const run of [...a, ...b].sort((one, other) => one.first - other.first)) append(runs, run);
  return runs;
}

export function withIndexes(runs: Indexes, added: Iterable<number>): Indexes {
  return mergeIndexes(
    runs,
    [...added].map((index) => ({ first: index, last: index })),
  );
}

function append(runs: IndexRun[], run: IndexRun): void {
  const before = runs[runs.length - 1];
  if (!before || run.first > before.last + 1) runs.push({ ...run });
  else before.last = Math.max(before.last, run.last);
}

export function countIndexes(runs: Indexes): number {
  return runs.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

export function hasIndex(runs: Indexes, index: number): boolean {
  return runs.some(({ first, last }) => first <= index && index <= last);
}

export function indexesText(runs: Indexes): string {
  return runs.map(({ first, last }) => (first === last ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`)).join(',');
}

/** The first `count` indexes below `completions` that are not among these. */
export function freeIndexes(taken: Indexes, count: number, completions: number): number[] {
  const free: number[] = [];
  let candidate = 0;
  for (const { first, last } of taken) {
    for (; candidate < first && candidate < completions && free.length < count; candidate++) free.push(candidate);
    candidate = Math.max(candidate, last + 1);
  }
  for (; candidate < completions && free.length < count; candidate++) free.push(candidate);
  return free;
}

/** How many indexes are in both. */
export function countCommon(a: Indexes, b: Indexes): number {
  let common = 0;
  for (const one of a) {
    for (const other of b) common += Math.max(0, Math.min(one.last, other.last) - Math.max(one.first, other.first) + 1);
  }
  return common;
}
