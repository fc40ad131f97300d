import { NotSimulatedError } from '../process';
import type { Command, List, Piece, Pipeline, Redirect, Word } from './syntax';
import { isBlank, WordReader } from './words';

/** Characters of a script. */
const scriptMax = 64 * 1024;
/** Commands inside commands. */
const depthMax = 50;

const reserved = new Set(['then', 'else', 'elif', 'fi', 'do', 'done', 'esac', '}']);
const name = /^[A-Za-z_]\w*$/;

/**
 * A script of the shell as far as it is simulated: lists, pipes, redirections, `if`, loops, `case`, functions, substitutions.
 * @throws NotSimulatedError at anything else, and where it is no script
 */
export function parseScript(text: string): List {
  if (text.length > scriptMax) throw new NotSimulatedError('the script is too long');
  return new Parser(text).script();
}

class Parser extends WordReader {
  constructor(
    text: string,
    private depth = 0,
  ) {
    super(text);
  }

  script(): List {
    const list = this.list([]);
    if (this.at < this.text.length) this.fail();
    return list;
  }

  protected override parsed(text: string): List {
    return new Parser(text, this.depth).script();
  }

  protected override inner(end: string): List {
    const list = this.list([]);
    if (!this.take(end)) this.fail();
    return list;
  }

  protected override documentPieces(text: string): Piece[] {
    const pieces: Piece[] = [];
    new Parser(`${text}\0`).quoted(pieces, '\0');
    return pieces;
  }

  private list(ends: readonly string[]): List {
    if (++this.depth > depthMax) this.fail();
    const list: { when: ';' | '&&' | '||'; pipeline: Pipeline }[] = [];
    let when: ';' | '&&' | '||' = ';';
    for (;;) {
      this.skipLines();
      if (this.isListEnd(ends)) break;
      list.push({ when, pipeline: this.pipeline() });
      this.skipBlanks();
      if (this.take('&&')) when = '&&';
      else if (this.take('||')) when = '||';
      else {
        when = ';';
        if (this.text.startsWith(';;', this.at)) break;
        if (!this.take(';') && !this.take('\n') && !this.isListEnd(ends)) this.fail();
      }
      if (when !== ';') {
        this.skipLines();
        if (this.isListEnd(ends)) this.fail();
      }
    }
    this.depth--;
    return list;
  }

  private isListEnd(ends: readonly string[]): boolean {
    const next = this.text[this.at];
    if (next === undefined || next === ')' || next === '`' || this.text.startsWith(';;', this.at)) return true;
    const word = this.peekWord();
    if (ends.includes(word)) return true;
    if (reserved.has(word)) this.fail();
    return false;
  }

  private pipeline(): Pipeline {
    const isNegated = this.takeWord('!');
    const commands = [this.command()];
    for (this.skipBlanks(); this.text[this.at] === '|' && this.text[this.at + 1] !== '|'; this.skipBlanks()) {
      this.at++;
      this.skipLines();
      commands.push(this.command());
    }
    return { isNegated, commands };
  }

  private command(): Command {
    this.skipBlanks();
    const word = this.peekWord();
    if (this.text[this.at] === '(') {
      this.at++;
      const body = this.inner(')');
      return { kind: 'group', body, isSubshell: true, redirects: this.redirects() };
    }
    if (word === 'if') return this.branching();
    if (word === 'while' || word === 'until') return this.loop(word === 'until');
    if (word === 'for') return this.forLoop();
    if (word === 'case') return this.choice();
    if (word === '{') {
      this.takeWord('{');
      return { kind: 'group', body: this.until('}'), isSubshell: false, redirects: this.redirects() };
    }
    return this.simple();
  }

  /** The list up to a reserved word, and the word. */
  private until(end: string): List {
    const list = this.list([end]);
    if (list.length === 0 || !this.takeWord(end)) this.fail();
    return list;
  }

  private branching(): Command {
    const branches: { condition: List; body: List }[] = [];
    let otherwise: List | undefined;
    this.takeWord('if');
    for (;;) {
      const condition = this.until('then');
      branches.push({ condition, body: this.list(['elif', 'else', 'fi']) });
      if (!this.takeWord('elif')) break;
    }
    if (this.takeWord('else')) otherwise = this.list(['fi']);
    if (!this.takeWord('fi')) this.fail();
    return { kind: 'if', branches, otherwise, redirects: this.redirects() };
  }

