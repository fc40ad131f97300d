import { NotSimulatedError } from '../process';

interface Numbers {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
}

const levels: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['|'],
  ['^'],
  ['&'],
  ['==', '!='],
  ['<=', '>=', '<', '>'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
];

/** Value of `$((…))`: whole numbers and variables. @throws NotSimulatedError where it is none */
export function numberOf(text: string, variables: Numbers): number {
  const tokens = text.match(/\d+|[A-Za-z_]\w*|\+\+|--|<<|>>|&&|\|\||[-+*/%]=|[<>=!]=|[-+*/%<>=!~&|^?:()]|\S/g) ?? [];
  const reader = new Reader(tokens, variables);
  const value = tokens.length === 0 ? 0 : reader.assignment();
  reader.end();
  return value;
}

class Reader {
  private at = 0;

  constructor(
    private readonly tokens: readonly string[],
    private readonly variables: Numbers,
  ) {}

  end(): void {
    if (this.at < this.tokens.length) throw new NotSimulatedError('an expression that is not understood');
  }

  assignment(): number {
    const [name, operation] = [this.tokens[this.at], this.tokens[this.at + 1]];
    if (name === undefined || !/^[A-Za-z_]/.test(name) || !/^([-+*/%]?=)$/.test(operation ?? '')) return this.choice();
    this.at += 2;
    const right = this.assignment();
    const value = operation === '=' ? right : operate((operation as string)[0] as string, this.variable(name), right);
    this.variables.set(name, String(value));
    return value;
  }

  private choice(): number {
    const condition = this.binary(0);
    if (this.tokens[this.at] !== '?') return condition;
    this.at++;
    const yes = this.assignment();
    this.expect(':');
    const no = this.assignment();
    return condition === 0 ? no : yes;
  }

  private binary(level: number): number {
    const operations = levels[level];
    if (!operations) return this.unary();
    let left = this.binary(level + 1);
    while (operations.includes(this.tokens[this.at] as string)) {
      const operation = this.tokens[this.at++] as string;
      left = operate(operation, left, this.binary(level + 1));
    }
    return left;
  }

  private unary(): number {
    const token = this.tokens[this.at++];
    if (token === '-') return -this.unary();
    if (token === '+') return this.unary();
    if (token === '!') return this.unary() === 0 ? 1 : 0;
    if (token === '~') return ~this.unary();
    if (token === '(') {
      const value = this.assignment();
      this.expect(')');
      return value;
    }
    if (token === '++' || token === '--') return this.change(this.tokens[this.at++] ?? '', token);
    if (token === undefined || !/^\w/.test(token)) throw new NotSimulatedError('an expression that is not understood');
    if (/^\d/.test(token)) return token.startsWith('0') ? Number.parseInt(token, 8) || 0 : Number(token);
    const next = this.tokens[this.at];
    if (next !== '++' && next !== '--') return this.variable(token);
    this.at++;
    const old = this.variable(token);
    this.change(token, next);
    return old;
  }

  private change(name: string, operation: string): number {
    const value = this.variable(name) + (operation === '++' ? 1 : -1);
    this.variables.set(name, String(value));
    return value;
  }

  private variable(name: string): number {
    return Math.trunc(Number(this.variables.get(name) ?? 0)) || 0;
  }

  private expect(token: string): void {
    if (this.tokens[this.at++] !== token) throw new NotSimulatedError('an expression that is not understood');
  }
}

function operate(operation: string, left: number, right: number): number {
  const truth = (value: boolean): number => (value ? 1 : 0);
  switch (operation) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
    case '%':
      if (right === 0) throw new NotSimulatedError('division by zero');
      return operation === '/' ? Math.trunc(left / right) : left % right;
    case '<<':
      return left << right;
    case '>>':
      return left >> right;
    case '<':
      return truth(left < right);
    case '>':
      return truth(left > right);
    case '<=':
      return truth(left <= right);
    case '>=':
      return truth(left >= right);
    case '==':
      return truth(left === right);
    case '!=':
      return truth(left !== right);
    case '&':
      return left & right;
    case '|':
      return left | right;
    case '^':
      return left ^ right;
    case '&&':
      return truth(left !== 0 && right !== 0);
    default:
      return truth(left !== 0 || right !== 0);
  }
}
