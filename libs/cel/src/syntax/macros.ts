import { operators, type Comprehension, type Expr } from './ast';

/** Names the fold's result, where no text can name it. */
export const accumulator = '@result';
const accumulatorOfOld = '__result__';
const unused = '#unused';

export const hiddenFunctions = { mapInsert: 'cel.@mapInsert' } as const;

export interface MacroContext {
  /** Tells an issue at a place, and stands something in for what could not be expanded. */
  report(offset: number, message: string): Expr;
  readonly hasBindings: boolean;
}

type Expand = (make: Maker, target: Expr, args: readonly Expr[]) => Expr;

/** Makes what a macro becomes: all of it is told of where the macro's bracket opens. */
class Maker {
  constructor(
    readonly context: MacroContext,
    private readonly at: number,
  ) {}

  literal(value: boolean | bigint): Expr {
    return { kind: 'literal', value, at: this.at };
  }
  ident(name: string): Expr {
    return { kind: 'ident', name, at: this.at };
  }
  call(name: string, ...args: Expr[]): Expr {
    return { kind: 'call', name, target: undefined, args, at: this.at };
  }
  member(name: string, target: Expr): Expr {
    return { kind: 'call', name, target, args: [], at: this.at };
  }
  list(...elements: Expr[]): Expr {
    return { kind: 'list', elements, optional: new Set(), at: this.at };
  }
  map(): Expr {
    return { kind: 'map', entries: [], at: this.at };
  }
  fold(parts: Pick<Comprehension, 'range' | 'variable' | 'second' | 'initial' | 'condition' | 'step'> & Partial<Comprehension>): Expr {
    return { kind: 'comprehension', accumulator, result: this.ident(accumulator), ...parts, at: this.at };
  }
  test(operand: Expr, field: string): Expr {
    return { kind: 'select', operand, field, isTest: true, at: this.at };
  }
}

const accu = (make: Maker): Expr => make.ident(accumulator);

type Quantify = (make: Maker, predicate: Expr) => Pick<Comprehension, 'initial' | 'condition' | 'step'> & Partial<Comprehension>;

const all: Quantify = (make, predicate) => ({
  initial: make.literal(true),
  condition: make.call(operators.notStrictlyFalse, accu(make)),
  step: make.call(operators.and, accu(make), predicate),
});
const exists: Quantify = (make, predicate) => ({
  initial: make.literal(false),
  condition: make.call(operators.notStrictlyFalse, make.call(operators.not, accu(make))),
  step: make.call(operators.or, accu(make), predicate),
});
const existsOne: Quantify = (make, predicate) => ({
  initial: make.literal(0n),
  condition: make.literal(true),
  step: make.call(operators.conditional, predicate, make.call(operators.add, accu(make), make.literal(1n)), accu(make)),
  result: make.call(operators.equals, accu(make), make.literal(1n)),
});

/** A step that adds what `filter` lets through. */
function collect(make: Maker, filter: Expr | undefined, step: Expr): Expr {
  return filter ? make.call(operators.conditional, filter, step, accu(make)) : step;
}

const quantifier =
  (quantify: Quantify): Expand =>
  (make, range, [name, predicate]) =>
    withVariable(make, name as Expr, 'argument must be a simple name', (variable) =>
      make.fold({ range, variable, second: undefined, ...quantify(make, predicate as Expr) }),
    );

const notIdentifier = 'argument is not an identifier';
const mapMacro: Expand = (make, range, args) =>
  withVariable(make, args[0] as Expr, notIdentifier, (variable) => {
    const step = make.call(operators.add, accu(make), make.list(args.at(-1) as Expr));
    const parts = {
      initial: make.list(),
      condition: make.literal(true),
      step: collect(make, args.length === 3 ? args[1] : undefined, step),
    };
    return make.fold({ range, variable, second: undefined, ...parts });
  });
const filterMacro: Expand = (make, range, [name, predicate]) =>
  withVariable(make, name as Expr, notIdentifier, (variable) => {
    const step = collect(make, predicate, make.call(operators.add, accu(make), make.list(name as Expr)));
    return make.fold({ range, variable, second: undefined, initial: make.list(), condition: make.literal(true), step });
  });

const twoVariableQuantifier =
  (quantify: Quantify): Expand =>
  (make, range, [first, second, predicate]) =>
    withVariables(make, first as Expr, second as Expr, (names) => make.fold({ range, ...names, ...quantify(make, predicate as Expr) }));

/** `transformList`, `transformMap`, `transformMapEntry`, with a filter before the last argument or without. */
const transform =
  (initial: (make: Maker) => Expr, add: (make: Maker, key: string, transformed: Expr) => Expr): Expand =>
  (make, range, args) =>
    withVariables(make, args[0] as Expr, args[1] as Expr, (names) => {
      const step = collect(make, args.length === 4 ? args[2] : undefined, add(make, names.variable, args.at(-1) as Expr));
      return make.fold({ range, ...names, initial: initial(make), condition: make.literal(true), step });
    });
