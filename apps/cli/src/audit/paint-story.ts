import { printable } from '../terminal/printable';
import type { Paint } from '../terminal/colour';

const moment = /^(\d\d:\d\d:\d\d\.\d{3})( +\d+)?/;

/** How it stands is told up to the first empty line. Moments stand back, the chosen way is green, refusals are red. The words stay as they are. */
export function paintStory(text: string, paint: Paint): string {
  const lines = text.split('\n').map((line) => printable(line));
  const end = lines.indexOf('');
  const joined = detailsOf(lines);
  return lines
    .map((line, index) =>
      index === 0 ? paint('bold', line) : index < end ? paint('yellow', line) : paintLine(line, joined[index] ?? line, paint),
    )
    .join('\n');
}

/** What follows the bar of a detail that goes on from the line above. */
const continued = /^ {5}\S/;

/** For each line that is part of a detail broken over several: the whole detail, as if in one line. */
function detailsOf(lines: readonly string[]): string[] {
  const whole = [...lines];
  for (let first = 0; first < lines.length;) {
    let end = first + 1;
    while (lines[first]?.includes('│') && continued.test((lines[end] ?? '').split('│')[1] ?? '')) end++;
    const detail = [lines[first] ?? '', ...lines.slice(first + 1, end).map((line) => line.slice(line.indexOf('│') + 1).trim())].join(' ');
    whole.fill(detail, first, end);
    first = end;
  }
  return whole;
}

/** `… (NodeResourcesFit)`: a plugin's refusal of a node. */
const refusal = / \([A-Z][A-Za-z]+\)(; removing pods would not help)?$/;

/** @param whole the line with those that it goes on in, or that it goes on from */
function paintLine(line: string, whole: string, paint: Paint): string {
  if (line.startsWith('TIME ') || line.startsWith('just before: ')) return paint('dim', line);
  const at = moment.exec(line)?.[0];
  if (at !== undefined) return `${paint('dim', at)}${line.slice(at.length)}`;
  const bar = line.indexOf('│');
  if (bar < 0) return line;
  const [before, told] = [line.slice(0, bar + 1), line.slice(bar + 1)];
  const detail = whole.slice(whole.indexOf('│') + 1);
  if (detail.startsWith(' →')) return `${before}${paint('green', told)}`;
  if (refusal.test(detail)) return `${before}${paint('red', told)}`;
  return line;
}
