export * from './verify/verify';
export type { ChainProblem } from './verify/digest-chain';
export * from './why/why';
export * from './why/explained-attempt';
export { renderWhy } from './why/render-why';
export { renderWhyNot } from './why/render-why-not';
export * from './why/why-not';
export type { ObjectReference } from './why/story';
export type { ControllerFactory } from './replay/replay-decisions';
