export * from './verify/verify';
export type { ChainProblem } from './verify/digest-chain';
