import { printable } from '../terminal/printable';
import type { Paint } from '../terminal/colour';

const moment = /^(\d\d:\d\d:\d\d\.\d{3})( +\d+)?/;

/** How it stands is told up to the first empty line. Moments stand back, the chosen way is green, refusals are red. The words stay as they are. */
export function paintStory(text: string, paint: Paint): string {
  const lines = text.split('\n').map((line) => printable(line));
  const end = lines.indexOf('');
  return lines
    .map((line, index) => (index === 0 ? paint('bold', line) : index < end ? paint('yellow', line) : paintLine(line, paint)))
    .join('\n');
}

/** `… (NodeResourcesFit)`: a plugin's refusal of a node. */
const refusal = / \([A-Z][A-Za-z]+\)(; removing pods would not help)?$/;

function paintLine(line: string, paint: Paint): string {
  if (line.startsWith('TIME ') || line.startsWith('just before: ')) return paint('dim', line);
  const at = moment.exec(line)?.[0];
  if (at !== undefined) return `${paint('dim', at)}${line.slice(at.length)}`;
  const bar = line.indexOf('│');
  if (bar < 0) return line;
  const [before, told] = [line.slice(0, bar + 1), line.slice(bar + 1)];
  if (told.startsWith(' →')) return `${before}${paint('green', told)}`;
  if (refusal.test(told)) return `${before}${paint('red', told)}`;
  return line;
}
