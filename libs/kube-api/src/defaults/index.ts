export * from './apply-defaults';
export { defaultPullPolicy } from '../kinds/core/pods/image-tag';
export { defaultPodSpec } from '../kinds/core/pods/defaults';
