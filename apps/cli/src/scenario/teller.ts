import type { Happening } from './target';

/** Longest line, characters, also where there is room for more. */
const widthMax = 110;
/** Least for a story; on less a terminal breaks the lines itself. */
const widthMin = 60;
const timeWidth = 8;

/** Who speaks: the narrator, the user, the cluster, a check that was met or not; or nobody. */
export type Voice = 'story' | 'action' | 'cluster' | 'met' | 'missed' | 'plain';

export type WriteLine = (line: string, voice: Voice) => void;

const marks: Record<Voice, string> = { story: '', action: '$', cluster: '·', met: '✓', missed: '✗', plain: '' };

/** Puts a story into lines: the time where it has moved on, a mark for who speaks, and the text, broken to fit. */
export class Teller {
  private lastTime = '';
  private readonly width: number;

  /** @param columns of the reader's terminal; undefined where it is none */
  constructor(
    private readonly write: WriteLine,
    private readonly elapsed: () => number,
    columns = widthMax,
  ) {
    this.width = Math.max(widthMin, Math.min(widthMax, columns));
  }

  plain(text = ''): void {
    for (const line of broken(text, this.width)) this.write(line, 'plain');
  }

  /** The narrator's own words. */
  story(text: string): void {
    this.line('story', text);
  }

  /** What the user does. */
  action(text: string): void {
    this.line('action', text);
  }

  check(ok: boolean, text: string): void {
    this.line(ok ? 'met' : 'missed', text);
  }

  /** What the cluster did, when it did it. */
  happened(happenings: readonly Happening[]): void {
    for (let i = 0; i < happenings.length;) {
      const { at, group, text } = happenings[i] as Happening;
      let end = i + 1;
      if (!group) this.line('cluster', text, at);
      else {
        while (happenings[end]?.group && happenings[end]?.at === at) end++;
        for (const line of joined(happenings.slice(i, end))) this.line('cluster', line, at);
      }
      i = end;
    }
  }

  /** Lines that stay as they are. */
  block(lines: readonly string[]): void {
    for (const line of lines) this.write(`${' '.repeat(timeWidth + 2)}${line}`, 'plain');
  }

  private line(voice: Voice, text: string, at = this.elapsed()): void {
    const time = `${(at / 1000).toFixed(1)}s`;
    const shown = time === this.lastTime ? '' : time;
    this.lastTime = time;
    const mark = marks[voice] === '' ? '  ' : `  ${marks[voice]} `;
    const [first = '', ...more] = broken(text, this.width - timeWidth - mark.length);
    this.write(`${shown.padStart(timeWidth)}${mark}${first}`, voice);
    for (const line of more) this.write(`${' '.repeat(timeWidth + mark.length)}${line}`, voice);
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