const transformList = transform(
  (make) => make.list(),
  (make, _key, value) => make.call(operators.add, accu(make), make.list(value)),
);
const transformMap = transform(
  (make) => make.map(),
  (make, key, value) => make.call(hiddenFunctions.mapInsert, accu(make), make.ident(key), value),
);
const transformMapEntry = transform(
  (make) => make.map(),
  (make, _key, entry) => make.call(hiddenFunctions.mapInsert, accu(make), entry),
);

/** `optMap` and `optFlatMap`: a fold over nothing that gives its variable the optional's value. */
const optionalMap =
  (name: string, wrap: (make: Maker, mapped: Expr) => Expr): Expand =>
  (make, target, [variable, mapped]) => {
    if (variable?.kind !== 'ident')
      return make.context.report((variable as Expr).at, `${name}() variable name must be a simple identifier`);
    const bound = make.fold({
      range: make.list(),
      variable: unused,
      second: undefined,
      accumulator: variable.name,
      initial: make.member('value', target),
      condition: make.literal(false),
      step: make.ident(variable.name),
      result: mapped as Expr,
    });
    return make.call(operators.conditional, make.member('hasValue', target), wrap(make, bound), make.call('optional.none'));
  };

const macros: ReadonlyMap<string, Expand> = new Map<string, Expand>([
  ['all/2', quantifier(all)],
  ['exists/2', quantifier(exists)],
  ['exists_one/2', quantifier(existsOne)],
  ['existsOne/2', quantifier(existsOne)],
  ['map/2', mapMacro],
  ['map/3', mapMacro],
  ['filter/2', filterMacro],
  ['all/3', twoVariableQuantifier(all)],
  ['exists/3', twoVariableQuantifier(exists)],
  ['exists_one/3', twoVariableQuantifier(existsOne)],
  ['existsOne/3', twoVariableQuantifier(existsOne)],
  ['transformList/3', transformList],
  ['transformList/4', transformList],
  ['transformMap/3', transformMap],
  ['transformMap/4', transformMap],
  ['transformMapEntry/3', transformMapEntry],
  ['transformMapEntry/4', transformMapEntry],
  ['optMap/2', optionalMap('optMap', (make, mapped) => make.call('optional.of', mapped))],
  ['optFlatMap/2', optionalMap('optFlatMap', (_make, mapped) => mapped)],
]);

/** `cel.bind(name, value, expression)` */
const bind: Expand = (make, _target, [variable, value, expression]) => {
  if (variable?.kind !== 'ident') return make.context.report((variable as Expr).at, 'cel.bind() variable names must be simple identifiers');
  return make.fold({
    range: make.list(),
    variable: unused,
    second: undefined,
    accumulator: variable.name,
    initial: value as Expr,
    condition: make.literal(false),
    step: make.ident(variable.name),
    result: expression as Expr,
  });
};

/** What a call becomes if it is a macro (`has`, `all`, `map` …); undefined: it is a call. */
export function expandMacro(context: MacroContext, at: number, name: string, target: Expr | undefined, args: Expr[]): Expr | undefined {
  const make = new Maker(context, at);
  if (!target) {
    const [tested] = args;
    if (name !== 'has' || args.length !== 1 || !tested) return undefined;
    if (tested.kind !== 'select') return context.report(tested.at, 'invalid argument to has() macro');
    return make.test(tested.operand, tested.field);
  }
  if (context.hasBindings && name === 'bind' && args.length === 3 && target.kind === 'ident' && target.name === 'cel')
    return bind(make, target, args);
  return macros.get(`${name}/${args.length}`)?.(make, target, args);
}

function withVariable(make: Maker, expr: Expr, otherwise: string, expand: (name: string) => Expr): Expr {
  if (expr.kind !== 'ident') return make.context.report(expr.at, otherwise);
  if (isAccumulator(expr.name)) return make.context.report(expr.at, 'iteration variable overwrites accumulator variable');
  return expand(expr.name);
}

function withVariables(make: Maker, first: Expr, second: Expr, expand: (names: { variable: string; second: string }) => Expr): Expr {
  const simple = 'argument must be a simple name';
  if (first.kind !== 'ident') return make.context.report(first.at, simple);
  if (second.kind !== 'ident') return make.context.report(second.at, simple);
  if (first.name === second.name) return make.context.report(second.at, `duplicate variable name: ${first.name}`);
  return withVariable(make, first, simple, (variable) => withVariable(make, second, simple, (name) => expand({ variable, second: name })));
}

function isAccumulator(name: string): boolean {
  return name === accumulator || name === accumulatorOfOld;
}
