import type { Paint } from '../terminal/colour';

const moment = /^(\d\d:\d\d:\d\d\.\d{3})( +\d+)?/;

/** The text of `why` for a terminal: moments stand back, the chosen way is green, refusals are red. The words stay as they are. */
export function paintStory(text: string, paint: Paint): string {
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? paint('bold', line) : paintLine(line, paint)))
    .join('\n');
}

function paintLine(line: string, paint: Paint): string {
  const at = moment.exec(line)?.[0];
  if (at !== undefined) return `${paint('dim', at)}${line.slice(at.length)}`;
  const bar = line.indexOf('│');
  if (bar < 0) return line;
  const [before, told] = [line.slice(0, bar + 1), line.slice(bar + 1)];
  if (told.startsWith(' →')) return `${before}${paint('green', told)}`;
  if (/ refused by /.test(told)) return `${before}${paint('red', told)}`;
  return line;
}
