export { actuate } from './actuate';
export { allocate } from './allocate';
export { allocatedPod } from './allocated-pod';
export { needsRestart } from './amounts';
export { resizeConditions, type ResizeState } from './conditions';
export { awaitsResources, inTurn, mayFree } from './waiting-resizes';
