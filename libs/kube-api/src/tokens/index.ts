/** Tokens of service accounts: what they say, how they are signed, and whose they are. Pure; keys are given. */
export * from './claims';
export * from './jwt';
export * from './token-owner';
