import type { EnvironmentVariables } from '../variables';
import type { Command } from './syntax';
import { checkLength, type Variables } from './expand';

/** What a shell knows: a subshell begins with a copy of it. */
export class Scope implements Variables {
  positional: readonly string[] = [];
  name = 'sh';
  folder = '/';
  exitCode = 0;
  /** `set -e`. */
  endsOnFailure = false;
  /** It is bash. */
  hasBraces = false;
  readonly functions: Map<string, Command>;
  private readonly values: EnvironmentVariables;
  private readonly exported: Set<string>;

  constructor(env: EnvironmentVariables, from?: Scope) {
    this.values = env.copy();
    this.exported = new Set(from ? from.exported : this.values.names());
    this.functions = new Map(from?.functions);
  }

  copy(): Scope {
    const { positional, name, folder, exitCode, endsOnFailure, hasBraces } = this;
    return Object.assign(new Scope(this.values, this), { positional, name, folder, exitCode, endsOnFailure, hasBraces });
  }

  get(name: string): string | undefined {
    if (/^\w/.test(name) && !/^\d/.test(name)) return this.values.get(name);
    if (name === '?') return String(this.exitCode);
    if (name === '#') return String(this.positional.length);
    if (name === '@' || name === '*') return this.positional.join(' ');
    if (name === '$') return '1';
    if (name === '0') return this.name;
    return /^\d/.test(name) ? this.positional[Number(name) - 1] : '';
  }

  set(name: string, value: string): void {
    checkLength(value);
    this.values.set(name, value);
  }

  unset(name: string): void {
    this.values.unset(name);
    this.functions.delete(name);
  }

  export(name: string): void {
    this.exported.add(name);
  }

  /** What a program that is started gets. */
  environment(): EnvironmentVariables {
    return this.values.only((name) => this.exported.has(name));
  }

  /** Equal texts are equal scopes. */
  digest(): string {
    return JSON.stringify([this.exitCode, this.folder, this.positional, this.values.digest(), this.functions.size]);
  }
}
