import type { Issue } from '../source';
import { tokenKinds, type Token, type TokenKind } from './tokens';

/** The text cannot be read on: what is wrong is among the issues. */
export class SyntaxStop extends Error {}

/** What an expression may begin with. */
export const expressionStart: readonly TokenKind[] = [
  '[', '{', '(', '.', '-', '!', 'true', 'false', 'null', 'NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES', 'IDENTIFIER',
]; // prettier-ignore
/** What may go on after a complete operand, whatever it stands in. */
const goingOn: readonly TokenKind[] = ['.', '[', '*', '/', '%', '+', '-', '==', '!=', '<', '<=', '>', '>=', 'in', '&&', '||', '?'];

const named = new Set<string>(['NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES', 'IDENTIFIER', 'ESC_IDENTIFIER']);

/** `'a'`, IDENTIFIER, <EOF>; several in braces, in the order of the grammar. */
function expecting(kinds: readonly TokenKind[]): string {
  const ordered = tokenKinds
    .filter((kind) => kinds.includes(kind))
    .map((kind) => (named.has(kind) ? kind : kind === 'EOF' ? '<EOF>' : `'${kind}'`));
  return ordered.length === 1 ? (ordered[0] as string) : `{${ordered.join(', ')}}`;
}

const quoted = (text: string): string => `'${text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}'`;
const shown = ({ text }: Token): string => quoted(text);

/**
 * Tokens with the recoveries of the parser that cel-go is generated with (ANTLR's default strategy): one token too many is passed over,
 * one that is missing is supposed, and both are told; anything else stops.
 */
export class TokenStream {
  private index = 0;
  /** What ends the brackets and the like that are open, innermost last. */
  private readonly closers: (readonly TokenKind[])[] = [['EOF']];

  constructor(
    private readonly tokens: readonly Token[],
    private readonly issues: Issue[],
    private readonly textBetween: (from: Token, to: Token) => string,
  ) {}

  get next(): Token {
    return this.at(0);
  }

  at(ahead: number): Token {
    return this.tokens[Math.min(this.index + ahead, this.tokens.length - 1)] as Token;
  }

  /** Reads within brackets that one of `closers` ends. */
  within<T>(closers: readonly TokenKind[], read: () => T): T {
    this.closers.push(closers);
    try {
      return read();
    } finally {
      this.closers.pop();
    }
  }

  take(): Token {
    const token = this.next;
    this.index += 1;
    return token;
  }

  takeIf(kind: TokenKind): Token | undefined {
    return this.next.kind === kind ? this.take() : undefined;
  }

  /** One of several things has to come now. */
  choose(kinds: readonly TokenKind[]): void {
    if (kinds.includes(this.next.kind)) return;
    if (!kinds.includes(this.at(1).kind)) this.mismatch(kinds);
    this.tell(`extraneous input ${shown(this.next)} expecting ${expecting(kinds)}`);
    this.take();
  }

  /** This token has to come now, and nothing else can. */
  match(kind: TokenKind): Token {
    if (this.next.kind === kind) return this.take();
    if (this.at(1).kind === kind) {
      this.tell(`extraneous input ${shown(this.next)} expecting ${expecting([kind])}`);
      this.take();
      return this.take();
    }
    if (this.mayComeAfter(kind)) {
      this.tell(`missing ${expecting([kind])} at ${shown(this.next)}`);
      return { kind, text: `<missing ${expecting([kind])}>`, at: this.next.at };
    }
    return this.mismatch([kind]);
  }

  mismatch(kinds: readonly TokenKind[]): never {
    this.tell(`mismatched input ${shown(this.next)} expecting ${expecting(kinds)}`);
    throw new SyntaxStop();
  }

  /** None of several ways to go on from `from` fits what comes at `ahead`. */
  noWayOn(ahead: number): never {
    const offending = this.at(ahead);
    const reserved = ahead === 1 && ['true', 'false', 'null'].includes(offending.kind);
    const input = this.textBetween(this.next, offending);
    const message = reserved
      ? `mismatched input ${shown(offending)} expecting IDENTIFIER`
      : `no viable alternative at input ${quoted(input)}`;
    this.tell(message, offending);
    throw new SyntaxStop();
  }

  private tell(message: string, { at }: Token = this.next): void {
    this.issues.push({ message: `Syntax error: ${message}`, offset: at });
  }

  private mayComeAfter(kind: TokenKind): boolean {
    const outer = this.closers.at(-2) ?? ['EOF'];
    if (kind === ':') return expressionStart.includes(this.next.kind);
    return (kind === ')' || kind === ']' || kind === '}') && (goingOn.includes(this.next.kind) || outer.includes(this.next.kind));
  }
}
