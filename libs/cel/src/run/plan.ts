import type { Checked } from '../check/checker';
import type { Environment } from '../environment';
import { compiledRegex } from '../library/regex';
import { messages } from '../library/messages';
import {
  operators,
  type Call,
  type Comprehension,
  type Expr,
  type ListExpr,
  type MapExpr,
  type Select,
  type StructExpr,
} from '../syntax/ast';
import type { FunctionDecl, Overload } from '../types/functions';
import {
  ArrayList,
  EntriesMap,
  EvaluationError,
  ListValue,
  MapValue,
  noSuchOverload,
  Optional,
  typeOfValue,
  type Value,
} from '../values/value';
import { accepts } from './accepts';
import { constantOf } from './constants';
import { attempt, conditional, logical, notStrictlyFalse, orElse } from './logic';
import type { Meter } from './meter';
import { atIndex, atOptionalIndex, hasField, selectField, selectOptional } from './selection';

/** Values of the variables by their place; a fold's result may be an error that nobody has met yet. */
export interface Frame {
  slots: (Value | EvaluationError)[];
  meter: Meter;
}

export type Step = (frame: Frame) => Value;

/** An expression as steps to run, and the places of its variables. */
export interface Plan {
  run: Step;
  /** Place of each variable of the environment that the expression names. */
  variables: ReadonlyMap<string, number>;
  slots: number;
}

/** @throws EvaluationError where a constant part of the expression fails already */
export function planOf(checked: Checked, environment: Environment): Plan {
  const planner = new Planner(checked, environment);
  return planner.plan();
}

class Planner {
  private readonly variables = new Map<string, number>();
  private readonly locals: Map<string, number>[] = [];
  private slots = 0;

  constructor(
    private readonly checked: Checked,
    private readonly environment: Environment,
  ) {}

  plan(): Plan {
    const run = this.step(this.checked.expr);
    return { run, variables: this.variables, slots: this.slots };
  }

