/** Lines of context around a change. */
const contextLines = 3;

interface Edit {
  readonly kind: ' ' | '-' | '+';
  readonly line: string;
}

/** Two values as indented JSON, compared line by line in unified format; what pod updates are refused with. */
export function jsonDiff(before: unknown, after: unknown): string {
  return unifiedDiff(JSON.stringify(before, undefined, 1).split('\n'), JSON.stringify(after, undefined, 1).split('\n'));
}

export function unifiedDiff(before: readonly string[], after: readonly string[]): string {
  const edits = editsOf(before, after);
  const lines = { '-': 1, '+': 1 };
  let counted = 0;
  let text = '';
  let at = 0;
  while (at < edits.length) {
    if (edits[at]?.kind === ' ') {
      at++;
      continue;
    }
    const start = Math.max(0, at - contextLines);
    let end = at;
    for (let i = at; i < edits.length && i <= end + 2 * contextLines; i++) if (edits[i]?.kind !== ' ') end = i;
    const hunk = edits.slice(start, Math.min(edits.length, end + contextLines + 1));
    for (; counted < start; counted++) {
      if (edits[counted]?.kind !== '+') lines['-']++;
      if (edits[counted]?.kind !== '-') lines['+']++;
    }
    text += hunkText(lines, hunk);
    at = end + contextLines + 1;
  }
  return text;
}

/** `lines`: the number of the hunk's first line on either side. */
function hunkText(lines: Readonly<Record<'-' | '+', number>>, hunk: readonly Edit[]): string {
  const count = (list: readonly Edit[], kind: '-' | '+') =>
    list.reduce((sum, edit) => sum + (edit.kind === ' ' || edit.kind === kind ? 1 : 0), 0);
  const range = (kind: '-' | '+') => `${lines[kind]},${count(hunk, kind)}`;
  return `@@ -${range('-')} +${range('+')} @@\n${hunk.map(({ kind, line }) => `${kind}${line}\n`).join('')}`;
}

/** The shortest edit: common head and tail first, the middle by longest common subsequence. */
function editsOf(before: readonly string[], after: readonly string[]): Edit[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) {
    tail++;
  }
  const same = (lines: readonly string[]) => lines.map((line): Edit => ({ kind: ' ', line }));
  return [
    ...same(before.slice(0, head)),
    ...middleEdits(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...same(before.slice(before.length - tail)),
  ];
}

/** Beyond this many cells the middle is shown as replaced whole. */
const cellsMax = 1_000_000;

function middleEdits(before: readonly string[], after: readonly string[]): Edit[] {
  const removed = (line: string): Edit => ({ kind: '-', line });
  const added = (line: string): Edit => ({ kind: '+', line });
  if (before.length * after.length > cellsMax) return [...before.map(removed), ...after.map(added)];
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const next = i * width + j;
      lengths[next] =
        before[i] === after[j]
          ? (lengths[next + width + 1] as number) + 1
          : Math.max(lengths[next + width] as number, lengths[next + 1] as number);
    }
  }
  const edits: Edit[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      edits.push({ kind: ' ', line: before[i++] as string });
      j++;
    } else if (
      i < before.length &&
      (j === after.length || (lengths[(i + 1) * width + j] as number) >= (lengths[i * width + j + 1] as number))
    ) {
      edits.push(removed(before[i++] as string));
    } else edits.push(added(after[j++] as string));
  }
  return edits;
}
