import type { Value } from '../values/value';

/** An expression after macros are expanded. `at`: where it is told of, in code points. */
export type Expr = Literal | Ident | Select | Call | ListExpr | MapExpr | StructExpr | Comprehension;

interface Node {
  at: number;
}
export interface Literal extends Node {
  kind: 'literal';
  value: Value;
}
export interface Ident extends Node {
  kind: 'ident';
  name: string;
}
export interface Select extends Node {
  kind: 'select';
  operand: Expr;
  field: string;
  /** `has(operand.field)` */
  isTest: boolean;
}
export interface Call extends Node {
  kind: 'call';
  name: string;
  target: Expr | undefined;
  args: Expr[];
}
export interface ListExpr extends Node {
  kind: 'list';
  elements: Expr[];
  /** Places of the elements written `?x`. */
  optional: ReadonlySet<number>;
}
export interface Entry extends Node {
  key: Expr;
  value: Expr;
  isOptional: boolean;
}
export interface MapExpr extends Node {
  kind: 'map';
  entries: Entry[];
}
export interface Field extends Node {
  name: string;
  value: Expr;
  isOptional: boolean;
}
export interface StructExpr extends Node {
  kind: 'struct';
  typeName: string;
  fields: Field[];
}
/** What `all`, `map` and the like become: a fold over `range`. */
export interface Comprehension extends Node {
  kind: 'comprehension';
  range: Expr;
  /** Element of a list or key of a map; with `second` index or key. */
  variable: string;
  /** Element or value, of macros with two variables. */
  second: string | undefined;
  accumulator: string;
  initial: Expr;
  condition: Expr;
  step: Expr;
  result: Expr;
}

/** Names of operators as functions, as cel-go writes them in its messages. */
export const operators = {
  conditional: '_?_:_',
  and: '_&&_',
  or: '_||_',
  not: '!_',
  negate: '-_',
  equals: '_==_',
  notEquals: '_!=_',
  add: '_+_',
  subtract: '_-_',
  multiply: '_*_',
  divide: '_/_',
  modulo: '_%_',
  less: '_<_',
  lessEquals: '_<=_',
  greater: '_>_',
  greaterEquals: '_>=_',
  in: '@in',
  index: '_[_]',
  optionalIndex: '_[?_]',
  optionalSelect: '_?._',
  notStrictlyFalse: '@not_strictly_false',
} as const;

/** `a.b.c` as a name; undefined where it is not written so. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.isTest) return undefined;
  const operand = qualifiedName(expr.operand);
  return operand === undefined ? undefined : `${operand}.${expr.field}`;
}

/** Each expression below, itself included, outer ones first. */
export function* walk(expr: Expr): Generator<Expr> {
  yield expr;
  for (const child of childrenOf(expr)) yield* walk(child);
}

export function childrenOf(expr: Expr): Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target ? [expr.target, ...expr.args] : expr.args;
    case 'list':
      return expr.elements;
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return expr.fields.map(({ value }) => value);
    case 'comprehension':
      return [expr.range, expr.initial, expr.condition, expr.step, expr.result];
  }
}
