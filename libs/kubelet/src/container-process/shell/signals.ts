/** Ends the shell, or the subshell, with a code. */
export class ExitSignal {
  constructor(readonly code: number) {}
}

/** Ends the function with a code. */
export class ReturnSignal {
  constructor(readonly code: number) {}
}

/** `break` and `continue`: out of so many loops. */
export class LoopSignal {
  constructor(
    readonly kind: 'break' | 'continue',
    readonly loops: number,
  ) {}
}
