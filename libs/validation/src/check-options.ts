import type { Shape } from './compiled-check';
import { shapeOf } from './nested';
import { problemsOf, propertiesOf } from './problems';

/** Options whose values nobody should find in a terminal or a log. */
const secrets = new Set(['token', 'privateKey']);
const shownMax = 40;

/** An operator has asked for something that cannot be: a line for each option that is off. */
export class OptionsError extends Error {
  override name = 'OptionsError';
  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}

/** @param prefix what stands before an option's name where it is written, as in `--port` @throws OptionsError */
export function checkOptions(shape: Shape, options: object, prefix = ''): void {
  const lines = linesOf(shape, options, prefix);
  if (lines.length > 0) throw new OptionsError(lines);
}

/** `OPTION VALUE: WHAT is expected`, for each option that is off. */
function linesOf(shape: Shape, options: object, prefix: string): string[] {
  const known = propertiesOf(shape);
  return problemsOf(shape, options).flatMap(({ property, texts }) => {
    const value = (options as Record<string, unknown>)[property];
    const option = `${prefix}${property}`;
    if (!known.includes(property))
      return [`${option}: there is no such option; there are ${known.map((name) => `${prefix}${name}`).join(', ')}`];
    const inner = shapeOf(shape, property);
    if (inner && typeof value === 'object' && value !== null && !Array.isArray(value)) return linesOf(inner, value, `${option}.`);
    const wanted = inner ? 'an object' : [...new Set(texts.map((text) => text.replace(`${property} must be `, '')))].join(', ');
    return [
      value === undefined ? `${option} is missing: ${wanted} is expected` : `${option}${shown(property, value)}: ${wanted} is expected`,
    ];
  });
}

function shown(property: string, value: unknown): string {
  if (secrets.has(property)) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return ` ${text.length > shownMax ? `${text.slice(0, shownMax)}…` : text}`;
}
