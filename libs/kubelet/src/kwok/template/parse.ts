import { piecesOf, TemplateError, tokensOf, type Piece, type Token } from './tokens';

/** What gives a value: a constant, a variable, a field of what stands before it, a call, or the dot. */
export type Expression =
  | { kind: 'value'; value: unknown }
  | { kind: 'dot' }
  | { kind: 'variable'; name: string }
  | { kind: 'field'; of: Expression; name: string }
  | { kind: 'call'; name: string; args: Expression[] };

export type Node =
  | { kind: 'text'; text: string }
  | { kind: 'print'; value: Expression }
  | { kind: 'set'; name: string; value: Expression; isNew: boolean }
  | { kind: 'if' | 'with'; value: Expression; name?: string; then: Node[]; otherwise: Node[] }
  | { kind: 'range'; value: Expression; names: string[]; then: Node[]; otherwise: Node[] };

/** Reads a template in Go's language. @throws TemplateError */
export function parseTemplate(template: string): Node[] {
  const parser = new Parser(piecesOf(template));
  const { nodes, end } = parser.block(0);
  if (end !== undefined) throw new TemplateError(`${end.word} has no beginning`);
  return nodes;
}

/** How deep blocks and parentheses go. */
const depthMax = 100;

interface BlockEnd {
  word: 'end' | 'else';
  rest: Token[];
}

class Parser {
  private place = 0;

  constructor(private readonly pieces: readonly Piece[]) {}

  /** Nodes up to the `end` or `else` of the block, or to the end of the template. */
  block(depth: number): { nodes: Node[]; end?: BlockEnd } {
    if (depth > depthMax) throw new TemplateError('goes too deep');
    const nodes: Node[] = [];
    while (this.place < this.pieces.length) {
      const piece = this.pieces[this.place++] as Piece;
      if ('text' in piece) nodes.push({ kind: 'text', text: piece.text });
      else if (!piece.action.startsWith('/*')) {
        const [first, ...rest] = tokensOf(piece.action);
        const word = first?.kind === 'name' ? first.text : '';
        if (word === 'end' || word === 'else') return { nodes, end: { word, rest } };
        if (word === 'if' || word === 'with' || word === 'range') nodes.push(this.control(word, rest, depth));
        else if (first) nodes.push(plainNode([first, ...rest]));
      }
    }
    return { nodes };
  }

  private control(word: 'if' | 'with' | 'range', tokens: Token[], depth: number): Node {
    const { names, value } = bound(tokens);
    const { nodes: then, end } = this.block(depth + 1);
    if (!end) throw new TemplateError(`${word} has no end`);
    const otherwise = end.word === 'else' ? this.otherwise(end.rest, depth) : [];
    if (word === 'range') return { kind: 'range', value, names, then, otherwise };
    return { kind: word, value, ...(names[0] === undefined ? {} : { name: names[0] }), then, otherwise };
  }

  private otherwise(rest: Token[], depth: number): Node[] {
    const [first, ...more] = rest;
    if (first?.kind === 'name' && (first.text === 'if' || first.text === 'with')) return [this.control(first.text, more, depth + 1)];
    if (first) throw new TemplateError('else cannot be read');
    const { nodes, end } = this.block(depth + 1);
    if (end?.word !== 'end') throw new TemplateError('else has no end');
    return nodes;
  }
}

function plainNode(tokens: Token[]): Node {
  const [first, second] = tokens;
  if (first?.kind === 'variable' && second?.kind === 'sign' && (second.text === ':=' || second.text === '='))
    return { kind: 'set', name: first.text, value: expressionOf(tokens.slice(2)), isNew: second.text === ':=' };
  return { kind: 'print', value: expressionOf(tokens) };
}

/** `$index, $item := PIPELINE`, `$item := PIPELINE`, or a pipeline alone. */
function bound(tokens: Token[]): { names: string[]; value: Expression } {
  const sign = tokens.findIndex((token) => token.kind === 'sign' && token.text === ':=');
  const names = tokens.slice(0, Math.max(0, sign)).flatMap((token) => (token.kind === 'variable' ? [token.text] : []));
  return { names, value: expressionOf(tokens.slice(sign + 1)) };
}

function expressionOf(tokens: readonly Token[]): Expression {
  const reader = new ExpressionReader(tokens);
  const value = reader.pipeline(0);
  if (!reader.isOver) throw new TemplateError('has something left over');
  return value;
}

class ExpressionReader {
  private place = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  get isOver(): boolean {
    return this.place >= this.tokens.length;
  }

  /** Commands; what one gives is the last argument of the next. */
  pipeline(depth: number): Expression {
    if (depth > depthMax) throw new TemplateError('goes too deep');
    let value = this.command(depth);
    while (this.takes('|')) {
      const next = this.command(depth);
      if (next.kind !== 'call') throw new TemplateError('a value is handed to what is no function');
      value = { ...next, args: [...next.args, value] };
    }
    return value;
  }

  private command(depth: number): Expression {
    const token = this.tokens[this.place];
    if (token?.kind !== 'name') return this.operand(depth);
    this.place++;
    const args: Expression[] = [];
    for (let next = this.tokens[this.place]; next && !(next.kind === 'sign' && next.text !== '('); next = this.tokens[this.place])
      args.push(this.operand(depth));
    return { kind: 'call', name: token.text, args };
  }

  private operand(depth: number): Expression {
    const token = this.tokens[this.place++];
    if (!token) throw new TemplateError('a value is missing');
    if (token.kind === 'value') return token;
    if (token.kind === 'name') return { kind: 'call', name: token.text, args: [] };
    if (token.kind === 'field')
      return token.text === '' ? { kind: 'dot' } : this.fields({ kind: 'field', of: { kind: 'dot' }, name: token.text });
    if (token.kind === 'variable') return this.fields({ kind: 'variable', name: token.text });
    if (token.text !== '(') throw new TemplateError(`${token.text} stands where a value belongs`);
    const value = this.pipeline(depth + 1);
    if (!this.takes(')')) throw new TemplateError('a parenthesis has no end');
    return this.fields(value);
  }

  /** Fields stand close to what they are of; a field that stands apart is an argument of its own. */
  private fields(value: Expression): Expression {
    let result = value;
    for (let next = this.tokens[this.place]; next?.kind === 'field' && next.text !== '' && next.isClose; next = this.tokens[this.place]) {
      result = { kind: 'field', of: result, name: next.text };
      this.place++;
    }
    return result;
  }

  private takes(sign: string): boolean {
    const token = this.tokens[this.place];
    const isHere = token?.kind === 'sign' && token.text === sign;
    if (isHere) this.place++;
    return isHere;
  }
}
