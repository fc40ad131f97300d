import { Source, type Issue } from '../source';
import { Uint } from '../values/value';
import { operators, type Entry, type Expr, type Field } from './ast';
import { expandMacro, type MacroContext } from './macros';
import { UnescapeError, unescapeBytes, unescapeString } from './string-literals';
import { expressionStart, TokenStream } from './token-stream';
import { tokenize, type Token, type TokenKind } from './tokens';

const reserved = new Set([
  'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop', 'package', 'namespace', 'return', 'var',
  'void', 'while',
]); // prettier-ignore

const relations: ReadonlyMap<TokenKind, string> = new Map<TokenKind, string>([
  ['<', operators.less], ['<=', operators.lessEquals], ['>=', operators.greaterEquals], ['>', operators.greater], ['==', operators.equals],
  ['!=', operators.notEquals], ['in', operators.in],
]); // prettier-ignore
const sums: ReadonlyMap<TokenKind, string> = new Map<TokenKind, string>([['+', operators.add], ['-', operators.subtract]]); // prettier-ignore
const products: ReadonlyMap<TokenKind, string> = new Map<TokenKind, string>([
  ['*', operators.multiply], ['/', operators.divide], ['%', operators.modulo],
]); // prettier-ignore

/** The expression is too deep to be read on: what is wrong is among the issues. */
class TooDeep extends Error {}

/** Deeper expressions than this are refused; so are longer texts. cel-go's limits, as the API server has them. */
const depthMax = 250;
const codePointsMax = 100_000;

/** The expression of a text with its macros expanded; undefined where `issues` say what is wrong with it. */
export function parse(source: Source, issues: Issue[], hasBindings = false): Expr | undefined {
  if (source.codePoints.length > codePointsMax) {
    const message = `expression code point size exceeds limit: size: ${source.codePoints.length}, limit ${codePointsMax}`;
    issues.push({ message, offset: undefined });
    return undefined;
  }
  try {
    const expr = new Parser(source, issues, hasBindings).parse();
    return issues.length > 0 ? undefined : expr;
  } catch (error) {
    if (error instanceof TooDeep) return undefined;
    throw error;
  }
}

class Parser implements MacroContext {
  private readonly tokens: TokenStream;
  private depth = 0;

  constructor(
    source: Source,
    private readonly issues: Issue[],
    readonly hasBindings: boolean,
  ) {
    const between = (from: Token, to: Token): string => source.codePoints.slice(from.at, to.at).join('') + to.text;
    this.tokens = new TokenStream(tokenize(source, issues), issues, between);
  }

  parse(): Expr {
    const expr = this.expression();
    this.tokens.match('EOF');
    return expr;
  }

  report(offset: number, message: string): Expr {
    this.issues.push({ message, offset });
    return { kind: 'literal', value: null, at: offset };
  }

  /** What stands one after the other becomes a tree as deep as it is long. */
  private deeper(depth: number): number {
    if (depth < depthMax) return depth + 1;
    this.issues.push({ message: 'max recursion depth exceeded', offset: undefined });
    throw new TooDeep();
  }

  /** Stands where something cannot be read. */
  private nothing(): Expr {
    return { kind: 'literal', value: null, at: this.tokens.next.at };
  }

  private expression(): Expr {
    this.depth += 1;
    if (this.depth > depthMax) {
      this.issues.push({ message: `expression recursion limit exceeded: ${depthMax}`, offset: undefined });
      throw new TooDeep();
    }
    const condition = this.logical(operators.or, '||', () => this.logical(operators.and, '&&', () => this.relation()));
    const op = this.tokens.takeIf('?');
    if (!op) {
      this.depth -= 1;
      return condition;
    }
    const middle = this.tokens.within([':'], () =>
      this.logical(operators.or, '||', () => this.logical(operators.and, '&&', () => this.relation())),
    );
    // Where the colon is missing nothing of what follows is read.
    const otherwise = this.tokens.match(':', []) ? this.expression() : middle;
    this.depth -= 1;
    return this.call(op.at, operators.conditional, undefined, [condition, middle, otherwise]);
  }

  /** `a && b && c` as a balanced tree: evaluation and messages go by it. */
  private logical(name: string, sign: '&&' | '||', term: () => Expr): Expr {
    const terms = [term()];
    const places: number[] = [];
    for (let op = this.tokens.takeIf(sign); op; op = this.tokens.takeIf(sign)) {
      places.push(op.at);
      terms.push(term());
    }
    const tree = (low: number, high: number): Expr => {
      if (low > high) return terms[low] as Expr;
      const middle = (low + high + 1) >> 1;
      const args = [tree(low, middle - 1), middle === high ? (terms[middle + 1] as Expr) : tree(middle + 1, high)];
      return { kind: 'call', name, target: undefined, args, at: places[middle] as number };
    };
    return tree(0, places.length - 1);
  }

