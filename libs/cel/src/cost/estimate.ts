import type { Checked } from '../check/checker';
import type { Environment } from '../environment';
import type { DeclaredType } from '../schema/declared-type';
import type { Call, Comprehension, Expr, Ident, ListExpr, MapExpr, Select } from '../syntax/ast';
import { accumulator } from '../syntax/macros';
import { heldType, type Type } from '../types/type';
import { Duration, Timestamp, Uint } from '../values/value';
import { concatenation, kubernetesCallCost, standardCallCost, type CallCost, type Operand } from './calls';
import { add, exactly, multiply, nothing, unbounded, union, unknownRange, type Range } from './range';

/** The most that an evaluation may cost, by the types and the sizes that schemas allow (cel-go, `checker/cost.go`). */
export function estimateCost(checked: Checked, environment: Environment): number {
  return new Estimator(checked, environment).cost(checked.expr).max;
}

/** Sizes of what is in a list or map. */
interface EntrySize {
  isList: boolean;
  key: Range;
  value: Range;
}
interface Local {
  path: readonly string[];
  size: Range | undefined;
  entries: EntrySize | undefined;
}

const lists = 10;
const maps = 30;
const structs = 40;
const none: Range = { min: unbounded, max: 0 };

class Estimator {
  private readonly paths = new Map<Expr, readonly string[]>();
  private readonly sizes = new Map<Expr, Range>();
  private readonly entrySizes = new Map<Expr, EntrySize>();
  private readonly locals = new Map<string, Local[]>();

