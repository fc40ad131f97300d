/** A variable's value, or how it is found out; undefined: its reference leads nowhere, and there is no such variable. */
type Value = string | (() => string | undefined);

/** Variables that a program has without anybody having set them. */
export interface ImpliedVariables {
  /** @returns undefined where there is none of that name */
  get(name: string): string | undefined;
  all(): Iterable<readonly [name: string, value: string]>;
}

const none: ImpliedVariables = { get: () => undefined, all: () => [] };
const absent = (): undefined => undefined;

/** The environment of a program. What stands in other objects is looked up only when it is asked for: who does not ask does not depend on it. */
export class EnvironmentVariables {
  private readonly values: Map<string, Value>;

  constructor(
    values: Iterable<readonly [string, Value]> = [],
    private implied: ImpliedVariables = none,
  ) {
    this.values = new Map(values);
  }

  copy(): EnvironmentVariables {
    return new EnvironmentVariables(this.values, this.implied);
  }

  /** With those of these names only, and what is implied; what was taken away stays away. */
  only(isKept: (name: string) => boolean): EnvironmentVariables {
    return new EnvironmentVariables(
      [...this.values].filter(([name, value]) => value === absent || isKept(name)),
      this.implied,
    );
  }

  imply(variables: ImpliedVariables): void {
    this.implied = variables;
  }

  get(name: string): string | undefined {
    const value = this.values.get(name);
    if (value === undefined) return this.implied.get(name);
    if (typeof value === 'string') return value;
    const found = value();
    this.values.set(name, found ?? absent);
    return found;
  }

  set(name: string, value: Value): void {
    this.values.set(name, value);
  }

  unset(name: string): void {
    this.values.set(name, absent);
  }

  /** Names of those that were set. */
  names(): Iterable<string> {
    return this.values.keys();
  }

  /** All of them with their values. */
  *entries(): Iterable<readonly [name: string, value: string]> {
    for (const name of this.values.keys()) {
      const value = this.get(name);
      if (value !== undefined) yield [name, value];
    }
    for (const [name, value] of this.implied.all()) if (!this.values.has(name)) yield [name, value];
  }

  /** Equal texts are equal variables. What is not known yet does not change by itself. */
  digest(): string {
    return JSON.stringify([...this.values].map(([name, value]) => [name, typeof value === 'string' ? value : null]));
  }
}
