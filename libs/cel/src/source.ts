/** A place in a text: both from 1, the column in code points. */
export interface Place {
  line: number;
  column: number;
}

export interface Issue {
  message: string;
  /** In code points from the start of the text; undefined: of no place. */
  offset: number | undefined;
}

const issuesShownMax = 100;
const snippetMax = 16_384;

/** The text of an expression, and how its issues are told. Columns and offsets count code points, as cel-go does. */
export class Source {
  readonly codePoints: readonly string[];
  private readonly lineStarts: number[] = [0];

  constructor(readonly text: string) {
    this.codePoints = Array.from(text);
    this.codePoints.forEach((point, index) => {
      if (point === '\n') this.lineStarts.push(index + 1);
    });
  }

  placeOf(offset: number | undefined): Place {
    if (offset === undefined) return { line: -1, column: 0 };
    let line = this.lineStarts.length;
    while (line > 1 && (this.lineStarts[line - 1] as number) > offset) line -= 1;
    return { line, column: offset - (this.lineStarts[line - 1] as number) + 1 };
  }

  /** All issues in the order of their places, each with the line it is on and a mark below. */
  tell(issues: readonly Issue[]): string {
    const placed = issues.map((issue) => ({ ...issue, place: this.placeOf(issue.offset) }));
    placed.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
    const told = placed.slice(0, issuesShownMax).map(({ message, place }) => this.tellOne(message, place));
    if (placed.length > issuesShownMax) told.push(`${placed.length - issuesShownMax} more errors were truncated`);
    return told.join('\n');
  }

  private tellOne(message: string, { line, column }: Place): string {
    const head = `ERROR: <input>:${line}:${column}: ${message}`;
    const snippet = this.lineAt(line);
    if (snippet === undefined || snippet.length > snippetMax) return head;
    const before = snippet.slice(0, column - 1).map((point) => (isWide(point) ? '．' : '.'));
    const mark = isWide(snippet[column - 1] ?? '') ? '＾' : '^';
    return `${head}\n | ${snippet.join('')}\n | ${before.join('')}${mark}`;
  }

  private lineAt(line: number): string[] | undefined {
    const start = this.lineStarts[line - 1];
    if (start === undefined || this.codePoints.length === 0) return undefined;
    const next = this.lineStarts[line];
    return this.codePoints.slice(start, next === undefined ? undefined : next - 1).map((point) => (point === '\t' ? ' ' : point));
  }
}

function isWide(point: string): boolean {
  return (point.codePointAt(0) ?? 0) > 0x7f;
}
