/** A failure to tell the user about: what is wrong and what to do, never a stack trace. */
export class CliError extends Error {
  override name = 'CliError';
  constructor(
    message: string,
    readonly remedy?: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}