  constructor(
    private readonly checked: Checked,
    private readonly environment: Environment,
  ) {}

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case 'literal':
        return nothing;
      case 'ident':
        return this.ident(expr);
      case 'select':
        return this.select(expr);
      case 'call':
        return this.call(expr);
      case 'list':
        return this.list(expr);
      case 'map':
        return this.map(expr);
      case 'struct':
        return add(exactly(structs), ...expr.fields.map(({ value }) => this.cost(value)));
      case 'comprehension':
        return isBinding(expr) ? this.binding(expr) : this.comprehension(expr);
    }
  }

  private ident(expr: Ident): Range {
    this.paths.set(expr, this.local(expr.name)?.path ?? [expr.name]);
    return exactly(1);
  }

  private select(expr: Select): Range {
    const named = this.checked.references.get(expr);
    if (named !== undefined) {
      this.paths.set(expr, [named]);
      return exactly(1);
    }
    const operand = this.cost(expr.operand);
    if (expr.isTest) return operand;
    this.paths.set(expr, [...this.path(expr.operand), expr.field]);
    const { kind } = this.type(expr.operand);
    return ['map', 'object', 'param'].includes(kind) ? add(operand, exactly(1)) : operand;
  }

  private call(expr: Call): Range {
    const { name, args, target } = expr;
    if (name === 'dyn') {
      const [arg] = args as [Expr];
      const cost = add(exactly(1), this.cost(arg));
      this.setSize(expr, this.size(arg));
      this.setEntries(expr, this.entries(arg));
      return cost;
    }
    const argCosts = args.map((arg) => this.cost(arg));
    const operands = args.map((arg) => this.operand(arg));
    const ids = this.checked.overloads.get(expr) ?? [];
    if (ids.length === 0) return nothing;
    const targetCost = target ? this.cost(target) : nothing;
    const receiver = target && this.operand(target);
    let cost = none;
    let size: Range | undefined;
    for (const id of ids) {
      const overload = this.overload(expr, id, receiver, operands, argCosts);
      cost = union(cost, overload.cost);
      if (overload.size) size = size ? union(size, overload.size) : overload.size;
      if (id === 'index_list' || id === 'index_map') {
        size = this.entries(args[0] as Expr)?.value;
        this.paths.set(expr, [...this.path(args[0] as Expr), id === 'index_list' ? '@items' : '@values']);
      }
      size ??= this.size(expr);
    }
    this.setSize(expr, size);
    return add(targetCost, cost);
  }

  private overload(expr: Call, id: string, target: Operand | undefined, args: readonly Operand[], argCosts: readonly Range[]): CallCost {
    const [first, second, third] = argCosts as [Range, Range, Range];
    if (id === 'logical_and' || id === 'logical_or') return { cost: { min: first.min, max: add(first, second).max } };
    if (id === 'conditional') {
      this.setEntries(expr, unionOf(this.entries(expr.args[1] as Expr), this.entries(expr.args[2] as Expr)));
      const size = union(sizeOf(args[1] as Operand), sizeOf(args[2] as Operand));
      return { cost: add(first, union(second, third)), size };
    }
    const { cost, size } = this.ownCost(expr, id, target, args);
    return { cost: add(cost, ...argCosts), size };
  }

  private ownCost(expr: Call, id: string, target: Operand | undefined, args: readonly Operand[]): CallCost {
    const sizes = { of: (operand: Operand) => operand.size ?? this.declaredSize(operand.path) ?? unknownRange, elementsOf };
    const priced = id.startsWith('list_sets_') ? undefined : kubernetesCallCost(expr.name, id, target, args, sizes);
    if (priced) return priced;
    if (['add_string', 'add_bytes', 'add_list'].includes(id)) {
      this.setEntries(expr, unionOf(this.entries(expr.args[0] as Expr), this.entries(expr.args[1] as Expr)));
      return concatenation(id, sizeOf(args[0] as Operand), sizeOf(args[1] as Operand));
    }
    return standardCallCost(id, target, args, { ...sizes, of: sizeOf });
  }

  private list(expr: ListExpr): Range {
    const costs = expr.elements.map((element) => this.cost(element));
    const value = expr.elements.reduce((size, element) => union(size, this.sizeOrUnknown(element)), emptyOr(expr.elements.length));
    this.setEntries(expr, { isList: true, key: exactly(1), value });
    return add(exactly(lists), ...costs);
  }

  private map(expr: MapExpr): Range {
    const { entries } = expr;
    const costs = entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
    const key = entries.reduce((size, entry) => union(size, this.sizeOrUnknown(entry.key)), emptyOr(entries.length));
    const value = entries.reduce((size, entry) => union(size, this.sizeOrUnknown(entry.value)), emptyOr(entries.length));
    this.setEntries(expr, { isList: false, key, value });
    return add(exactly(maps), ...costs);
  }

  private comprehension(expr: Comprehension): Range {
    const before = add(this.cost(expr.range), this.cost(expr.initial));
    this.push(expr.accumulator, this.localOf(expr.initial));
    const variables = this.variables(expr);
    for (const [name, local] of variables) this.push(name, local);
    const loop = add(this.cost(expr.condition), this.cost(expr.step));
    for (const [name] of variables) this.pop(name);
    const result = this.cost(expr.result);
    this.pop(expr.accumulator);
    const count = this.sizeOrUnknown(expr.range);
    if (expr.initial.kind === 'literal') this.setSize(expr, this.size(expr.initial));
    else if (expr.initial.kind === 'list' || expr.initial.kind === 'map') {
      this.setSize(expr, count);
      this.setEntries(expr, this.entries(expr.step));
    }
    return add(before, result, multiply(count, loop));
  }

  private binding(expr: Comprehension): Range {
    const before = add(this.cost(expr.range), this.cost(expr.initial));
    this.push(expr.accumulator, this.localOf(expr.initial));
    const result = this.cost(expr.result);
    this.pop(expr.accumulator);
    this.setSize(expr, this.size(expr.result));
    this.setEntries(expr, this.entries(expr.result));
    return add(before, result);
  }

  private variables({ range, variable, second }: Comprehension): [string, Local][] {
    const entries = this.entries(range);
    const isList = entries?.isList ?? this.type(range).kind === 'list';
    const local = (part: string, size: Range | undefined): Local => ({ path: [...this.path(range), part], size, entries: undefined });
    const value = local(isList ? '@items' : '@values', entries?.value);
    if (second === undefined) return [[variable, isList ? value : local('@keys', entries?.key)]];
    return [[variable, local(isList ? '@indices' : '@keys', entries?.key)], [second, value]]; // prettier-ignore
  }

  private localOf(expr: Expr): Local {
    return { path: this.path(expr), size: this.size(expr), entries: this.entries(expr) };
  }

  private push(name: string, local: Local): void {
    this.locals.set(name, [...(this.locals.get(name) ?? []), local]);
  }
  private pop(name: string): void {
    this.locals.get(name)?.pop();
  }
  private local(name: string): Local | undefined {
    return this.locals.get(name)?.at(-1);
  }

  private type(expr: Expr): Type {
    return this.checked.types.get(expr) as Type;
  }

  private path(expr: Expr): readonly string[] {
    const local = expr.kind === 'ident' ? this.local(expr.name) : undefined;
    return local?.path ?? this.paths.get(expr) ?? [];
  }

  private operand(expr: Expr): Operand {
    const path = this.path(expr);
    return { expr, type: this.type(expr), path: path[0] === accumulator ? undefined : path, size: this.size(expr) };
  }

  private setSize(expr: Expr, size: Range | undefined): void {
    if (size) this.sizes.set(expr, size);
  }
  private setEntries(expr: Expr, entries: EntrySize | undefined): void {
    if (entries) this.entrySizes.set(expr, entries);
  }

  private entries(expr: Expr): EntrySize | undefined {
    return this.entrySizes.get(expr) ?? (expr.kind === 'ident' ? this.local(expr.name)?.entries : undefined);
  }

  private sizeOrUnknown(expr: Expr): Range {
    return this.size(expr) ?? unknownRange;
  }

  private size(expr: Expr): Range | undefined {
    const known = this.sizes.get(expr) ?? literalSize(expr);
    if (known) return known;
    const declared = this.declaredSize(this.path(expr));
    if (declared) {
      this.sizes.set(expr, declared);
      return declared;
    }
    if (isScalar(this.type(expr))) return exactly(1);
    return expr.kind === 'ident' ? this.local(expr.name)?.size : undefined;
  }

  /** The size that the schema allows at the end of a path. */
  private declaredSize(path: readonly string[] | undefined): Range | undefined {
    let declared: DeclaredType | undefined;
    for (const [index, part] of (path ?? []).entries()) {
      if (index === 0) declared = this.rootOf();
      else if (part === '@items' || part === '@values') declared = declared?.element;
      else declared = part === '@keys' ? declared?.key : declared?.fieldAsWritten(part);
      if (!declared) return undefined;
    }
    return declared && { min: 0, max: declared.most };
  }

  private rootOf(): DeclaredType | undefined {
    for (const { declared } of this.environment.variables.values()) if (declared) return declared;
    return undefined;
  }
}