  private relation(): Expr {
    return this.binary(relations, () => this.binary(sums, () => this.binary(products, () => this.unary())));
  }

  private binary(names: ReadonlyMap<TokenKind, string>, operand: () => Expr): Expr {
    let left = operand();
    let depth = 0;
    for (let name = names.get(this.tokens.next.kind); name !== undefined; name = names.get(this.tokens.next.kind)) {
      const { at } = this.tokens.take();
      depth = this.deeper(depth);
      left = { kind: 'call', name, target: undefined, args: [left, operand()], at };
    }
    return left;
  }

  private unary(): Expr {
    if (!this.tokens.choose(expressionStart)) return this.nothing();
    const first = this.tokens.next;
    if (first.kind !== '!' && first.kind !== '-') return this.member();
    const isNumber = ['NUM_INT', 'NUM_FLOAT'].includes(this.tokens.at(1).kind);
    if (first.kind === '-' && isNumber) return this.member();
    let count = 0;
    while (this.tokens.next.kind === first.kind) {
      this.tokens.take();
      count += 1;
    }
    if (!this.tokens.choose(first.kind === '!' ? expressionStart : expressionStart.filter((kind) => kind !== '!'))) return this.nothing();
    const operand = this.member();
    if (count % 2 === 0) return operand;
    const name = first.kind === '!' ? operators.not : operators.negate;
    return { kind: 'call', name, target: undefined, args: [operand], at: first.at };
  }

  private member(): Expr {
    let operand = this.primary();
    for (let depth = 0; ; depth = this.deeper(depth)) {
      const { kind, at } = this.tokens.next;
      if (kind === '.') operand = this.selection(operand, at);
      else if (kind === '[') {
        this.tokens.take();
        const isOptional = this.tokens.takeIf('?') !== undefined;
        const index = this.tokens.within([']'], () => this.expression());
        this.tokens.match(']');
        const name = isOptional ? operators.optionalIndex : operators.index;
        operand = { kind: 'call', name, target: undefined, args: [operand, index], at };
      } else return operand;
    }
  }

  private selection(operand: Expr, at: number): Expr {
    const after = this.tokens.at(1).kind;
    if (after !== 'IDENTIFIER' && after !== 'ESC_IDENTIFIER' && after !== '?') {
      this.tokens.noWayOn(1);
      return operand;
    }
    this.tokens.take();
    const isOptional = this.tokens.takeIf('?') !== undefined;
    if (isOptional && !this.tokens.choose(['IDENTIFIER', 'ESC_IDENTIFIER'])) return operand;
    const name = this.fieldName();
    if (isOptional) {
      const field: Expr = { kind: 'literal', value: name.text, at: name.at };
      return { kind: 'call', name: operators.optionalSelect, target: undefined, args: [operand, field], at };
    }
    const open = name.kind === 'IDENTIFIER' ? this.tokens.takeIf('(') : undefined;
    return open ? this.call(open.at, name.text, operand, this.args()) : { kind: 'select', operand, field: name.text, isTest: false, at };
  }

  /** Backticks are no syntax of the API server. */
  private fieldName(): Token {
    const name = this.tokens.take();
    if (name.kind === 'ESC_IDENTIFIER') this.report(name.at, "unsupported syntax: '`'");
    return name;
  }

  private primary(): Expr {
    const { kind, at } = this.tokens.next;
    if (kind === '(') {
      this.tokens.take();
      const inner = this.tokens.within([')'], () => this.expression());
      this.tokens.match(')');
      return inner;
    }
    if (kind === '[') return this.list();
    if (kind === '{') return { kind: 'map', entries: this.entries(), at };
    if (kind === '.' || kind === 'IDENTIFIER') return this.name();
    return this.literal();
  }

  private name(): Expr {
    const dot = this.tokens.next.kind === '.' ? 1 : 0;
    if (this.tokens.at(dot).kind !== 'IDENTIFIER') {
      this.tokens.noWayOn(1);
      return this.nothing();
    }
    const start = this.tokens.next.at;
    let ahead = dot + 1;
    while (this.tokens.at(ahead).kind === '.' && this.tokens.at(ahead + 1).kind === 'IDENTIFIER') ahead += 2;
    if (this.tokens.at(ahead).kind === '{') return this.message(ahead);
    const prefix = this.tokens.takeIf('.') ? '.' : '';
    const ident = this.tokens.take();
    const open = this.tokens.takeIf('(');
    if (reserved.has(ident.text)) {
      if (open) this.args();
      return this.report(start, `reserved identifier: ${ident.text}`);
    }
    if (open) return this.call(open.at, prefix + ident.text, undefined, this.args());
    return { kind: 'ident', name: prefix + ident.text, at: ident.at };
  }

