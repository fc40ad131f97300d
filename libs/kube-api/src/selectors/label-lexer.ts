/** Kinds of token in a label selector's text; identifiers are whatever is neither blank nor a special character. */
export type TokenKind = 'identifier' | 'in' | 'notin' | '=' | '==' | '!=' | '!' | '>' | '<' | ',' | '(' | ')' | 'end' | 'error';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const special = new Set('=!(),><');
const symbols = new Set<string>(['=', '==', '!=', '!', '>', '<', ',', '(', ')']);
const blank = new Set(' \t\r\n');
const end: Token = { kind: 'end', text: '' };

/** The text as tokens; the longest run of special characters that is a symbol wins. */
export function tokens(text: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text[at] as string;
    if (blank.has(character)) {
      at++;
      continue;
    }
    const start = at;
    if (special.has(character)) {
      let symbol = '';
      while (at < text.length && special.has(text[at] as string)) {
        const longer = symbol + text[at];
        if (symbols.has(longer)) symbol = longer;
        else if (symbols.has(symbol)) break;
        at++;
      }
      found.push({ kind: symbol as TokenKind, text: symbol });
      continue;
    }
    while (at < text.length && !special.has(text[at] as string) && !blank.has(text[at] as string)) at++;
    const word = text.slice(start, at);
    found.push({ kind: word === 'in' || word === 'notin' ? word : 'identifier', text: word });
  }
  found.push(end);
  return found;
}
