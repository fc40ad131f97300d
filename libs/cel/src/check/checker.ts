import type { Issue } from '../source';
import {
  operators,
  qualifiedName,
  type Call,
  type Comprehension,
  type Expr,
  type ListExpr,
  type MapExpr,
  type Select,
  type StructExpr,
} from '../syntax/ast';
import type { Environment } from '../environment';
import type { FunctionDecl } from '../types/functions';
import {
  boolType,
  dynType,
  errorType,
  heldType,
  intType,
  isDynOrError,
  isSameType,
  listOf,
  mapOf,
  optionalOf,
  stringType,
  Type,
} from '../types/type';
import { messages, type Message } from '../library/messages';
import { typeOfValue } from '../values/value';
import { instantiate, mostGeneral, Substitution } from '../types/unify';

/** What is known of an expression once it is checked. */
export interface Checked {
  expr: Expr;
  types: ReadonlyMap<Expr, Type>;
  /** Overloads that a call may be, as far as its types are known. */
  overloads: ReadonlyMap<Expr, readonly string[]>;
  /** What an identifier or `a.b.c` names: a variable, or a type. */
  references: ReadonlyMap<Expr, string>;
}

/** The types of an expression by the rules of cel-go's checker; what is wrong is added to `issues`. */
export function check(expr: Expr, environment: Environment, issues: Issue[]): Checked {
  const checker = new Checker(environment, issues);
  return checker.run(expr);
}

class Checker {
  private readonly types = new Map<Expr, Type>();
  private readonly overloads = new Map<Expr, string[]>();
  private readonly references = new Map<Expr, string>();
  private readonly substitution = new Substitution();
  private readonly scopes: Map<string, Type>[] = [];

  constructor(
    private readonly environment: Environment,
    private readonly issues: Issue[],
  ) {}

  run(expr: Expr): Checked {
    this.check(expr);
    for (const [node, type] of this.types) this.types.set(node, this.substitution.resolve(type, true));
    return { expr, types: this.types, overloads: this.overloads, references: this.references };
  }

  private check(expr: Expr): Type {
    const type = this.typeOf(expr);
    this.types.set(expr, type);
    return type;
  }

  private typeOf(expr: Expr): Type {
    switch (expr.kind) {
      case 'literal':
        return typeOfValue(expr.value);
      case 'ident':
        return this.nameOf(expr, expr.name) ?? this.undeclared(expr, expr.name);
      case 'select':
        return this.select(expr);
      case 'call':
        return this.call(expr);
      case 'list':
        return this.list(expr);
      case 'map':
        return this.map(expr);
      case 'struct':
        return this.struct(expr);
      case 'comprehension':
        return this.comprehension(expr);
    }
  }

  private report(expr: { at: number }, message: string): void {
    this.issues.push({ message, offset: expr.at });
  }

  private undeclared(expr: Expr, name: string): Type {
    this.report(expr, `undeclared reference to '${name}' (in container '')`);
    return errorType;
  }

  private mismatch(expr: Expr, expected: Type, actual: Type): void {
    this.report(expr, `expected type '${expected}' but found '${actual}'`);
  }

  /** The type of a variable or type of this name, innermost first; it is noted what was meant. */
  private nameOf(expr: Expr, written: string): Type | undefined {
    const name = written.startsWith('.') ? written.slice(1) : written;
    let type: Type | undefined;
    for (let index = this.scopes.length - 1; index >= 0 && !type; index -= 1) type = this.scopes[index]?.get(name);
    type ??= this.environment.typeOfName(name);
    if (type) this.references.set(expr, name);
    return type;
  }

  private select(expr: Select): Type {
    const name = qualifiedName(expr);
    const named = name === undefined ? undefined : this.nameOf(expr, name);
    if (named) return named;
    const type = this.field(expr, expr.operand, expr.field, false);
    return expr.isTest ? boolType : this.substitution.resolve(type);
  }

