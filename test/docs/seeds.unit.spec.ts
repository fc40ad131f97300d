import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(__dirname, '../..');
const lines = readFileSync(join(root, 'docs/seeds.md'), 'utf8').split('\n');
const unheld = lines.indexOf('## Not yet held by a test');

interface Rule {
  line: number;
  cells: string[];
}

/** Rows of the tables between two lines, without heads. */
function rules(from: number, to: number): Rule[] {
  const rows = lines
    .slice(from, to)
    .flatMap((text, i) => (text.startsWith('| ') ? [{ line: from + i + 1, cells: text.slice(2, -2).split(' | ') }] : []));
  return rows.filter(({ cells }) => !/^(---|Guide|Name)$/.test(cells[0] ?? ''));
}

const firstTable = lines.findIndex((line) => line.startsWith('## '));
const held = rules(firstTable, unheld);
const guides = new Set(rules(0, firstTable).map(({ cells }) => cells[0]));

/** `path` “words”, … of the last cell. */
function references({ cells }: Rule): { path: string; words: string }[] {
  return [...(cells[3] ?? '').matchAll(/`([^`]+)` “([^”]+)”/g)].map(([, path = '', words = '']) => ({
    path,
    words: words.replaceAll('\\|', '|'),
  }));
}

describe('docs/seeds.md', () => {
  it('has its tables', () => {
    expect(unheld).toBeGreaterThan(firstTable);
    expect(held.length).toBeGreaterThan(100);
  });

  it('names a test for every rule, which exists and is called so', () => {
    const texts = new Map<string, string>();
    const textOf = (path: string): string => {
      let text = texts.get(path);
      if (text === undefined) texts.set(path, (text = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : ''));
      return text;
    };
    const wrong = held.flatMap((rule) => {
      const named = references(rule);
      if (named.length === 0) return [`line ${rule.line} names no test`];
      return named
        .filter(({ path, words }) => !textOf(path).includes(words))
        .map(({ path, words }) => `line ${rule.line}: ${path} has no “${words}”`);
    });
    expect(wrong).toEqual([]);
  });

  it('knows the guides it names, and has four cells a rule', () => {
    expect([...held, ...rules(unheld, lines.length)].filter(({ cells }) => !guides.has(cells[0]))).toEqual([]);
    expect(held.filter(({ cells }) => cells.length !== 4)).toEqual([]);
  });
});
