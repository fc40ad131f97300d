// The `until` expressions of set-up entries: the small part of Python in which they are written, over `j` (the parsed answer)
// and `status`. Names, strings, numbers, True/False/None, [], {} subscripts, .get, ==, !=, <, <=, >, >=, in, not, and, or,
// len/all/any/sum over generator expressions.
type Value = unknown;
type Scope = ReadonlyMap<string, Value>;
type Node = (scope: Scope) => Value;

const tokens = /\s*(?:(\d+(?:\.\d+)?)|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([A-Za-z_]\w*)|(==|!=|<=|>=|[()[\].,<>]))/y;

interface Token {
  kind: 'number' | 'string' | 'name' | 'sign';
  text: string;
}

function tokenize(text: string): Token[] {
  const found: Token[] = [];
  tokens.lastIndex = 0;
  while (tokens.lastIndex < text.trimEnd().length) {
    const at = tokens.lastIndex;
    const match = tokens.exec(text);
    if (match === null) throw new Error(`cannot read the condition at ${JSON.stringify(text.slice(at))}`);
    const [, number, single, double, name, sign] = match;
    if (number !== undefined) found.push({ kind: 'number', text: number });
    else if (name !== undefined) found.push({ kind: 'name', text: name });
    else if (sign !== undefined) found.push({ kind: 'sign', text: sign });
    else found.push({ kind: 'string', text: single ?? double ?? '' });
  }
  return found;
}

const isObject = (value: Value): value is Record<string, Value> => typeof value === 'object' && value !== null && !Array.isArray(value);

const truth = (value: Value): boolean =>
  Array.isArray(value) ? value.length > 0 : isObject(value) ? Object.keys(value).length > 0 : Boolean(value);

function member(owner: Value, key: Value): Value {
  if (isObject(owner) && typeof key === 'string' && Object.hasOwn(owner, key)) return owner[key];
  if (Array.isArray(owner) && typeof key === 'number' && key < owner.length) return owner[key];
  throw new Error(`no ${JSON.stringify(key)} there`);
}

const contains = (owner: Value, key: Value): boolean =>
  Array.isArray(owner) ? owner.includes(key) : isObject(owner) ? Object.hasOwn(owner, String(key)) : String(owner).includes(String(key));

const comparisons: Readonly<Record<string, (a: Value, b: Value) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => Number(a) < Number(b),
  '<=': (a, b) => Number(a) <= Number(b),
  '>': (a, b) => Number(a) > Number(b),
  '>=': (a, b) => Number(a) >= Number(b),
  in: (a, b) => contains(b, a),
};

const sizeOf = (value: Value): number => (isObject(value) ? Object.keys(value).length : (value as string | Value[]).length);

const functions: Readonly<Record<string, (value: Value) => Value>> = {
  len: sizeOf,
  all: (value) => (value as Value[]).every(truth),
  any: (value) => (value as Value[]).some(truth),
  sum: (value) => (value as Value[]).reduce((total: number, one) => total + Number(one), 0),
};

const constants: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['True', true],
  ['False', false],
  ['None', null],
]);

class Parser {
  private at = 0;
  private readonly list: readonly Token[];

  constructor(list: readonly Token[]) {
    this.list = list;
  }

  whole(): Node {
    const node = this.or();
    if (this.at < this.list.length) throw new Error(`unexpected ${this.list[this.at]?.text}`);
    return node;
  }

  private accept(text: string): boolean {
    const token = this.list[this.at];
    if (token === undefined || token.kind === 'string' || token.text !== text) return false;
    this.at += 1;
    return true;
  }

  private expect(text: string): void {
    if (!this.accept(text)) throw new Error(`expected ${text}, found ${this.list[this.at]?.text ?? 'the end'}`);
  }

  private or(): Node {
    let left = this.and();
    while (this.accept('or')) {
      const [a, b] = [left, this.and()];
      left = (scope) => (truth(a(scope)) ? a(scope) : b(scope));
    }
    return left;
  }

