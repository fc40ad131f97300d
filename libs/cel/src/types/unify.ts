import { dynType, isDynOrError, isSameType, Type } from './type';

/**
 * What type parameters stand for, as far as it is known. The rules of cel-go's checker: a parameter takes the most general of the
 * types it meets, `dyn` and errors go with anything, null goes with what is no plain value.
 */
export class Substitution {
  private bound = new Map<string, Type>();
  private fresh = 0;

  newParam(): Type {
    this.fresh += 1;
    return new Type('param', `_var${this.fresh - 1}`);
  }

  /** Whether `from` goes where `to` is asked for; if so, what that says of parameters is kept. */
  assign(from: Type, to: Type): boolean {
    return this.keepIf((bound) => assignable(bound, from, to));
  }

  assignAll(from: readonly Type[], to: readonly Type[]): boolean {
    return this.keepIf((bound) => allAssignable(bound, from, to));
  }

  /** The type with all that is known of its parameters. @param unboundIsDyn parameters nobody bound are `dyn` */
  resolve(type: Type, unboundIsDyn = false): Type {
    const found = type.kind === 'param' ? this.bound.get(type.name) : undefined;
    if (found) return this.resolve(found, unboundIsDyn);
    if (type.kind === 'param') return unboundIsDyn ? dynType : type;
    if (type.params.length === 0) return type;
    return new Type(
      type.kind,
      type.name,
      type.params.map((param) => this.resolve(param, unboundIsDyn)),
    );
  }

  private keepIf(test: (bound: Map<string, Type>) => boolean): boolean {
    const tried = new Map(this.bound);
    const passes = test(tried);
    if (passes) this.bound = tried;
    return passes;
  }
}

/** Types with parameters of their own names get fresh ones. */
export function instantiate(types: readonly Type[], params: readonly string[], substitution: Substitution): readonly Type[] {
  if (params.length === 0) return types;
  const fresh = new Map(params.map((name) => [name, substitution.newParam()]));
  const replace = (type: Type): Type => {
    if (type.kind === 'param') return fresh.get(type.name) ?? type;
    return type.params.length === 0 ? type : new Type(type.kind, type.name, type.params.map(replace));
  };
  return types.map(replace);
}

/** Of two types that go together, the one that says less. */
export function mostGeneral(a: Type, b: Type): Type {
  return saysNoMore(a, b) ? a : b;
}

function saysNoMore(a: Type, b: Type): boolean {
  if (a.kind === 'dyn' || a.kind === 'param') return true;
  if (b.kind === 'dyn' || b.kind === 'param') return false;
  if (a.kind !== b.kind) return false;
  switch (a.kind) {
    case 'opaque':
      return a.name === b.name && a.params.length === b.params.length && everyPair(a, b, saysNoMore);
    case 'list':
    case 'map':
      return everyPair(a, b, saysNoMore);
    case 'type':
      return true;
    default:
      return isSameType(a, b);
  }
}

function everyPair(a: Type, b: Type, test: (a: Type, b: Type) => boolean): boolean {
  return a.params.every((param, index) => test(param, b.params[index] as Type));
}

type Bound = Map<string, Type>;

function assignable(bound: Bound, from: Type, to: Type): boolean {
  if (to.kind === 'param') {
    const [isValid, isKnown] = substitutes(bound, from, to);
    if (isValid) return true;
    if (isKnown) return false;
  }
  if (from.kind === 'param') return substitutes(bound, to, from)[0];
  if (isDynOrError(from) || isDynOrError(to)) return true;
  if (from.kind === 'null') return takesNull(to);
  if (to.kind === 'null') return takesNull(from);
  switch (from.kind) {
    case 'type':
      return to.kind === 'type';
    case 'opaque':
    case 'list':
    case 'map':
      return from.kind === to.kind && from.name === to.name && allAssignable(bound, from.params, to.params);
    default:
      return isSameType(from, to);
  }
}

function allAssignable(bound: Bound, from: readonly Type[], to: readonly Type[]): boolean {
  return from.length === to.length && from.every((type, index) => assignable(bound, type, to[index] as Type));
}

function takesNull({ kind }: Type): boolean {
  return ['null', 'opaque', 'object', 'duration', 'timestamp'].includes(kind);
}

/** Whether the parameter may stand for the type, and whether it stood for something before. */
function substitutes(bound: Bound, type: Type, param: Type): [isValid: boolean, isKnown: boolean] {
  if (isSameType(type, param)) return [true, true];
  const known = bound.get(param.name);
  if (!known) {
    if (occursIn(bound, param, type)) return [false, false];
    bound.set(param.name, type);
    return [true, false];
  }
  if (isSameType(type, known)) return [true, true];
  if (!assignable(bound, type, known)) return [false, true];
  const general = mostGeneral(type, known);
  if (!occursIn(bound, param, general)) bound.set(param.name, general);
  return [true, true];
}

function occursIn(bound: Bound, param: Type, type: Type): boolean {
  if (isSameType(param, type)) return true;
  if (type.kind === 'param') {
    const known = bound.get(type.name);
    return known !== undefined && occursIn(bound, param, known);
  }
  return type.params.some((inner) => occursIn(bound, param, inner));
}
