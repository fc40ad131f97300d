import type { Colour, Paint } from '../terminal/colour';

/** What went wrong, what took shape, what was decided: three colours, the rest plain. */
const families: readonly (readonly [RegExp, Colour])[] = [
  [/Preempted|Rejected|Refused|Failed|Deleted|Evicted|Terminated|Stopped|NotReady/, 'red'],
  [/Scheduled|Admitted|Granted|Started|Ready|Resumed/, 'green'],
  [/Decided|Attempted|Nominated|Nomination|Requested|Asked|Answered|Recomputed|Held/, 'yellow'],
  [/Created/, 'cyan'],
];

/** A line of `kubereel log`, its type in the colour of its family; time and position stand back. */
export function paintEventLine(line: string, type: string, paint: Paint): string {
  const at = line.indexOf(type);
  if (at < 0) return line;
  const colour = families.find(([pattern]) => pattern.test(type))?.[1];
  return `${paint('dim', line.slice(0, at))}${colour === undefined ? type : paint(colour, type)}${line.slice(at + type.length)}`;
}
