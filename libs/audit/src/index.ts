export * from './verify/verify';
export { findingText, type CheckLetter, type Finding, type Unproven } from './verify/finding';
export * from './why/why';
export * from './why/explained-attempt';
export { renderWhy } from './why/render-why';
export { renderWhyNot } from './why/render-why-not';
export * from './why/why-not';
export type { ObjectReference } from './why/story';
export type { ControllerFactory } from './replay/replay-decisions';