  private and(): Node {
    let left = this.not();
    while (this.accept('and')) {
      const [a, b] = [left, this.not()];
      left = (scope) => (truth(a(scope)) ? b(scope) : a(scope));
    }
    return left;
  }

  private not(): Node {
    if (!this.accept('not')) return this.comparison();
    const inner = this.not();
    return (scope) => !truth(inner(scope));
  }

  private comparison(): Node {
    const left = this.postfix();
    for (const [sign, compare] of Object.entries(comparisons)) {
      if (!this.accept(sign)) continue;
      const right = this.postfix();
      return (scope) => compare(left(scope), right(scope));
    }
    return left;
  }

  private postfix(): Node {
    let node = this.atom();
    for (;;) {
      const owner = node;
      if (this.accept('[')) {
        const key = this.or();
        this.expect(']');
        node = (scope) => member(owner(scope), key(scope));
      } else if (this.accept('.')) {
        this.expect('get');
        this.expect('(');
        const key = this.or();
        const otherwise: Node = this.accept(',') ? this.or() : () => null;
        this.expect(')');
        node = (scope) => (contains(owner(scope), key(scope)) ? member(owner(scope), key(scope)) : otherwise(scope));
      } else return node;
    }
  }

  private atom(): Node {
    if (this.accept('(')) {
      const inner = this.or();
      this.expect(')');
      return inner;
    }
    if (this.accept('[')) {
      this.expect(']');
      return () => [];
    }
    const token = this.list[this.at];
    if (token === undefined || token.kind === 'sign') throw new Error(`unexpected ${token?.text ?? 'end'}`);
    this.at += 1;
    if (token.kind === 'number') return () => Number(token.text);
    if (token.kind === 'string') return () => token.text;
    const call = functions[token.text];
    if (call !== undefined && this.accept('(')) return this.argument(call);
    if (constants.has(token.text)) return () => constants.get(token.text);
    return (scope) => {
      if (!scope.has(token.text)) throw new Error(`unknown name ${token.text}`);
      return scope.get(token.text);
    };
  }

  /** `len(x)`, `all(e for c in x if y)`; the generator may have parentheses of its own. */
  private argument(call: (value: Value) => Value): Node {
    const wrapped = this.list[this.at]?.text === '(' && this.closesBeforeEnd();
    if (wrapped) this.expect('(');
    const first = this.or();
    let node = first;
    if (this.accept('for')) {
      const name = this.list[this.at]?.text ?? '';
      this.at += 1;
      this.expect('in');
      const source = this.postfix();
      const filter: Node = this.accept('if') ? this.or() : () => true;
      node = (scope) =>
        (source(scope) as Value[])
          .map((value) => new Map([...scope, [name, value]]))
          .filter((inner) => truth(filter(inner)))
          .map((inner) => first(inner));
    }
    if (wrapped) this.expect(')');
    this.expect(')');
    return (scope) => call(node(scope));
  }

  /** Whether the parenthesis here is closed right before the call's own. */
  private closesBeforeEnd(): boolean {
    let depth = 0;
    for (let index = this.at; index < this.list.length; index += 1) {
      const { kind, text } = this.list[index] ?? { kind: 'sign', text: '' };
      if (kind !== 'sign') continue;
      if (text === '(') depth += 1;
      if (text === ')') depth -= 1;
      if (depth === 0) return this.list[index + 1]?.text === ')';
    }
    return false;
  }
}

/** Compiles an expression; throws when it is written in more of Python than is known here. A member that is absent means false. */
export function condition(text: string): (j: unknown, status: number) => boolean {
  const node = new Parser(tokenize(text)).whole();
  return (j, status) => {
    try {
      return truth(
        node(
          new Map<string, Value>([
            ['j', j],
            ['status', status],
          ]),
        ),
      );
    } catch {
      return false;
    }
  };
}
