import { styleText } from 'node:util';

export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta';

/** What decides about colours beside the stream: NO_COLOR (not empty) forbids them, FORCE_COLOR asks for them where there is no terminal. */
interface Environment {
  NO_COLOR?: string;
  FORCE_COLOR?: string;
  TERM?: string;
}

export function wantsColour(stream: { isTTY?: boolean }, env: Environment = process.env): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
}

export type Paint = (colour: Colour | readonly Colour[], text: string) => string;

/** Paints what goes to the stream; gives the text as it is where colours are not wanted. */
export function painter(stream: { isTTY?: boolean } = process.stdout): Paint {
  if (!wantsColour(stream)) return (_colour, text) => text;
  return (colour, text) => (text === '' ? '' : styleText(colour as Colour[], text, { validateStream: false }));
}
