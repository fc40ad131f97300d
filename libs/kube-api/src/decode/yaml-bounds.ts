import type { CST } from 'yaml';

/**
 * What a YAML text may be before it is handed to the parser, whose effort and stack grow with nesting. The text is not lexed for
 * this: brackets and words inside quoted texts count as well, and far fewer than the bounds are ever found there.
 */

/** Characters. Clients with larger objects send JSON. */
export const yamlTextMax = 512 * 1024;
/** Brackets open at once. */
const bracketsMax = 64;
/** Indicators, tags and anchors one behind the other on a line: `- - - x`, `!!str !!str x`. */
const indicatorsMax = 50;

/** Why the text is refused; undefined when it is not. */
export function yamlRefusal(text: string): string | undefined {
  if (text.length > yamlTextMax) return `document of ${text.length} characters exceeds the limit of ${yamlTextMax}`;
  let open = 0;
  let indicators = 0;
  let wordStart = 0;
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : 0x0a;
    if (code === 0x5b || code === 0x7b) {
      if (++open > bracketsMax) return 'exceeded max depth';
    } else if (code === 0x5d || code === 0x7d) open = Math.max(0, open - 1);
    if (code !== 0x20 && code !== 0x09 && code !== 0x0a) continue;
    if (i > wordStart) {
      indicators = isIndicator(text, wordStart, i) ? indicators + 1 : 0;
      if (indicators > indicatorsMax) return 'exceeded max depth';
    }
    if (code === 0x0a) indicators = 0;
    wordStart = i + 1;
  }
  return undefined;
}

function isIndicator(text: string, start: number, end: number): boolean {
  const first = text[start] as string;
  return first === '!' || first === '&' || (end === start + 1 && (first === '-' || first === '?' || first === ':'));
}

/** Collections in one another. No kind is nested deeper than a few dozen. */
const depthMax = 128;

/** Thrown by `noDeeperThanAllowed`. */
export class TooDeep extends Error {}

/**
 * Passes on what the parser finds, up to its first error: one is enough, and a text can have as many as characters. `': ': ': ` and
 * the like nest without a bracket or an indicator. @throws TooDeep
 */
export function* noDeeperThanAllowed(tokens: Iterable<CST.Token>): Generator<CST.Token> {
  for (const token of tokens) {
    if (isTooDeep(token)) throw new TooDeep();
    yield token;
    if (token.type === 'error') return;
  }
}

/** Walks with a list of its own: the stack is what is to be spared. */
function isTooDeep(root: CST.Token): boolean {
  const waiting: { token: CST.Token; depth: number }[] = [{ token: root, depth: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { token, depth } = next;
    if (depth > depthMax) return true;
    const add = (inner: CST.Token | null | undefined): void => {
      if (inner) waiting.push({ token: inner, depth: depth + 1 });
    };
    if (token.type === 'document') add(token.value);
    else if ('items' in token) {
      for (const item of token.items) {
        add(item.key);
        add(item.value);
      }
    }
  }
  return false;
}
