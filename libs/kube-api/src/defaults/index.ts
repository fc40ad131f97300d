export * from './apply-defaults';
export { defaultPullPolicy } from './image-tag';
export { defaultPodSpec } from './pod';
