import type { Machine } from '../context';
import { fullPath } from '../files';
import { ended, NotSimulatedError, type Part, type Process } from '../process';
import { Stdin } from '../stdin';
import { builtins } from './builtins';
import { expandFields, expandPattern, expandText, type ExpandContext } from './expand';
import { runLoop } from './loops';
import { matcherOf } from './patterns';
import { redirected } from './redirects';
import { Scope } from './scope';
import { ExitSignal, LoopSignal, ReturnSignal } from './signals';
import type { Command, List, Pipeline } from './syntax';

/** Starts another program; undefined: none has this name. */
export type StartProgram = (name: string, args: readonly string[], scope: Scope, stdin: Stdin) => Process | undefined;

/** Bytes that `$(…)` takes of what is written. */
const substitutionMax = 64 * 1024;
/** Functions inside functions. */
const callsMax = 100;

/** Runs parsed scripts. */
export class Shell {
  private calls = 0;

  constructor(
    readonly machine: Machine,
    readonly scope: Scope,
    private readonly startProgram: StartProgram,
  ) {}

  /** A script from its beginning to its end, or to `exit`. */
  *run(script: List, stdin: Stdin): Process {
    try {
      return yield* this.list(script, stdin, false);
    } catch (signal) {
      if (signal instanceof ExitSignal || signal instanceof ReturnSignal) return signal.code;
      if (signal instanceof LoopSignal) return 0;
      throw signal;
    }
  }

  /** @param isTested somebody asks for the code: `set -e` does not end the shell then */
  *list(list: List, stdin: Stdin, isTested: boolean): Process {
    const { scope } = this;
    for (const [index, { when, pipeline }] of list.entries()) {
      if ((when === '&&' && scope.exitCode !== 0) || (when === '||' && scope.exitCode === 0)) continue;
      const next = list[index + 1]?.when;
      const decides = next === '&&' || next === '||';
      scope.exitCode = yield* this.pipeline(pipeline, stdin, isTested || decides || pipeline.isNegated);
      if (scope.exitCode !== 0 && scope.endsOnFailure && !isTested && !decides && !pipeline.isNegated) throw new ExitSignal(scope.exitCode);
    }
    return scope.exitCode;
  }

  private *pipeline({ isNegated, commands }: Pipeline, stdin: Stdin, isTested: boolean): Process {
    const [only] = commands;
    let code: number;
    if (commands.length === 1 && only) code = yield* this.command(only, stdin, isTested);
    else {
      let input = stdin;
      let process: Process | undefined;
      for (const command of commands) {
        if (process) input = Stdin.from(process);
        process = this.subshell().run([{ when: ';', pipeline: { isNegated: false, commands: [command] } }], input);
      }
      code = yield* process as Process;
    }
    if (isNegated) return code === 0 ? 1 : 0;
    return code;
  }

  subshell(): Shell {
    return new Shell(this.machine, this.scope.copy(), this.startProgram);
  }

  private *command(command: Command, stdin: Stdin, isTested: boolean): Process {
    this.machine.steps.take();
    if (command.redirects.length === 0 || command.kind === 'simple') return yield* this.bare(command, stdin, isTested);
    return yield* redirected(this, command.redirects, stdin, (input) => this.bare(command, input, isTested));
  }

  private *bare(command: Command, stdin: Stdin, isTested: boolean): Process {
    switch (command.kind) {
      case 'simple':
        return yield* this.simple(command, stdin, isTested);
      case 'if':
        for (const { condition, body } of command.branches)
          if ((yield* this.list(condition, stdin, true)) === 0) return yield* this.list(body, stdin, isTested);
        return command.otherwise ? yield* this.list(command.otherwise, stdin, isTested) : 0;
      case 'loop':
        return yield* runLoop(this, command, stdin, isTested);
      case 'for':
        return yield* this.forLoop(command, stdin, isTested);
      case 'case':
        return yield* this.choice(command, stdin, isTested);
      case 'group':
        return command.isSubshell ? yield* this.subshell().run(command.body, stdin) : yield* this.list(command.body, stdin, isTested);
      case 'function':
        this.scope.functions.set(command.name, command.body);
        return 0;
    }
  }

  private *forLoop({ name, words, body }: Extract<Command, { kind: 'for' }>, stdin: Stdin, isTested: boolean): Process {
    let values: readonly string[] = this.scope.positional;
    if (words) {
      const fields: string[] = [];
      for (const word of words) fields.push(...(yield* expandFields(word, this.expansion(stdin))));
      values = fields;
    }
    let code = 0;
    for (const value of values) {
      this.machine.steps.take();
      this.scope.set(name, value);
      const turn = yield* this.turn(body, stdin, isTested);
      if (turn === 'break') return 0;
      code = turn === 'continue' ? 0 : turn;
    }
    return code;
  }

