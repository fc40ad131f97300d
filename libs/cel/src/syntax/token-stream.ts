import type { Issue } from '../source';
import { tokenKinds, type Token, type TokenKind } from './tokens';

/** What an expression may begin with. */
export const expressionStart: readonly TokenKind[] = [
  '[', '{', '(', '.', '-', '!', 'true', 'false', 'null', 'NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES', 'IDENTIFIER',
]; // prettier-ignore
/** What may come after an operand with all that is selected of it, and after an operand: whatever it stands in. */
const operatorFollow: readonly TokenKind[] = ['*', '/', '%', '+', '-', '==', '!=', '<', '<=', '>', '>=', 'in', '&&', '||', '?'];
const operandFollow: readonly TokenKind[] = ['.', '[', ...operatorFollow];

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
 * one that is missing is supposed; after anything else all is passed over that cannot come next. Each is told, but nothing more until a
 * token is taken again.
 */
export class TokenStream {
  private index = 0;
  private isRecovering = false;
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
    this.isRecovering = false;
    return token;
  }

  takeIf(kind: TokenKind): Token | undefined {
    return this.next.kind === kind ? this.take() : undefined;
  }

  /** One of several things has to come now. False: none did, and what can come next comes now. */
  choose(kinds: readonly TokenKind[]): boolean {
    if (kinds.includes(this.next.kind)) return true;
    if (kinds.includes(this.at(1).kind)) {
      this.tell(`extraneous input ${shown(this.next)} expecting ${expecting(kinds)}`);
      this.index += 1;
      return true;
    }
    this.mismatch(kinds, operandFollow);
    return false;
  }

  /** This token has to come now, and nothing else can. Undefined: it did not, and what can come next comes now. */
  match(kind: TokenKind, follow: readonly TokenKind[] = operandFollow): Token | undefined {
    if (this.next.kind === kind) return this.take();
    if (this.at(1).kind === kind) {
      this.tell(`extraneous input ${shown(this.next)} expecting ${expecting([kind])}`);
      this.index += 1;
      return this.take();
    }
    if (this.mayComeAfter(kind)) {
      this.tell(`missing ${expecting([kind])} at ${shown(this.next)}`);
      return { kind, text: '', at: this.next.at };
    }
    this.mismatch([kind], follow);
    return undefined;
  }

  /** None of several ways to go on from here fits what comes at `ahead`. */
  noWayOn(ahead: number): void {
    const offending = this.at(ahead);
    const reserved = ahead === 1 && ['true', 'false', 'null'].includes(offending.kind);
    const input = this.textBetween(this.next, offending);
    const message = reserved
      ? `mismatched input ${shown(offending)} expecting IDENTIFIER`
      : `no viable alternative at input ${quoted(input)}`;
    this.tell(message, offending);
    this.recover(operatorFollow);
  }

  private mismatch(kinds: readonly TokenKind[], follow: readonly TokenKind[]): void {
    this.tell(`mismatched input ${shown(this.next)} expecting ${expecting(kinds)}`);
    this.recover(follow);
  }

  private recover(follow: readonly TokenKind[]): void {
    this.isRecovering = true;
    const stops = new Set([...follow, ...this.closers.flat()]);
    while (this.next.kind !== 'EOF' && !stops.has(this.next.kind)) this.index += 1;
  }

  private tell(message: string, { at }: Token = this.next): void {
    if (!this.isRecovering) this.issues.push({ message: `Syntax error: ${message}`, offset: at });
    this.isRecovering = true;
  }

  private mayComeAfter(kind: TokenKind): boolean {
    const outer = this.closers.at(-1) ?? ['EOF'];
    if (kind === ':') return expressionStart.includes(this.next.kind);
    return (kind === ')' || kind === ']' || kind === '}') && (operandFollow.includes(this.next.kind) || outer.includes(this.next.kind));
  }
}