  private field(expr: Expr, operand: Expr, field: string, isOptional: boolean): Type {
    const operandType = this.substitution.resolve(this.check(operand));
    const held = heldType(operandType);
    const type = this.fieldOf(expr, held ?? operandType, field);
    return held || isOptional ? optionalOf(type) : type;
  }

  private fieldOf(expr: Expr, type: Type, field: string): Type {
    switch (type.kind) {
      case 'map':
        return type.params[1] as Type;
      case 'object': {
        const found = this.environment.typeOfField(type.name, field);
        if (found) return found;
        this.report(
          expr,
          this.environment.hasObject(type.name) ? `undefined field '${field}'` : `unexpected failed resolution of '${type.name}'`,
        );
        return errorType;
      }
      case 'param':
        this.substitution.assign(dynType, type);
        return dynType;
      default:
        if (!isDynOrError(type)) this.report(expr, `type '${type}' does not support field selection`);
        return dynType;
    }
  }

  private call(expr: Call): Type {
    const { name, args, target } = expr;
    if (name === operators.optionalSelect && !target) return this.optionalSelect(expr);
    for (const arg of args) this.check(arg);
    if (!target) {
      const found = this.environment.functions.get(name.replace(/^\./, ''));
      return found ? this.resolve(expr, found, undefined) : this.undeclared(expr, name);
    }
    const prefix = qualifiedName(target);
    const namespaced = prefix === undefined ? undefined : this.environment.functions.get(`${prefix.replace(/^\./, '')}.${name}`);
    if (namespaced) {
      expr.name = namespaced.name;
      expr.target = undefined;
      return this.resolve(expr, namespaced, undefined);
    }
    this.check(target);
    const found = this.environment.functions.get(name);
    return found ? this.resolve(expr, found, target) : this.undeclared(expr, name);
  }

  private optionalSelect(expr: Call): Type {
    const [operand, field] = expr.args as [Expr, Expr];
    const name = field.kind === 'literal' ? String(field.value) : '';
    this.types.set(field, stringType);
    this.overloads.set(expr, ['select_optional_field']);
    return this.substitution.resolve(this.field(expr, operand, name, true));
  }

  /** The overloads that the arguments may mean; the result is of the type they agree on. */
  private resolve(expr: Call, declared: FunctionDecl, target: Expr | undefined): Type {
    const operands = target ? [target, ...expr.args] : expr.args;
    const given = operands.map((operand) => this.types.get(operand) as Type);
    if (expr.name === operators.and || expr.name === operators.or) return this.logical(expr, declared, given);
    let result: Type | undefined;
    const ids: string[] = [];
    for (const overload of declared.overloads) {
      if (overload.isMember !== (target !== undefined)) continue;
      const [declaredResult, ...asked] = instantiate([overload.result, ...overload.args], overload.params, this.substitution) as [
        Type,
        ...Type[],
      ];
      if (!this.substitution.assignAll(given, asked)) continue;
      ids.push(overload.id);
      const type = this.substitution.resolve(declaredResult);
      if (!result) result = type;
      else if (result.kind !== 'dyn' && !isSameType(type, result)) result = dynType;
    }
    if (!result) return this.noOverload(expr, declared.name, given, target !== undefined);
    this.overloads.set(expr, ids);
    return result;
  }

  private logical(expr: Call, declared: FunctionDecl, given: readonly Type[]): Type {
    let isWrong = false;
    for (const [index, type] of given.entries()) {
      if (this.substitution.assign(type, boolType)) continue;
      this.mismatch(expr.args[index] as Expr, boolType, type);
      isWrong = true;
    }
    this.overloads.set(expr, [declared.overloads[0]?.id as string]);
    return isWrong ? errorType : boolType;
  }

  private noOverload(expr: Expr, name: string, given: readonly Type[], isMember: boolean): Type {
    const types = given.map((type) => this.substitution.resolve(type, true).toString());
    const receiver = isMember ? `${types.shift() as string}.` : '';
    this.report(expr, `found no matching overload for '${name}' applied to '${receiver}(${types.join(', ')})'`);
    return errorType;
  }

