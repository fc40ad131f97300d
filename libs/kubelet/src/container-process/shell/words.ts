import { NotSimulatedError } from '../process';
import type { List, Piece, Word } from './syntax';

export function isBlank(character: string | undefined): boolean {
  return character === undefined || /[\s;&|()<>]/.test(character);
}

const operations = [':-', ':=', ':+', ':?', '##', '%%', '-', '=', '+', '?', '#', '%'] as const;

/** Reads the words of a script: quotes, variables, substitutions. */
export abstract class WordReader {
  protected at = 0;
  /** Documents (`<<END`) that begin with the next line. */
  private documents: { end: string; isLiteral: boolean; cutsTabs: boolean; pieces: Piece[] }[] = [];

  constructor(protected readonly text: string) {}

  protected abstract parsed(text: string): List;

  /** The script up to this end, and the end. */
  protected abstract inner(end: string): List;

  protected fail(): never {
    throw new NotSimulatedError(`the shell does not understand the script at character ${this.at + 1}`);
  }

  protected take(expected: string): boolean {
    if (!this.text.startsWith(expected, this.at)) return false;
    if (expected === ';' && this.text[this.at + 1] === ';') return false;
    this.at += expected.length;
    if (expected === '\n') this.readDocuments();
    return true;
  }

  protected takeAfterBlanks(expected: string): boolean {
    this.skipBlanks();
    return this.take(expected);
  }

  protected skipBlanks(): void {
    for (;;) {
      const next = this.text[this.at];
      if (next === ' ' || next === '\t' || next === '\r') this.at++;
      else if (next === '\\' && this.text[this.at + 1] === '\n') this.at += 2;
      else if (next === '#') while (this.at < this.text.length && this.text[this.at] !== '\n') this.at++;
      else return;
    }
  }

  protected skipLines(): void {
    do this.skipBlanks();
    while (this.take('\n'));
  }