  private step(expr: Expr): Step {
    switch (expr.kind) {
      case 'literal': {
        const { value } = expr;
        return () => value;
      }
      case 'ident':
        return this.name(expr, expr.name);
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

  private struct({ typeName, fields }: StructExpr): Step {
    const message = messages.get(typeName.replace(/^\./, ''));
    const steps = fields.map(({ name, value, isOptional }) => ({ name, value: this.step(value), isOptional }));
    return (frame) => {
      frame.meter.spend(40);
      if (!message) throw new EvaluationError(`unknown type: ${typeName}`);
      const values = steps.flatMap(({ name, value, isOptional }) =>
        (isOptional ? heldOf(value(frame)) : [value(frame)]).map((held) => [name, held]),
      );
      return message.make(Object.fromEntries(values) as Record<string, Value>);
    };
  }

  private name(expr: Expr, written: string): Step {
    const name = this.checked.references.get(expr) ?? written;
    const slot = this.slotOf(name);
    if (slot === undefined) {
      const type = this.environment.typeOfName(name)?.params[0];
      return () => type ?? null;
    }
    return ({ slots, meter }) => {
      meter.spend(1);
      const value = slots[slot];
      if (value instanceof EvaluationError) throw value;
      if (value === undefined) throw new EvaluationError(`no such attribute(s): ${name}`);
      return value;
    };
  }

  private slotOf(name: string): number | undefined {
    for (let index = this.locals.length - 1; index >= 0; index -= 1) {
      const slot = this.locals[index]?.get(name);
      if (slot !== undefined) return slot;
    }
    if (!this.environment.isVariable(name)) return undefined;
    const known = this.variables.get(name);
    if (known !== undefined) return known;
    this.variables.set(name, this.slots);
    return this.slots++;
  }

  private select(expr: Select): Step {
    if (this.checked.references.has(expr)) return this.name(expr, expr.field);
    const operand = this.step(expr.operand);
    const { field } = expr;
    if (expr.isTest) return (frame) => hasField(operand(frame), field);
    return (frame) => {
      frame.meter.spend(1);
      return selectField(operand(frame), field);
    };
  }

  private call(expr: Call): Step {
    const constant = constantOf(expr, (call) => this.dispatch(call)({ slots: [], meter: { spend: () => undefined } }));
    if (constant !== undefined) return () => constant;
    const args = expr.args.map((arg) => this.step(arg));
    const [first, second] = args as [Step, Step];
    switch (expr.name) {
      case operators.and:
        return logical(first, second, false);
      case operators.or:
        return logical(first, second, true);
      case operators.conditional:
        return conditional(first, second, args[2] as Step);
      case operators.notStrictlyFalse:
        return notStrictlyFalse(first);
      case operators.index:
        return (frame) => metered(frame, atIndex(first(frame), second(frame)));
      case operators.optionalIndex:
        return (frame) => metered(frame, atOptionalIndex(first(frame), second(frame)));
      case operators.optionalSelect:
        return (frame) => metered(frame, selectOptional(first(frame), second(frame) as string));
      default:
        return this.named(expr, args);
    }
  }

  private named(expr: Call, args: readonly Step[]): Step {
    const ids = this.checked.overloads.get(expr) ?? [];
    if (ids.includes('optional_or_optional')) return orElse(this.step(expr.target as Expr), args[0] as Step, (optional) => optional);
    if (ids.includes('optional_orValue_value'))
      return orElse(this.step(expr.target as Expr), args[0] as Step, (optional) => optional.value);
    this.checkPattern(expr);
    return this.dispatch(expr, args);
  }

  /** Patterns that are constant are read once, and have to be good. */
  private checkPattern({ name, target, args }: Call): void {
    const pattern = ['matches', 'find', 'findAll'].includes(name) ? args[target ? 0 : 1] : undefined;
    if (pattern?.kind === 'literal' && typeof pattern.value === 'string') compiledRegex(pattern.value);
  }

  /** The first overload that takes the values. */
  private dispatch(expr: Call, args: readonly Step[] = expr.args.map((arg) => this.step(arg))): Step {
    const ids = this.checked.overloads.get(expr) ?? [];
    const declared = this.environment.functions.get(expr.name) as FunctionDecl;
    const overloads = declared.overloads.filter(({ id }) => ids.includes(id));
    const operands = expr.target ? [this.step(expr.target), ...args] : args;
    return (frame) => {
      const values = operands.map((operand) => operand(frame));
      frame.meter.spend(1 + sizesOf(values));
      for (const overload of overloads) if (takes(overload, values)) return overload.run(...(values as never[]));
      throw noOverload(declared, values);
    };
  }

  private list({ elements, optional }: ListExpr): Step {
    const steps = elements.map((element) => this.step(element));
    if (optional.size === 0) {
      return (frame) => {
        frame.meter.spend(10);
        return new ArrayList(steps.map((step) => step(frame)));
      };
    }
    return (frame) => {
      frame.meter.spend(10);
      const values = steps.flatMap((step, index) => (optional.has(index) ? heldOf(step(frame)) : [step(frame)]));
      return new ArrayList(values);
    };
  }

  private map({ entries }: MapExpr): Step {
    const steps = entries.map(({ key, value, isOptional }) => ({ key: this.step(key), value: this.step(value), isOptional }));
    return (frame) => {
      frame.meter.spend(30);
      const values: [Value, Value][] = [];
      for (const { key, value, isOptional } of steps) {
        const name = key(frame);
        for (const held of isOptional ? heldOf(value(frame)) : [value(frame)]) values.push([name, held]);
      }
      return EntriesMap.of(values);
    };
  }

  private comprehension(expr: Comprehension): Step {
    const range = this.step(expr.range);
    const initial = this.step(expr.initial);
    const [accumulator, first, second] = [this.slots, this.slots + 1, this.slots + 2];
    this.slots += 3;
    this.locals.push(new Map([[expr.accumulator, accumulator]]));
    const names = new Map([[expr.variable, first]]);
    if (expr.second !== undefined) names.set(expr.second, second);
    this.locals.push(names);
    const condition = this.step(expr.condition);
    const step = this.step(expr.step);
    this.locals.pop();
    const result = this.step(expr.result);
    this.locals.pop();
    const hasSecond = expr.second !== undefined;
    return (frame) => {
      const { slots } = frame;
      const over = range(frame);
      slots[accumulator] = attempt(initial, frame);
      for (const [key, value] of entriesOf(over, hasSecond)) {
        slots[first] = key;
        slots[second] = value;
        if (condition(frame) === false) break;
        slots[accumulator] = attempt(step, frame);
      }
      return result(frame);
    };
  }
}

function noOverload({ name, answers }: FunctionDecl, values: readonly Value[]): EvaluationError {
  const [first, ...rest] = values.map((value) => typeOfValue(value));
  if (!answers) return new EvaluationError(`no such overload: ${name}(${[first, ...rest].map((type) => type?.name ?? '').join(', ')})`);
  return first && answers.includes(first.kind) ? noSuchOverload() : new EvaluationError(`no such overload: ${name}`);
}

function metered(frame: Frame, value: Value): Value {
  frame.meter.spend(1);
  return value;
}

/** What is walked through costs by its length. */
function sizesOf(values: readonly Value[]): number {
  let size = 0;
  for (const value of values) {
    if (typeof value === 'string') size += value.length / 10;
    else if (value instanceof ListValue) size += value.size / 10;
  }
  return size;
}

function takes({ args }: Overload, values: readonly Value[]): boolean {
  return args.length === values.length && args.every((type, index) => accepts(type, values[index] as Value));
}

function heldOf(value: Value): Value[] {
  if (!(value instanceof Optional))
    throw new EvaluationError(`cannot initialize optional entry from non-optional value ${typeOfValue(value).name}`);
  return value.hasValue ? [value.value] : [];
}

/** Of a list its elements, of a map its keys; with two variables places and elements, keys and values. */
function* entriesOf(range: Value, hasSecond: boolean): Generator<[Value, Value]> {
  if (range instanceof ListValue) {
    for (let index = 0; index < range.size; index += 1) yield hasSecond ? [BigInt(index), range.at(index)] : [range.at(index), null];
  } else if (range instanceof MapValue) {
    for (const key of range.keys()) yield [key, hasSecond ? (range.find(key) as Value) : null];
  } else throw noSuchOverload();
}
