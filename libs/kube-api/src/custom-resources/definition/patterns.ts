import { compiledRegex, EvaluationError } from '#libs/cel';

/** Why a pattern is no regular expression of Go's, in its words. */
export function patternProblem(pattern: string): string | undefined {
  try {
    compiledRegex(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof EvaluationError) return error.message;
    throw error;
  }
}