  private list(expr: ListExpr): Type {
    let type: Type | undefined;
    for (const [index, element] of expr.elements.entries()) {
      const given = this.check(element);
      type = this.join(type, expr.optional.has(index) ? this.unwrap(element, given) : given);
    }
    return listOf(type ?? this.substitution.newParam());
  }

  private map(expr: MapExpr): Type {
    let keyType: Type | undefined;
    let valueType: Type | undefined;
    for (const { key, value, isOptional } of expr.entries) {
      keyType = this.join(keyType, this.check(key));
      const given = this.check(value);
      valueType = this.join(valueType, isOptional ? this.unwrap(value, given) : given);
    }
    return mapOf(keyType ?? this.substitution.newParam(), valueType ?? this.substitution.newParam());
  }

  /** What `?x` holds: `x` has to be an optional. */
  private unwrap(expr: Expr, type: Type): Type {
    const held = heldType(type);
    if (!held && type.kind !== 'dyn') this.mismatch(expr, optionalOf(type), type);
    return held ?? type;
  }

  /** Elements of one literal: the more general type of those that go together, else anything. */
  private join(before: Type | undefined, type: Type): Type {
    if (!before) return type;
    return this.substitution.assign(before, type) ? mostGeneral(before, type) : dynType;
  }

  private struct(expr: StructExpr): Type {
    const name = expr.typeName.replace(/^\./, '');
    const message = messages.get(name);
    const named = message?.type ?? this.environment.typeOfName(name);
    if (!named) this.undeclared(expr, expr.typeName);
    for (const { value } of expr.fields) this.check(value);
    if (!named) return errorType;
    if (message) return this.message(expr, message);
    const type = named.kind === 'type' ? (named.params[0] ?? errorType) : errorType;
    if (named.kind !== 'type') this.report(expr, `'${named.name}' is not a type`);
    else if (type.kind !== 'object') this.report(expr, `'${type.name}' is not a message type`);
    return type.kind === 'object' ? type : errorType;
  }

  private message({ fields }: StructExpr, message: Message): Type {
    for (const { name, value, at } of fields) {
      const expected = Object.hasOwn(message.fields, name) ? message.fields[name] : undefined;
      const given = this.types.get(value) as Type;
      if (!expected) this.report({ at }, `undefined field '${name}'`);
      else if (!this.substitution.assign(expected, given)) {
        this.report({ at }, `expected type of field '${name}' is '${expected}' but provided type is '${given}'`);
      }
    }
    return message.type;
  }

  private comprehension(expr: Comprehension): Type {
    const range = this.substitution.resolve(this.check(expr.range));
    const accumulated = this.check(expr.initial);
    this.scopes.push(new Map([[expr.accumulator, accumulated]]));
    this.scopes.push(this.variables(expr, range));
    this.check(expr.condition);
    this.assert(expr.condition, boolType);
    this.check(expr.step);
    this.assert(expr.step, accumulated);
    this.scopes.pop();
    const result = this.check(expr.result);
    this.scopes.pop();
    return this.substitution.resolve(result);
  }

  private variables(expr: Comprehension, range: Type): Map<string, Type> {
    const [first, second] = this.variableTypes(expr, range);
    const names = new Map([[expr.variable, first]]);
    if (expr.second !== undefined) names.set(expr.second, second);
    return names;
  }

  private variableTypes(expr: Comprehension, range: Type): [Type, Type] {
    switch (range.kind) {
      case 'list':
        return expr.second === undefined ? [range.params[0] as Type, dynType] : [intType, range.params[0] as Type];
      case 'map':
        return [range.params[0] as Type, range.params[1] as Type];
      case 'dyn':
      case 'error':
      case 'param':
        this.substitution.assign(dynType, range);
        return [dynType, dynType];
      default:
        this.report(expr.range, `expression of type '${range}' cannot be range of a comprehension (must be list, map, or dynamic)`);
        return [errorType, errorType];
    }
  }

  private assert(expr: Expr, expected: Type): void {
    const actual = this.types.get(expr) as Type;
    if (!this.substitution.assign(expected, actual)) this.mismatch(expr, expected, actual);
  }
}
