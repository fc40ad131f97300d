import { annotatedDuration } from './durations';
import type { Timeline } from './timeline';

/** A word of an annotation's value, or a text in double quotes. */
export interface Word {
  text: string;
  isQuoted: boolean;
}

/** Parts that one value may have. */
const partsMax = 1_000;
const wordGrammar = /"(?:[^"\\]|\\.)*"|;|[^\s;"]+/gs;

/** The parts of a value that `;` parts, as words; undefined where a text in quotes is none, or there is nothing. */
export function partsOf(value: string): Word[][] | undefined {
  const parts: Word[][] = [[]];
  const rest = value.replace(wordGrammar, (word) => {
    if (word === ';') parts.push([]);
    else parts[parts.length - 1]?.push(wordOf(word));
    return '';
  });
  const isRead = rest.trim() === '' && parts.length <= partsMax && parts.every((part) => part.every(({ text }) => text !== unreadable));
  if (parts[parts.length - 1]?.length === 0) parts.pop();
  return isRead && parts.length > 0 && parts.every((part) => part.length > 0) ? parts : undefined;
}

const unreadable = '\u0000';

function wordOf(word: string): Word {
  if (!word.startsWith('"')) return { text: word, isQuoted: false };
  try {
    return { text: JSON.parse(word.replaceAll('\n', '\\n').replaceAll('\t', '\\t')) as string, isQuoted: true };
  } catch {
    return { text: unreadable, isQuoted: true };
  }
}

/** Words that are taken from the front, one after the other. */
export class Words {
  private place = 0;

  constructor(private readonly words: readonly Word[]) {}

  get isOver(): boolean {
    return this.place >= this.words.length;
  }

  /** Whether these plain words come next; then they are taken. */
  take(...expected: readonly string[]): boolean {
    const here = this.words.slice(this.place, this.place + expected.length);
    const isHere = here.length === expected.length && here.every((word, index) => !word.isQuoted && word.text === expected[index]);
    if (isHere) this.place += expected.length;
    return isHere;
  }

  /** The next word, whatever it is; undefined at the end. */
  next(): Word | undefined {
    return this.words[this.place++];
  }

  peek(): Word | undefined {
    return this.words[this.place];
  }

  duration(): number | undefined {
    const word = this.next();
    return word === undefined || word.isQuoted ? undefined : annotatedDuration(word.text);
  }
}

/**
 * Answers over time: `ANSWER; from 5s ANSWER; again after 20s`. The steps come in their order.
 * @param read an answer from its words; undefined: it is none
 */
export function parseTimeline<A>(value: string, read: (words: Words) => A | undefined): Timeline<A> | undefined {
  const steps: ({ fromMs: number } & A)[] = [];
  let cycleMs: number | undefined;
  for (const part of partsOf(value) ?? []) {
    const words = new Words(part);
    if (cycleMs !== undefined) return undefined;
    if (words.take('again', 'after')) {
      cycleMs = words.duration();
      if (!cycleMs || !words.isOver) return undefined;
      continue;
    }
    const fromMs = words.take('from') ? words.duration() : 0;
    const last = steps[steps.length - 1];
    if (fromMs === undefined || (last && fromMs <= last.fromMs)) return undefined;
    const answer = read(words);
    if (answer === undefined || !words.isOver) return undefined;
    steps.push({ fromMs, ...answer });
  }
  return steps.length === 0 ? undefined : { steps, ...(cycleMs === undefined ? {} : { cycleMs }) };
}

/** 0 to 255. */
export function parseExitCode(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,3}$/.test(text)) return undefined;
  const code = Number(text);
  return code <= 255 ? code : undefined;
}
