// A page of docs/, or the part of one between two marks, that is made from the code: written, or checked against what would be written.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** The text with what stands between `<!-- generated: NAME -->` and `<!-- end of NAME -->` replaced. @throws Error when a mark is missing. */
export function withPart(text, name, part) {
  const [open, close] = [`<!-- generated: ${name} -->`, `<!-- end of ${name} -->`];
  const from = text.indexOf(open);
  const to = text.indexOf(close);
  if (from < 0 || to < from) throw new Error(`the marks "${open}" and "${close}" are not there`);
  return `${text.slice(0, from + open.length)}\n${part.trimEnd()}\n${text.slice(to)}`;
}

/** A Markdown table; cells are text. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Writes the page, or with `check` only compares; the exit status is 1 when it is not what it should be. */
export function writeOrCheck(path, text, { check, command, what }) {
  const present = readFileSync(path, { encoding: 'utf8', flag: 'a+' });
  const name = basename(dirname(path)) === 'docs' ? `docs/${basename(path)}` : basename(path);
  if (check && present !== text) {
    console.error(`${name} is not what the code says; run: ${command}`);
    process.exitCode = 1;
  } else {
    if (!check) writeFileSync(path, text);
    console.log(`${name}: ${what}`);
  }
}
