export interface FieldProblem {
  /** Path in the file, as `profiles[0].plugins.score.enabled[1].weight`. */
  readonly field: string;
  readonly message: string;
}

/** A configuration that cannot be used. The message has one line a problem. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly problems: readonly FieldProblem[]) {
    super(problems.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join('\n'));
  }
}