  /** Once through the body of a loop. */
  *turn(body: List, stdin: Stdin, isTested: boolean): Part<number | 'break' | 'continue'> {
    try {
      return yield* this.list(body, stdin, isTested);
    } catch (signal) {
      if (!(signal instanceof LoopSignal)) throw signal;
      if (signal.loops > 1) throw new LoopSignal(signal.kind, signal.loops - 1);
      return signal.kind;
    }
  }

  private *choice({ word, branches }: Extract<Command, { kind: 'case' }>, stdin: Stdin, isTested: boolean): Process {
    const expansion = this.expansion(stdin);
    const text = yield* expandText(word, expansion);
    for (const { patterns, body } of branches) {
      for (const pattern of patterns)
        if (matcherOf(yield* expandPattern(pattern, expansion))(text)) return yield* this.list(body, stdin, isTested);
    }
    return 0;
  }

  private *simple({ assignments, words, redirects }: Extract<Command, { kind: 'simple' }>, stdin: Stdin, isTested: boolean): Process {
    const expansion = this.expansion(stdin);
    const fields: string[] = [];
    for (const word of words) fields.push(...(yield* expandFields(word, expansion)));
    const [name, ...args] = fields;
    if (name === undefined) {
      this.scope.exitCode = 0;
      for (const { name: variable, value } of assignments) this.scope.set(variable, yield* expandText(value, expansion));
      if (redirects.length > 0) return yield* redirected(this, redirects, stdin, () => ended(() => 0));
      return this.scope.exitCode;
    }
    const scope = assignments.length > 0 ? this.scope.copy() : this.scope;
    for (const { name: variable, value } of assignments) {
      scope.set(variable, yield* expandText(value, expansion));
      scope.export(variable);
    }
    const start = (input: Stdin): Process => this.start(name, args, scope, input, isTested);
    return redirects.length > 0 ? yield* redirected(this, redirects, stdin, start) : yield* start(stdin);
  }

  /** A function, a builtin or a program. */
  *start(name: string, args: readonly string[], scope: Scope, stdin: Stdin, isTested: boolean): Process {
    const called = this.scope.functions.get(name);
    if (called) return yield* this.call(called, args, stdin, isTested);
    const builtin = builtins.get(name);
    if (builtin) return yield* builtin(this, args, stdin);
    const program = this.startProgram(name, args, scope, stdin);
    if (program) return yield* program;
    if (this.machine.unknown === 'serves') throw new NotSimulatedError(`${name} is another program of the image`);
    yield { err: `sh: ${name}: not found\n` };
    return 127;
  }

  private *call(body: Command, args: readonly string[], stdin: Stdin, isTested: boolean): Process {
    const { positional } = this.scope;
    if (++this.calls > callsMax) throw new NotSimulatedError('too many functions inside functions');
    this.scope.positional = args;
    try {
      return yield* this.command(body, stdin, isTested);
    } catch (signal) {
      if (signal instanceof ReturnSignal) return signal.code;
      throw signal;
    } finally {
      this.calls--;
      this.scope.positional = positional;
    }
  }

  expansion(stdin: Stdin): ExpandContext {
    return {
      variables: this.scope,
      output: (script) => this.output(script, stdin),
      paths: (pattern) => this.paths(pattern),
      hasBraces: this.scope.hasBraces,
    };
  }

  private *output(script: List, stdin: Stdin): Part<string> {
    const process = this.subshell().run(script, stdin);
    let text = '';
    let given;
    for (;;) {
      const { done, value } = process.next(given);
      given = undefined;
      if (done) {
        this.scope.exitCode = value;
        return text.replace(/\n+$/, '');
      }
      if ('out' in value) text = (text + value.out.toString()).slice(0, substitutionMax);
      else given = yield value;
    }
  }

  /** Paths whose last part matches. */
  private paths(pattern: string): string[] {
    const slash = pattern.lastIndexOf('/');
    const folder = pattern.slice(0, slash + 1);
    if (/[*?[]/.test(folder)) return [];
    const last = pattern.slice(slash + 1);
    const matches = matcherOf(last);
    const names = this.machine.files.list(fullPath(this.scope.folder, folder === '' ? '.' : folder));
    return names.filter((name) => matches(name) && (last.startsWith('.') || !name.startsWith('.'))).map((name) => folder + name);
  }
}