/** A fold over nothing, which only names a value. */
function isBinding({ range, condition, accumulator: name }: Comprehension): boolean {
  return (
    range.kind === 'list' &&
    range.elements.length === 0 &&
    condition.kind === 'literal' &&
    condition.value === false &&
    name !== accumulator
  );
}

function elementsOf({ type, path }: Operand): Operand | undefined {
  const [element] = type.params;
  return element && { expr: undefined, type: element, path: path?.length ? [...path, '@items'] : undefined, size: undefined };
}

function sizeOf({ size }: Operand): Range {
  return size ?? unknownRange;
}

function emptyOr(length: number): Range {
  return length === 0 ? nothing : none;
}

function unionOf(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  return a && b && { isList: a.isList, key: union(a.key, b.key), value: union(a.value, b.value) };
}

function literalSize(expr: Expr): Range | undefined {
  if (expr.kind === 'list') return exactly(expr.elements.length);
  if (expr.kind === 'map') return exactly(expr.entries.length);
  if (expr.kind !== 'literal') return undefined;
  const { value } = expr;
  if (typeof value === 'string') return exactly(Array.from(value).length);
  if (value instanceof Uint8Array) return exactly(value.length);
  const isPlain =
    value === null || typeof value !== 'object' || value instanceof Uint || value instanceof Duration || value instanceof Timestamp;
  return isPlain ? exactly(1) : undefined;
}

function isScalar(type: Type): boolean {
  const held = heldType(type);
  return held ? isScalar(held) : ['bool', 'double', 'duration', 'int', 'timestamp', 'uint'].includes(type.kind);
}
