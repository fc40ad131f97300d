import { isObject } from '#libs/kernel';
import type { JsonObject } from '#libs/kernel';
import type { FieldProblem } from './errors';

/** Reads an object field by field, collecting every problem with its path instead of stopping at the first. */
export class Fields {
  private constructor(
    readonly path: string,
    private readonly object: JsonObject,
    readonly problems: FieldProblem[],
  ) {}

  /** A value that is no object is a problem, and reads as an empty one. */
  static of(value: unknown, path: string, problems: FieldProblem[]): Fields {
    if (value !== undefined && value !== null && !isObject(value))
      problems.push({ field: path, message: `must be an object, not ${kindOf(value)}` });
    return new Fields(path, isObject(value) ? value : {}, problems);
  }

  at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  problem(name: string, message: string): void {
    this.problems.push({ field: name === '' ? this.path : this.at(name), message });
  }

  has(name: string): boolean {
    return Object.hasOwn(this.object, name) && this.object[name] !== undefined && this.object[name] !== null;
  }

  raw(name: string): unknown {
    return this.has(name) ? this.object[name] : undefined;
  }

  /** Names that are not among those allowed are problems. */
  allow(...names: readonly string[]): this {
    for (const name of Object.keys(this.object)) {
      if (!names.includes(name)) this.problem(name, `unknown field; known here are ${names.join(', ')}`);
    }
    return this;
  }

  child(name: string): Fields {
    return Fields.of(this.raw(name), this.at(name), this.problems);
  }

  /** The elements of a list, each as fields. */
  children(name: string): Fields[] {
    return this.list(name).map((value, i) => Fields.of(value, `${this.at(name)}[${i}]`, this.problems));
  }

  list(name: string): unknown[] {
    const value = this.raw(name);
    if (value === undefined) return [];
    if (Array.isArray(value)) return value;
    this.problem(name, `must be a list, not ${kindOf(value)}`);
    return [];
  }

  strings(name: string): string[] {
    return this.list(name).filter((value, i): value is string => {
      if (typeof value === 'string') return true;
      this.problems.push({ field: `${this.at(name)}[${i}]`, message: `must be a text, not ${kindOf(value)}` });
      return false;
    });
  }

  text(name: string): string | undefined;
  text(name: string, fallback: string): string;
  text(name: string, fallback?: string): string | undefined {
    const value = this.raw(name);
    if (value === undefined) return fallback;
    if (typeof value === 'string') return value;
    this.problem(name, `must be a text, not ${kindOf(value)}`);
    return fallback;
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.raw(name);
    if (value === undefined) return fallback;
    if (typeof value === 'boolean') return value;
    this.problem(name, `must be true or false, not ${kindOf(value)}`);
    return fallback;
  }

  /** A whole number from min to max, both included. */
  integer(name: string, min: number, max: number): number | undefined;
  integer(name: string, min: number, max: number, fallback: number): number;
  integer(name: string, min: number, max: number, fallback?: number): number | undefined {
    const value = this.raw(name);
    if (value === undefined) return fallback;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
    const allowed =
      max === maxInt ? `must be a whole number of at least ${min}` : `must be a whole number in the valid range [${min}-${max}]`;
    this.problem(name, `${allowed}, not ${typeof value === 'number' ? value : kindOf(value)}`);
    return fallback;
  }

  oneOf<T extends string>(name: string, values: readonly T[], fallback: T): T {
    const value = this.raw(name);
    if (value === undefined || value === '') return fallback;
    if (typeof value === 'string' && (values as readonly string[]).includes(value)) return value as T;
    this.problem(name, `must be one of ${values.join(', ')}, not ${typeof value === 'string' ? `"${value}"` : kindOf(value)}`);
    return fallback;
  }
}

export const maxInt = 2 ** 31 - 1;

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value === null) return 'null';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
