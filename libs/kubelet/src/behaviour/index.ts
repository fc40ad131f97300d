export * from './container-behaviour';
export * from './pod-behaviour';
export * from './timeline';
export * from './usage';
export * from './run-of';
export * from './answers';
export { annotatedDuration } from './durations';
export { behaviourOf, initRunMs, tellsOfRuns, termMs } from './container-annotations';
export { podBehaviourOf } from './pod-annotations';