  /** The plain word that begins here. */
  protected peekWord(): string {
    const word = /[^\s;&|()<>"'`$\\]+/y;
    word.lastIndex = this.at;
    const found = word.exec(this.text)?.[0] ?? '';
    return isBlank(this.text[this.at + found.length]) ? found : '';
  }

  protected takeWord(word: string): boolean {
    this.skipBlanks();
    if (this.peekWord() !== word) return false;
    this.at += word.length;
    return true;
  }

  protected word(): Word | undefined {
    this.skipBlanks();
    const pieces: Piece[] = [];
    const start = this.at;
    while (!isBlank(this.text[this.at])) this.piece(pieces);
    return this.at === start ? undefined : pieces;
  }

  private piece(pieces: Piece[]): void {
    const next = this.text[this.at] as string;
    if (next === "'") {
      const end = this.text.indexOf("'", this.at + 1);
      if (end < 0) this.fail();
      pieces.push({ kind: 'text', text: this.text.slice(this.at + 1, end), isQuoted: true });
      this.at = end + 1;
    } else if (next === '"') {
      this.at++;
      this.quoted(pieces, '"');
    } else if (next === '\\') {
      if (this.text[this.at + 1] !== '\n') pieces.push({ kind: 'text', text: this.text[this.at + 1] ?? '', isQuoted: true });
      this.at += 2;
    } else if (next === '$' || next === '`') this.substitution(pieces, false);
    else {
      const plain = /[^\s;&|()<>"'`$\\]+/y;
      plain.lastIndex = this.at;
      const text = plain.exec(this.text)?.[0] ?? this.fail();
      pieces.push({ kind: 'text', text, isQuoted: false });
      this.at += text.length;
    }
  }

  protected quoted(pieces: Piece[], end: string): void {
    let text = '';
    const push = (): void => {
      pieces.push({ kind: 'text', text, isQuoted: true });
      text = '';
    };
    for (;;) {
      const next = this.text[this.at];
      if (next === undefined) this.fail();
      if (next === end) break;
      if (next === '\\' && /[$`"\\\n]/.test(this.text[this.at + 1] ?? '')) {
        if (this.text[this.at + 1] !== '\n') text += this.text[this.at + 1];
        this.at += 2;
      } else if (next === '$' || next === '`') {
        push();
        this.substitution(pieces, true);
      } else {
        text += next;
        this.at++;
      }
    }
    this.at++;
    push();
  }

  private substitution(pieces: Piece[], isQuoted: boolean): void {
    if (this.take('`')) pieces.push({ kind: 'command', script: this.backQuoted(), isQuoted });
    else if (this.take('$((')) pieces.push({ kind: 'number', expression: this.arithmetic(), isQuoted });
    else if (this.take('$(')) pieces.push({ kind: 'command', script: this.inner(')'), isQuoted });
    else if (this.take('${')) pieces.push(this.braced(isQuoted));
    else {
      const variable = /\$([A-Za-z_]\w*|[0-9@*#?$!-])/y;
      variable.lastIndex = this.at;
      const name = variable.exec(this.text)?.[1];
      pieces.push(name === undefined ? { kind: 'text', text: '$', isQuoted: true } : { kind: 'variable', name, isQuoted });
      this.at += 1 + (name?.length ?? 0);
    }
  }

  private backQuoted(): List {
    const inside = /(?:[^`\\]|\\[^])*/y;
    inside.lastIndex = this.at;
    const text = inside.exec(this.text)?.[0] ?? '';
    this.at += text.length;
    if (!this.take('`')) this.fail();
    return this.parsed(text.replace(/\\([`$\\])/g, '$1'));
  }

  private braced(isQuoted: boolean): Piece {
    const isLength = /^#\w/.test(this.text.slice(this.at, this.at + 2));
    if (isLength) this.at++;
    const variable = /[A-Za-z_]\w*|[0-9@*#?$!-]/y;
    variable.lastIndex = this.at;
    const name = variable.exec(this.text)?.[0] ?? this.fail();
    this.at += name.length;
    if (this.take('}')) return isLength ? { kind: 'length', name, isQuoted } : { kind: 'variable', name, isQuoted };
    const operation = operations.find((each) => this.text.startsWith(each, this.at)) ?? this.fail();
    this.at += operation.length;
    const word: Piece[] = [];
    while (this.text[this.at] !== '}') {
      if (this.text[this.at] === undefined) this.fail();
      else if (/[\s;&|()<>]/.test(this.text[this.at] as string)) {
        word.push({ kind: 'text', text: this.text[this.at++] as string, isQuoted: true });
      } else if (this.text[this.at] === '$' || this.text[this.at] === '"' || this.text[this.at] === "'" || this.text[this.at] === '\\')
        this.piece(word);
      else word.push({ kind: 'text', text: this.text[this.at++] as string, isQuoted });
    }
    this.at++;
    return { kind: 'variable', name, operation, word, isQuoted };
  }

  private arithmetic(): Word {
    const pieces: Piece[] = [];
    let depth = 0;
    while (depth > 0 || !this.text.startsWith('))', this.at)) {
      const next = this.text[this.at];
      if (next === undefined) this.fail();
      if (next === '$' || next === '`') {
        this.substitution(pieces, true);
        continue;
      }
      depth += next === '(' ? 1 : next === ')' ? -1 : 0;
      pieces.push({ kind: 'text', text: next as string, isQuoted: true });
      this.at++;
    }
    this.at += 2;
    return pieces;
  }

  /** `<<END`: what stands between the next line and END. */
  protected hereDocument(cutsTabs: boolean): Word {
    const end = this.word() ?? this.fail();
    const isLiteral = end.some(({ isQuoted }) => isQuoted);
    const pieces: Piece[] = [];
    this.documents.push({
      end: end.map((piece) => (piece.kind === 'text' ? piece.text : this.fail())).join(''),
      isLiteral,
      cutsTabs,
      pieces,
    });
    return pieces;
  }

  private readDocuments(): void {
    for (const { end, isLiteral, cutsTabs, pieces } of this.documents.splice(0)) {
      const lines: string[] = [];
      for (;;) {
        if (this.at >= this.text.length) break;
        const newline = this.text.indexOf('\n', this.at);
        const stop = newline < 0 ? this.text.length : newline;
        const line = cutsTabs ? this.text.slice(this.at, stop).replace(/^\t+/, '') : this.text.slice(this.at, stop);
        this.at = Math.min(stop + 1, this.text.length);
        if (line === end) break;
        lines.push(`${line}\n`);
      }
      const text = lines.join('');
      if (isLiteral) pieces.push({ kind: 'text', text, isQuoted: true });
      else pieces.push(...this.documentPieces(text));
    }
  }

  /** Variables and substitutions stand in a document as between double quotes. */
  protected abstract documentPieces(text: string): Piece[];
}