  private loop(isUntil: boolean): Command {
    this.takeWord(isUntil ? 'until' : 'while');
    const condition = this.until('do');
    const body = this.until('done');
    return { kind: 'loop', isUntil, condition, body, redirects: this.redirects() };
  }

  private forLoop(): Command {
    this.takeWord('for');
    this.skipBlanks();
    const variable = this.peekWord();
    if (!name.test(variable)) this.fail();
    this.takeWord(variable);
    this.skipLines();
    let words: Word[] | undefined;
    if (this.takeWord('in')) {
      words = [];
      for (let word = this.word(); word; word = this.word()) words.push(word);
    }
    this.skipBlanks();
    this.take(';');
    this.skipLines();
    if (!this.takeWord('do')) this.fail();
    const body = this.until('done');
    return { kind: 'for', name: variable, words, body, redirects: this.redirects() };
  }

  private choice(): Command {
    this.takeWord('case');
    const word = this.word() ?? this.fail();
    this.skipLines();
    if (!this.takeWord('in')) this.fail();
    const branches: { patterns: Word[]; body: List }[] = [];
    for (this.skipLines(); !this.takeWord('esac'); this.skipLines()) {
      this.take('(');
      const patterns: Word[] = [];
      do patterns.push(this.word() ?? this.fail());
      while (this.takeAfterBlanks('|'));
      if (!this.takeAfterBlanks(')')) this.fail();
      branches.push({ patterns, body: this.list(['esac']) });
      this.take(';;');
    }
    return { kind: 'case', word, branches, redirects: this.redirects() };
  }

  private simple(): Command {
    const assignments: { name: string; value: Word }[] = [];
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (;;) {
      this.skipBlanks();
      const redirect = this.redirect();
      if (redirect) {
        redirects.push(redirect);
        continue;
      }
      const assigned = words.length === 0 ? /[A-Za-z_]\w*(?==)/y : undefined;
      if (assigned) assigned.lastIndex = this.at;
      const variable = assigned?.exec(this.text)?.[0];
      if (variable !== undefined) {
        this.at += variable.length + 1;
        assignments.push({ name: variable, value: isBlank(this.text[this.at]) ? [] : (this.word() ?? []) });
        continue;
      }
      const word = this.word();
      if (!word) break;
      words.push(word);
      if (words.length === 1 && /^\s*\(\s*\)/.test(this.text.slice(this.at, this.at + 20))) return this.definition(word);
    }
    if (words.length + assignments.length + redirects.length === 0) this.fail();
    return { kind: 'simple', assignments, words, redirects };
  }

  private definition([piece]: Word): Command {
    if (piece?.kind !== 'text' || !name.test(piece.text)) this.fail();
    this.at = this.text.indexOf(')', this.at) + 1;
    this.skipLines();
    const body = this.command();
    return { kind: 'function', name: (piece as { text: string }).text, body, redirects: [] };
  }

  private redirects(): Redirect[] {
    const found: Redirect[] = [];
    for (this.skipBlanks(); ; this.skipBlanks()) {
      const redirect = this.redirect();
      if (!redirect) return found;
      found.push(redirect);
    }
  }

  private redirect(): Redirect | undefined {
    const start = /(&>|(\d?)(<<-?|>>|>&|<&|[<>]))/y;
    start.lastIndex = this.at;
    const match = start.exec(this.text);
    if (!match) return undefined;
    this.at = start.lastIndex;
    const [, all, digit, operation] = match;
    if (all === '&>') return { descriptor: 1, operation: '&>', target: this.target() };
    if (operation?.startsWith('<<')) return { descriptor: 0, operation: '<<', target: this.hereDocument(operation === '<<-') };
    if (operation === '<&') return this.fail();
    const descriptor = digit ? Number(digit) : operation === '<' ? 0 : 1;
    if (descriptor > 2) return this.fail();
    return { descriptor, operation: operation as Redirect['operation'], target: this.target() };
  }

  private target(): Word {
    this.skipBlanks();
    return this.word() ?? this.fail();
  }
}