  private message(length: number): Expr {
    let typeName = '';
    for (let taken = 0; taken < length; taken += 1) typeName += this.tokens.take().text;
    const { at } = this.tokens.take();
    const fields: Field[] = [];
    while (this.tokens.next.kind !== '}') {
      const isOptional = this.tokens.takeIf('?') !== undefined;
      if (!this.tokens.choose(['IDENTIFIER', 'ESC_IDENTIFIER'])) break;
      const { text } = this.fieldName();
      const colon = this.tokens.match(':');
      if (!colon) break;
      fields.push({ name: text, value: this.tokens.within([',', '}'], () => this.expression()), isOptional, at: colon.at });
      if (!this.tokens.choose([',', '}']) || !this.tokens.takeIf(',')) break;
    }
    this.tokens.match('}');
    return { kind: 'struct', typeName, fields, at };
  }

  private list(): Expr {
    const { at } = this.tokens.take();
    const elements: Expr[] = [];
    const optional = new Set<number>();
    const isGood = this.tokens.choose([...expressionStart, '?', ',', ']']);
    while (isGood && this.tokens.next.kind !== ']' && this.tokens.next.kind !== ',') {
      if (this.tokens.takeIf('?')) optional.add(elements.length);
      elements.push(this.tokens.within([',', ']'], () => this.expression()));
      if (!this.tokens.choose([',', ']']) || this.tokens.at(1).kind === ']' || !this.tokens.takeIf(',')) break;
    }
    this.tokens.takeIf(',');
    this.tokens.match(']');
    return { kind: 'list', elements, optional, at };
  }

  private entries(): Entry[] {
    this.tokens.take();
    const entries: Entry[] = [];
    const isGood = this.tokens.choose([...expressionStart, '?', ',', '}']);
    while (isGood && this.tokens.next.kind !== '}' && this.tokens.next.kind !== ',') {
      const isOptional = this.tokens.takeIf('?') !== undefined;
      const key = this.tokens.within([':'], () => this.expression());
      const colon = this.tokens.match(':');
      if (!colon) break;
      entries.push({ key, value: this.tokens.within([',', '}'], () => this.expression()), isOptional, at: colon.at });
      if (!this.tokens.choose([',', '}']) || this.tokens.at(1).kind === '}' || !this.tokens.takeIf(',')) break;
    }
    this.tokens.takeIf(',');
    this.tokens.match('}');
    return entries;
  }

  private args(): Expr[] {
    const args: Expr[] = [];
    if (this.tokens.choose([...expressionStart, ')']) && this.tokens.next.kind !== ')')
      do args.push(this.tokens.within([',', ')'], () => this.expression()));
      while (this.tokens.takeIf(','));
    this.tokens.match(')');
    return args;
  }

  private call(at: number, name: string, target: Expr | undefined, args: Expr[]): Expr {
    return expandMacro(this, at, name, target, args) ?? { kind: 'call', name, target, args, at };
  }

  private literal(): Expr {
    const { at } = this.tokens.next;
    const sign = this.tokens.takeIf('-') ? '-' : '';
    const { kind, text } = this.tokens.take();
    switch (kind) {
      case 'NUM_INT':
        return this.integer(at, sign, text, 'int');
      case 'NUM_UINT':
        return this.integer(at, sign, text.slice(0, -1), 'uint');
      case 'NUM_FLOAT':
        return Number.isFinite(Number(text))
          ? { kind: 'literal', value: Number(sign + text), at }
          : this.report(at, 'invalid double literal');
      case 'STRING':
        return this.unescaped(at, () => unescapeString(text));
      case 'BYTES':
        return this.unescaped(at, () => unescapeBytes(text));
      default:
        return { kind: 'literal', value: kind === 'null' ? null : kind === 'true', at };
    }
  }

  private integer(at: number, sign: string, text: string, type: 'int' | 'uint'): Expr {
    const value = sign === '-' ? -BigInt(text) : BigInt(text);
    const fits = type === 'int' ? BigInt.asIntN(64, value) === value : BigInt.asUintN(64, value) === value;
    if (!fits) return this.report(at, `invalid ${type} literal`);
    return { kind: 'literal', value: type === 'int' ? value : new Uint(value), at };
  }

  private unescaped(at: number, read: () => string | Uint8Array): Expr {
    try {
      return { kind: 'literal', value: read(), at };
    } catch (error) {
      if (error instanceof UnescapeError) return this.report(at, error.message);
      throw error;
    }
  }
}
