import type { OutputPiece } from '#libs/kubelet';
import type { LogOptions } from './log-options';

/** A line and when it was written, ms since the epoch. */
export interface LogLine {
  at: number;
  text: string;
}

/** Pieces of output as lines; one that has no end yet is a line too. */
export function linesOf(pieces: readonly OutputPiece[], startedAt: number): LogLine[] {
  const lines: LogLine[] = [];
  let open = '';
  let at = startedAt;
  for (const [atMs, text] of pieces) {
    at = startedAt + atMs;
    const parts = (open + text).split('\n');
    open = parts.pop() as string;
    for (const part of parts) lines.push({ at, text: `${part}\n` });
  }
  if (open !== '') lines.push({ at, text: open });
  return lines;
}

/** Lines as a request asks for them. */
export function shownLines(lines: readonly LogLine[], options: LogOptions, now: number): string {
  const since = options.sinceTime ?? (options.sinceSeconds === undefined ? undefined : now - options.sinceSeconds * 1000);
  let shown = since === undefined ? lines : lines.filter(({ at }) => at >= since);
  if (options.tailLines !== undefined) shown = options.tailLines === 0 ? [] : shown.slice(-options.tailLines);
  const text = shown.map((line) => shownLine(line, options)).join('');
  return options.limitBytes === undefined ? text : Buffer.from(text).subarray(0, options.limitBytes).toString('utf8');
}

export function shownLine({ at, text }: LogLine, { timestamps }: LogOptions): string {
  return timestamps ? `${new Date(at).toISOString().replace('Z', '000000Z')} ${text}` : text;
}
