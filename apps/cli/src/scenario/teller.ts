import type { Happening } from './target';

/** Lines are broken so that they fit a usual terminal. */
const widthMax = 110;
const timeWidth = 8;

/** Puts a story into lines: the time where it has moved on, a mark for who speaks, and the text, broken to fit. */
export class Teller {
  private lastTime = '';

  constructor(
    private readonly write: (line: string) => void,
    private readonly elapsed: () => number,
  ) {}

  plain(text = ''): void {
    for (const line of broken(text, widthMax)) this.write(line);
  }

  /** The narrator's own words. */
  story(text: string): void {
    this.line('', text);
  }

  /** What the user does. */
  action(text: string): void {
    this.line('$', text);
  }

  check(ok: boolean, text: string): void {
    this.line(ok ? '✓' : '✗', text);
  }

  /** What the cluster did, when it did it. */
  happened(happenings: readonly Happening[]): void {
    for (let i = 0; i < happenings.length; ) {
      const { at, group, text } = happenings[i] as Happening;
      let end = i + 1;
      if (!group) this.line('·', text, at);
      else {
        while (happenings[end]?.group && happenings[end]?.at === at) end++;
        for (const line of joined(happenings.slice(i, end))) this.line('·', line, at);
      }
      i = end;
    }
  }

  /** Lines that stay as they are. */
  block(lines: readonly string[]): void {
    for (const line of lines) this.write(`${' '.repeat(timeWidth + 2)}${line}`);
  }

  private line(mark: string, text: string, at = this.elapsed()): void {
    const time = `${(at / 1000).toFixed(1)}s`;
    const shown = time === this.lastTime ? '' : time;
    this.lastTime = time;
    const indent = mark === '' ? 2 : 4;
    const [first = '', ...more] = broken(text, widthMax - timeWidth - indent);
    this.write(`${shown.padStart(timeWidth)}${mark === '' ? '  ' : `  ${mark} `}${first}`);
    for (const line of more) this.write(`${' '.repeat(timeWidth + indent)}${line}`);
  }
}

/** One line for each group, in the order of their first members. */
function joined(happenings: readonly Happening[]): string[] {
  const lines = new Map<string, { before: string; after: string; texts: string[] }>();
  for (const { group, text } of happenings) {
    const { before, after = '' } = group as NonNullable<Happening['group']>;
    const key = `${before}\n${after}`;
    const line = lines.get(key);
    if (line) line.texts.push(text);
    else lines.set(key, { before, after, texts: [text] });
  }
  return [...lines.values()].map(({ before, after, texts }) => `${before} ${texts.join(', ')}${after}`);
}

/** Broken at spaces; lines that were broken on purpose stay so. */
export function broken(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ')) {
      if (line !== '' && line.length + 1 + word.length > width) {
        lines.push(line);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines;
}
