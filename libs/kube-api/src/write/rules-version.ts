/**
 * Version of the rules by which writes are prepared: defaults, admission, validation, what an update may change. Whoever makes a write come out
 * otherwise than in the last release raises it, once a release: `verify` then accuses no log for the rules of its own time.
 */
export const WRITE_RULES_VERSION = 2;

/** That of processes which did not say it. */
export const UNSAID_WRITE_RULES_VERSION = 1;
