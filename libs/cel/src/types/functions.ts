import type { Value } from '../values/value';
import type { Type, TypeKind } from './type';

/** One way to call a function. */
export interface Overload {
  /** As cel-go and the API server name it: costs go by it. */
  id: string;
  isMember: boolean;
  /** The receiver of a member first. */
  args: readonly Type[];
  result: Type;
  /** Names of the type parameters among them. */
  params: readonly string[];
  /** Its arguments are of the declared types. @throws EvaluationError */
  run: (...args: never[]) => Value;
}

export interface FunctionDecl {
  name: string;
  overloads: readonly Overload[];
  /**
   * Kinds of first operands that answer for themselves what else they go with: cel-go words a call of others in another way. Undefined:
   * the types of all operands are told.
   */
  answers?: readonly TypeKind[];
}

type Run = (...args: never[]) => Value;

export function overload(id: string, args: readonly Type[], result: Type, run: Run): Overload {
  return { id, isMember: false, args, result, params: paramsOf([...args, result]), run };
}

export function member(id: string, args: readonly Type[], result: Type, run: Run): Overload {
  return { ...overload(id, args, result, run), isMember: true };
}

export function define(name: string, ...overloads: Overload[]): FunctionDecl {
  return { name, overloads };
}

/** As `define`, where operands answer for themselves: see `answers`. */
export function defineAnswered(name: string, answers: readonly TypeKind[], ...overloads: Overload[]): FunctionDecl {
  return { name, overloads, answers };
}

/** Functions by name; declarations of one name are one function. */
export function functionTable(...libraries: readonly (readonly FunctionDecl[])[]): ReadonlyMap<string, FunctionDecl> {
  const table = new Map<string, FunctionDecl>();
  for (const { name, overloads, answers } of libraries.flat()) {
    const before = table.get(name);
    table.set(name, { name, overloads: [...(before?.overloads ?? []), ...overloads], answers: before?.answers ?? answers });
  }
  return table;
}

function paramsOf(types: readonly Type[]): string[] {
  const names = new Set<string>();
  const visit = (type: Type): void => {
    if (type.kind === 'param') names.add(type.name);
    type.params.forEach(visit);
  };
  types.forEach(visit);
  return [...names];
}
