import {
  CompilationError,
  compile,
  EvaluationError,
  fullNameOf,
  type Environment,
  type Expression,
  type Program,
  type Type,
} from '#libs/cel';

export interface CompiledAs {
  expression?: Expression;
  program?: Program;
  /** What an administrator is told. */
  problem?: string;
}

/** Compiles an expression that has to make a value of one of some types. @param refuse what is said of another type */
export function compileAs(
  text: string,
  environment: Environment,
  wanted: (type: Type) => boolean,
  refuse: (type: string) => string,
): CompiledAs {
  try {
    const expression = compile(text, environment);
    if (!wanted(expression.type)) return { expression, problem: refuse(fullNameOf(expression.type)) };
    return { expression, program: expression.program() };
  } catch (error) {
    if (error instanceof CompilationError) return { problem: `compilation failed: ${error.message}` };
    if (error instanceof EvaluationError) return { problem: `program instantiation failed: ${error.message}` };
    throw error;
  }
}

/** What is wrong with an expression before it is looked at what it evaluates to. */
export function checkOnly(text: string, environment: Environment): string | undefined {
  try {
    compile(text, environment);
    return undefined;
  } catch (error) {
    if (error instanceof CompilationError) return error.message;
    throw error;
  }
}
